package errmaphttp

import (
	"mime"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
)

// chooseType returns the content type of an error for the values of Accept (RFC
// 9110 section 12.5.1). The greatest weight wins; of equals the type that the
// client names itself before a range that holds it, then the first named. An
// error is sent where nothing fits, too: that is better than none.
func chooseType(accept []string, problems bool) string {
	fallback := errmap.ContentTypeJSON
	if problems {
		fallback = errmap.ContentTypeProblem
	}
	best, bestWeight, bestNamed := fallback, 0.0, false
	refused := map[string]bool{}
	for _, element := range elements(accept) {
		kind, params, err := mime.ParseMediaType(element)
		if err != nil && kind == "" {
			continue
		}
		weight := weightOf(params)
		offered, named := kind, true
		switch kind {
		case errmap.ContentTypeJSON, errmap.ContentTypeA2A, errmap.ContentTypeProblem:
		case "*/*", "application/*":
			offered, named = fallback, false
		default:
			continue
		}
		if weight == 0 {
			refused[kind] = true
			continue
		}
		if weight > bestWeight || weight == bestWeight && named && !bestNamed {
			best, bestWeight, bestNamed = offered, weight, named
		}
	}
	// A range does not hold what is refused by name.
	if !bestNamed && refused[best] {
		for _, other := range []string{errmap.ContentTypeJSON, errmap.ContentTypeProblem} {
			if !refused[other] {
				return other
			}
		}
	}
	return best
}

// weightOf returns the weight of an element of Accept: 1 where it has none, or
// none that is a number from 0 to 1.
func weightOf(params map[string]string) float64 {
	text, ok := params["q"]
	if !ok {
		return 1
	}
	weight, err := strconv.ParseFloat(text, 64)
	if err != nil || !(weight >= 0 && weight <= 1) {
		return 1
	}
	return weight
}

// elements splits the values of a list header at the commas outside quotes.
func elements(values []string) []string {
	var out []string
	for _, value := range values {
		start, quoted := 0, false
		for i := 0; i < len(value); i++ {
			switch c := value[i]; {
			case c == '"':
				quoted = !quoted
			case c == '\\' && quoted:
				i++
			case c == ',' && !quoted:
				out = append(out, strings.TrimSpace(value[start:i]))
				start = i + 1
			}
		}
		out = append(out, strings.TrimSpace(value[start:]))
	}
	return out
}
