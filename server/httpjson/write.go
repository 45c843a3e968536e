package httpjson

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
)

// fail answers a request with an error.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, e *errmap.Error) {
	opts := append([]errmap.EncodeOption{errmap.WithCatalog(h.catalog)}, h.encoding...)
	var status int
	var body []byte
	content := errmap.ContentTypeJSON
	switch {
	case quality(r, errmap.ContentTypeProblem) > max(quality(r, errmap.ContentTypeJSON), quality(r, errmap.ContentTypeA2A)):
		status, body = errmap.EncodeProblem(e, opts...)
		content = errmap.ContentTypeProblem
	case names(r, errmap.ContentTypeA2A):
		content = errmap.ContentTypeA2A
		fallthrough
	default:
		status, body = errmap.EncodeHTTP(e, opts...)
	}
	if after := e.RetryAfter(); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.Header().Set("Content-Type", content)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func accepts(r *http.Request, media string) bool { return quality(r, media) > 0 }

// names tells whether Accept names a media type itself.
func names(r *http.Request, media string) bool {
	for _, value := range r.Header.Values("Accept") {
		for element := range strings.SplitSeq(value, ",") {
			if name, _, _ := strings.Cut(element, ";"); strings.EqualFold(strings.TrimSpace(name), media) {
				return true
			}
		}
	}
	return false
}

// quality returns how much Accept wants a media type, 0 to 1: what its most
// specific range says, and 1 without the header (RFC 9110 section 12.5.1).
func quality(r *http.Request, media string) float64 {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if accept == "" {
		return 1
	}
	family, _, _ := strings.Cut(media, "/")
	best, q := -1, 0.0
	for element := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(element, ";")
		specific := -1
		switch strings.ToLower(strings.TrimSpace(name)) {
		case media:
			specific = 2
		case family + "/*":
			specific = 1
		case "*/*":
			specific = 0
		}
		if specific <= best {
			continue
		}
		best, q = specific, 1
		for parameter := range strings.SplitSeq(parameters, ";") {
			if value, ok := strings.CutPrefix(strings.TrimSpace(parameter), "q="); ok {
				if n, err := strconv.ParseFloat(value, 64); err == nil {
					q = n
				}
			}
		}
	}
	return q
}
