package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errmap/errmap/internal/deadline"
	"github.com/errmap/errmap/internal/origin"
)

// bytesPerSecond is the rate below which the time of a body is not lengthened.
const bytesPerSecond = 512

// textStopping is what those are told who ask a server that is shutting down.
const textStopping = "the server is shutting down"

// bounds gives the reads and writes of a handler their deadlines.
type bounds struct {
	next   http.Handler
	rule   *origin.Rule
	times  Times
	writes *deadline.Watch
	held   *held
	values int         // of a message at most, 0 for no bound
	over   atomic.Bool // what runs was given up

	mu      sync.Mutex
	reading map[*exchange]struct{} // whose bodies are not at their end
}

func newBounds(next http.Handler, o *options) (*bounds, error) {
	rule, err := origin.New(o.origins, o.hosts)
	if err != nil {
		return nil, fmt.Errorf("httpserver: %w", err)
	}
	if len(o.origins) > 0 {
		next = newPages(next, o)
	}
	return &bounds{
		next: next, rule: rule, times: o.times,
		writes: deadline.NewWriteWatch(o.times.Write), held: newHeld(o.heldBytes), values: max(o.messageValues, 0), reading: make(map[*exchange]struct{}),
	}, nil
}

// ServeHTTP implements [http.Handler].
func (b *bounds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, b: b, request: r}
	if r.Body != nil && r.Body != http.NoBody {
		x.body, x.first = r.Body, r.ProtoMajor == 1
		x.stream = !x.first && isStream(r.Header.Get("Content-Type"))
		// net/http looks at the body that it made when it decides whether the connection
		// can have another request, so its own request stays as it is.
		copied := r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		copied.Body = x
		defer func(r *http.Request) { r.MultipartForm = copied.MultipartForm }(r) // whose files it removes
		r = copied
		x.begin()
		defer x.end()
	}
	defer b.writes.Finish(w)
	if b.over.Load() {
		x.refuse()
		return
	}
	if !b.held.room(r) {
		b.held.busy(x, r)
		return
	}
	defer x.over()
	b.protect(x, r)
	if x.largest == 0 && !x.counts {
		b.held.saw(r.URL.Path, 0)
	}
}

// protect serves a request, unless it is refused for where it came from.
func (b *bounds) protect(w http.ResponseWriter, r *http.Request) {
	if err := b.rule.Check(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	b.next.ServeHTTP(w, r)
}

// checked is the writer of a request that may be served, where nothing else is of this
// package.
type checked struct{ http.ResponseWriter }

// OriginChecked implements [origin.Checked].
func (checked) OriginChecked() {}

// Flush implements [http.Flusher].
func (c checked) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }

// Unwrap lets an [http.ResponseController] reach the connection.
func (c checked) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// giveUp ends the wait for bodies, of those that are read and of those to come.
func (b *bounds) giveUp() {
	b.over.Store(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	for x := range b.reading {
		x.cut()
	}
}

// isStream reports whether a body is of a protocol that may send several messages, with
// as much time between them as it likes.
func isStream(contentType string) bool {
	return strings.HasPrefix(contentType, "application/grpc") || strings.HasPrefix(contentType, "application/connect+")
}

// exchangeKey is what a context has the exchange of its request by.
type exchangeKey struct{}

// exchange is one request with its answer: the body, and the writer, that the handler
// gets.
type exchange struct {
	http.ResponseWriter
	b    *bounds
	span deadline.Span // of the write that is under way

	request        *http.Request // as net/http made it
	counts         bool          // the handler counts what it holds
	left           int64         // of the message that is written
	taken, largest int64         // bytes that are counted, and were at most
	dropped        http.Header   // of the handler whose answer is not sent

	body   io.ReadCloser
	stream bool
	first  bool // HTTP/1, where net/http reads on before it answers

	mu      sync.Mutex // a handler may read and write at the same time
	start   time.Time  // of reading
	until   time.Time  // the deadline that is set
	read    int64      // bytes
	atEnd   bool       // of the body, or the handler returned
	broken  bool       // by giving up
	begun   bool       // the header of the answer is out
	refused bool       // the handler's answer is not sent
	weighed int64      // bytes that are counted for the message that was read
}

// begin registers a body that is to be read.
func (x *exchange) begin() {
	x.b.mu.Lock()
	defer x.b.mu.Unlock()
	x.b.reading[x] = struct{}{}
}

// end leaves the body to net/http.
func (x *exchange) end() {
	x.b.mu.Lock()
	delete(x.b.reading, x)
	x.b.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.leave()
	x.atEnd = true // for goroutines that the handler left behind
}

// leave bounds what net/http reads of a body that the handler has not read, before it
// sends the answer. Some of the time to write must be left then.
func (x *exchange) leave() {
	if !x.first || x.atEnd {
		return
	}
	wait := x.b.times.Read
	if x.b.times.Write > 0 {
		wait = min(wait, x.b.times.Write/2)
	}
	if until := time.Now().Add(wait); wait > 0 && (x.until.IsZero() || until.Before(x.until)) {
		_ = x.setRead(until)
	}
}

// Read implements [io.Reader] for the body.
func (x *exchange) Read(p []byte) (int, error) {
	x.extend(0)
	n, err := x.body.Read(p)
	if err == nil {
		x.extend(n)
		return n, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read += int64(n)
	if errors.Is(err, io.EOF) && !x.atEnd {
		x.atEnd = true
		if !x.until.IsZero() {
			// net/http watches for a client that leaves by reading.
			_ = x.setRead(time.Time{})
		}
	}
	return n, err
}

// Close implements [io.Closer] for the body.
func (x *exchange) Close() error { return x.body.Close() }

// extend moves the deadline of the body with the bytes that came, and with those that
// went out where it is a stream.
func (x *exchange) extend(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.body == nil || x.atEnd || x.broken {
		return
	}
	now := time.Now()
	x.read += int64(n)
	want, wait := time.Time{}, x.b.times.Stream
	if x.stream {
		want = now.Add(wait)
	} else {
		if x.start.IsZero() {
			x.start = now
		}
		wait = x.b.times.Read
		want = x.start.Add(wait + time.Duration(x.read/bytesPerSecond)*time.Second)
	}
	// Not for every byte: a sixteenth of the time more or less is nothing.
	if wait > 0 && want.Sub(x.until) > wait/16 {
		_ = x.setRead(want)
	}
}

func (x *exchange) setRead(t time.Time) error {
	x.until = t
	return http.NewResponseController(x.ResponseWriter).SetReadDeadline(t)
}

// cut ends the read that is under way.
func (x *exchange) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.atEnd && !x.broken {
		x.broken = true
		_ = x.setRead(time.Unix(1, 0))
	}
}

// OriginChecked implements [origin.Checked].
func (x *exchange) OriginChecked() {}

// BoundsReads implements [deadline.ReadBounder].
func (x *exchange) BoundsReads() {}

// Unwrap lets an [http.ResponseController] reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader implements [http.ResponseWriter]. An answer to a request whose body was
// not waited for says why it was not.
func (x *exchange) WriteHeader(status int) {
	if status >= http.StatusOK && x.starts() {
		x.refuse()
		return
	}
	if !x.refused {
		x.ResponseWriter.WriteHeader(status)
	}
}

// starts notes that an answer begins, and reports whether it is to be another one.
func (x *exchange) starts() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := !x.begun
	x.begun = true
	if first {
		x.leave()
	}
	return first && x.broken
}

// Header implements [http.ResponseWriter].
func (x *exchange) Header() http.Header {
	if x.dropped != nil {
		return x.dropped
	}
	return x.ResponseWriter.Header()
}

// Write implements [io.Writer].
func (x *exchange) Write(p []byte) (int, error) {
	first := !x.begun
	if first && x.starts() {
		x.refuse()
	}
	if x.refused {
		return len(p), nil
	}
	if !x.take(p) {
		if first {
			x.leaveOut()
		}
		return 0, errLeftOut
	}
	defer x.give()
	n, err := x.b.writes.Write(&x.span, x.ResponseWriter, p)
	if x.stream {
		x.extend(0)
	}
	return n, err
}

// Flush implements [http.Flusher].
func (x *exchange) Flush() { _ = x.FlushError() }

// FlushError is what an [http.ResponseController] flushes with.
func (x *exchange) FlushError() error {
	if !x.begun && x.starts() {
		x.refuse()
	}
	return x.b.writes.Flush(&x.span, x.ResponseWriter)
}

// refuse answers with UNAVAILABLE, which HTTP says as 503.
func (x *exchange) refuse() {
	x.refused = true
	header := x.ResponseWriter.Header()
	clear(header)
	header.Set("Connection", "close")
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Retry-After", "1")
	x.ResponseWriter.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(x.ResponseWriter, textStopping+"\n")
}
