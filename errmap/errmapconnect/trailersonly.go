package errmapconnect

import (
	"net/http"
	"strings"
)

// TrailersOnly returns a handler for gRPC whose calls that fail before an answer
// has begun can be repeated by their clients: status and headers come at once, as
// what gRPC calls trailers-only. Connect sends headers first and the status as
// trailers, which a client takes for an answer that had begun, so that its
// retryPolicy ends after one UNAVAILABLE. Put it around the mux of a server:
//
//	connecthttp.Mount(mux, rpc)
//	return httpserver.Run(ctx, listener, errmapconnect.TrailersOnly(mux))
//
// It serves both major versions of Connect. Other protocols, and answers that have
// begun, go through as they are. It is safe for concurrent use.
func TrailersOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("Content-Type")
		if r.ProtoMajor < 2 || kind != "application/grpc" && !strings.HasPrefix(kind, "application/grpc+") {
			next.ServeHTTP(w, r)
			return
		}
		tracked := &trailersOnly{ResponseWriter: w}
		next.ServeHTTP(tracked, r)
		if tracked.begun {
			return
		}
		header := w.Header()
		for name, values := range header {
			if trailer, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
				delete(header, name)
				header[http.CanonicalHeaderKey(trailer)] = values
			}
		}
	})
}

// trailersOnly knows whether a response has begun.
type trailersOnly struct {
	http.ResponseWriter
	begun bool
}

func (w *trailersOnly) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

func (w *trailersOnly) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// FlushError sends the header, for http.ResponseController, but where the status is
// known already: Connect flushes at the end of each call.
func (w *trailersOnly) FlushError() error {
	if _, ended := w.Header()[http.TrailerPrefix+"Grpc-Status"]; ended && !w.begun {
		return nil
	}
	w.begun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush sends the header.
func (w *trailersOnly) Flush() { _ = w.FlushError() }

// Unwrap is for http.ResponseController.
func (w *trailersOnly) Unwrap() http.ResponseWriter { return w.ResponseWriter }
