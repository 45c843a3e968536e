package errmaphttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// tracked is a ResponseWriter that knows whether its response has begun.
type tracked interface {
	http.ResponseWriter
	begun() bool
}

// track returns a ResponseWriter that knows whether its response has begun, and
// has the abilities of w that handlers look for without http.ResponseController.
func track(w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(tracked); ok {
		return w
	}
	t := &tracker{ResponseWriter: w}
	_, flushes := w.(http.Flusher)
	_, hijacks := w.(http.Hijacker)
	switch {
	case flushes && hijacks:
		return &hijackTracker{flushTracker{t}}
	case flushes:
		return &flushTracker{t}
	}
	return t
}

// begun tells whether a response is known to have begun.
func begun(w http.ResponseWriter) bool {
	for {
		if t, ok := w.(tracked); ok {
			return t.begun()
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = u.Unwrap()
	}
}

type tracker struct {
	http.ResponseWriter
	started bool
}

func (t *tracker) begun() bool { return t.started }

// Unwrap is for http.ResponseController.
func (t *tracker) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// WriteHeader begins the response, unless the status is informational.
func (t *tracker) WriteHeader(status int) {
	t.started = t.started || status >= 200 || status == http.StatusSwitchingProtocols
	t.ResponseWriter.WriteHeader(status)
}

// Write begins the response.
func (t *tracker) Write(b []byte) (int, error) {
	t.started = true
	return t.ResponseWriter.Write(b)
}

// ReadFrom begins the response; it lets the server send files its own way.
func (t *tracker) ReadFrom(r io.Reader) (int64, error) {
	t.started = true
	return io.Copy(t.ResponseWriter, r)
}

type flushTracker struct{ *tracker }

// Flush begins the response.
func (t *flushTracker) Flush() {
	t.started = true
	_ = http.NewResponseController(t.ResponseWriter).Flush()
}

type hijackTracker struct{ flushTracker }

// Hijack takes the connection over; no response of ours can follow.
func (t *hijackTracker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.started = t.started || err == nil
	return conn, rw, err
}
