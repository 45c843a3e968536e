package deadline

import (
	"net/http"
	"time"
)

// BoundReading gives the rest of a request that long to arrive; without a positive
// time it does nothing, and so where the [http.Server] has a ReadTimeout, or
// a [ReadBounder] bounds its requests. The function that it returns takes the bound away,
// which is to be done once the body is read: net/http watches for a client that
// leaves by reading.
func BoundReading(w http.ResponseWriter, r *http.Request, wait time.Duration) (unbound func()) {
	if wait <= 0 || !canBound(w) {
		return func() {}
	}
	if hasReadTimeout(r) || boundsReads(w) {
		return func() {}
	}
	controller := http.NewResponseController(w)
	if controller.SetReadDeadline(time.Now().Add(wait)) != nil {
		return func() {}
	}
	return func() { _ = controller.SetReadDeadline(time.Time{}) }
}

// A ReadBounder is a writer whose handler bounds the reads of the request itself.
type ReadBounder interface{ BoundsReads() }

// boundsReads reports whether w is, or wraps, a ReadBounder.
func boundsReads(w http.ResponseWriter) bool {
	for {
		switch wrapper := w.(type) {
		case ReadBounder:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = wrapper.Unwrap()
		default:
			return false
		}
	}
}

func hasReadTimeout(r *http.Request) bool {
	s, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	return ok && s.ReadTimeout > 0
}

// canBound spares the error of a writer that plainly has no deadlines.
func canBound(w http.ResponseWriter) bool {
	switch w.(type) {
	case interface{ SetReadDeadline(time.Time) error }, interface{ SetWriteDeadline(time.Time) error }, interface{ Unwrap() http.ResponseWriter }:
		return true
	}
	return false
}
