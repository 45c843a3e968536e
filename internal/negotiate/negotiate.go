// Package negotiate reads the Accept headers of HTTP (RFC 9110 section 12.5).
package negotiate

import (
	"math"
	"strconv"
	"strings"
)

// Quality returns how much the values of an Accept header want a media type,
// from 0, not at all, to 1 (RFC 9110 section 12.5.1). The most specific range
// that matches counts; without a header everything is wanted.
func Quality(accept []string, mediaType string) float64 {
	if len(accept) == 0 {
		return 1
	}
	family, _, _ := strings.Cut(mediaType, "/")
	best, found := -1, 0.0
	for _, value := range accept {
		for element := range strings.SplitSeq(value, ",") {
			name, q := weight(element)
			specific := -1
			switch strings.ToLower(name) {
			case mediaType:
				specific = 2
			case family + "/*":
				specific = 1
			case "*/*":
				specific = 0
			}
			if specific > best {
				best, found = specific, q
			}
		}
	}
	return found
}

// Prefers reports whether the values of an Accept header name a media type and
// want it more than another one, or as much and name it before that.
func Prefers(accept []string, mediaType, other string) bool {
	place := position(accept, mediaType)
	if place < 0 {
		return false
	}
	wanted, otherwise := Quality(accept, mediaType), Quality(accept, other)
	against := position(accept, other)
	return wanted > otherwise || wanted == otherwise && wanted > 0 && (against < 0 || place < against)
}

// position returns the place at which the values of an Accept header name a media
// type itself, not a range that has it; -1 where they do not.
func position(accept []string, mediaType string) int {
	place := 0
	for _, value := range accept {
		for element := range strings.SplitSeq(value, ",") {
			if name, _ := weight(element); strings.EqualFold(name, mediaType) {
				return place
			}
			place++
		}
	}
	return -1
}

// Encoding reports whether the values of an Accept-Encoding header want a
// content coding (RFC 9110 section 12.5.3). Without a header none is wanted
// that was not asked for.
func Encoding(accept []string, coding string) bool {
	any := false
	for _, value := range accept {
		for element := range strings.SplitSeq(value, ",") {
			name, q := weight(element)
			switch strings.ToLower(name) {
			case coding:
				return q > 0
			case "*":
				any = q > 0
			}
		}
	}
	return any
}

// weight splits an element of such a header into its name and its q value,
// which is 1 where it is missing or malformed.
func weight(element string) (name string, q float64) {
	name, rest, _ := strings.Cut(element, ";")
	for parameter := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && !math.IsNaN(q) {
			return strings.TrimSpace(name), min(max(q, 0), 1)
		}
	}
	return strings.TrimSpace(name), 1
}
