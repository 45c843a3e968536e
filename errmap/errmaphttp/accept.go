package errmaphttp

import (
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/negotiate"
)

// chooseType returns the content type of an error for the values of Accept (RFC
// 9110 section 12.5.1). The greatest weight wins; of equals the type that the
// client names before one that a range holds, then the first named, then the
// default. The type of A2A is sent to a client only that names it. An error is
// sent where nothing fits, too: that is better than none.
func chooseType(accept []string, problems bool) string {
	types := []string{errmap.ContentTypeJSON, errmap.ContentTypeProblem, errmap.ContentTypeA2A}
	if problems {
		types[0], types[1] = types[1], types[0]
	}
	best, bestWeight, bestPlace := types[0], 0.0, -1
	for _, kind := range types {
		place := placeOf(accept, kind)
		if place < 0 && kind == errmap.ContentTypeA2A {
			continue
		}
		weight := negotiate.Quality(accept, kind)
		if weight > bestWeight || weight == bestWeight && weight > 0 && place >= 0 && (bestPlace < 0 || place < bestPlace) {
			best, bestWeight, bestPlace = kind, weight, place
		}
	}
	return best
}

// placeOf returns the place at which the values of Accept name a type; -1 where
// they do not.
func placeOf(accept []string, kind string) int {
	place := 0
	for _, value := range accept {
		for element := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(element, ";")
			if strings.EqualFold(strings.TrimSpace(name), kind) {
				return place
			}
			place++
		}
	}
	return -1
}
