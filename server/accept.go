package server

import (
	"strconv"
	"strings"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// quality returns how much the values of an Accept header want a media type,
// from 0, not at all, to 1 (RFC 9110 section 12.5.1). The most specific range
// that matches counts; without a header everything is wanted.
func quality(accept []string, mediaType string) float64 {
	if strings.TrimSpace(strings.Join(accept, "")) == "" {
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

// acceptsEncoding reports whether the values of an Accept-Encoding header want
// a content coding (RFC 9110 section 12.5.3). Without a header none is wanted
// that was not asked for.
func acceptsEncoding(accept []string, coding string) bool {
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

// weight splits an element of such a header into its name and its q value. A
// malformed q counts as 1.
func weight(element string) (name string, q float64) {
	name, rest, _ := strings.Cut(element, ";")
	for parameter := range strings.SplitSeq(rest, ";") {
		key, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(key), "q") {
			if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return strings.TrimSpace(name), q
			}
		}
	}
	return strings.TrimSpace(name), 1
}
