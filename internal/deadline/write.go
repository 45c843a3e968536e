package deadline

import (
	"net/http"
	"time"
)

// writePiece is how much the peer must accept in the time of a Watch. A reader that
// takes half a KiB a second keeps up with thirty seconds.
const writePiece = 16 << 10

// Write writes p in pieces, each of which the peer has the time of the Watch to
// accept: a slow reader lives, and one that reads nothing ends. The error is that of
// the writer.
func (o *Watch) Write(g *Span, w http.ResponseWriter, p []byte) (n int, err error) {
	for {
		piece := p[n:min(n+writePiece, len(p))]
		o.Begin(g, w, nil)
		written, err := w.Write(piece)
		o.End(g)
		n += written
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// Flush sends what is buffered, within the time of the Watch. The error is that of
// the writer, [http.ErrNotSupported] where it cannot flush.
func (o *Watch) Flush(g *Span, w http.ResponseWriter) error {
	o.Begin(g, w, nil)
	defer o.End(g)
	return http.NewResponseController(w).Flush()
}

// Finish leaves the bound to what net/http writes after the handler returned. A
// connection of HTTP/1 is free of it with the next request.
func (o *Watch) Finish(w http.ResponseWriter) {
	if o != nil && canBound(w) {
		_ = o.set(w, time.Now().Add(o.wait))
	}
}

// A Writer is a writer of a Watch: what it writes and flushes has the time of it. It is
// not safe for concurrent use.
type Writer struct {
	http.ResponseWriter
	Watch *Watch
	span  Span
}

// Write implements [http.ResponseWriter].
func (b *Writer) Write(p []byte) (int, error) { return b.Watch.Write(&b.span, b.ResponseWriter, p) }

// FlushError is what an [http.ResponseController] flushes with.
func (b *Writer) FlushError() error { return b.Watch.Flush(&b.span, b.ResponseWriter) }

// Unwrap lets an [http.ResponseController] reach the connection.
func (b *Writer) Unwrap() http.ResponseWriter { return b.ResponseWriter }
