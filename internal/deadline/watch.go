package deadline

import (
	"net/http"
	"sync"
	"time"
)

// A Watch bounds how long operations on the connections of requests take, such as
// to read a body, at little cost: nothing is set on a connection before the time is
// over. It is safe for concurrent use. A nil Watch bounds nothing.
type Watch struct {
	wait  time.Duration
	reads bool // or writes

	mu          sync.Mutex
	first, last *Span // in the order of their ends
	armed       bool  // whether a timer runs
}

// A Span is one operation that is watched. The zero Span is ready, and so is one
// that has ended.
type Span struct {
	open bool // the request's own
	end  time.Time

	w              http.ResponseWriter
	previous, next *Span
	watched, over  bool
}

// NewReadWatch returns a Watch over the bodies of requests, as [BoundReading] is for
// one; nil where wait is not positive.
func NewReadWatch(wait time.Duration) *Watch {
	if wait <= 0 {
		return nil
	}
	return &Watch{wait: wait, reads: true}
}

// NewWriteWatch returns a Watch over what is written, nil where wait is not positive.
func NewWriteWatch(wait time.Duration) *Watch {
	if wait <= 0 {
		return nil
	}
	return &Watch{wait: wait}
}

// Begin begins to watch an operation, which must come to its End or its Keep before
// the handler returns. A read is not watched where the [http.Server] has a
// ReadTimeout, or a [ReadBounder] bounds it.
func (o *Watch) Begin(g *Span, w http.ResponseWriter, r *http.Request) {
	if o == nil || !canBound(w) || o.reads && (hasReadTimeout(r) || boundsReads(w)) {
		return
	}
	g.open, g.end, g.w, g.over = true, time.Now().Add(o.wait), w, false
	o.mu.Lock()
	defer o.mu.Unlock()
	g.watched, g.previous, g.next = true, o.last, nil
	if o.last == nil {
		o.first = g
	} else {
		o.last.next = g
	}
	o.last = g
	if !o.armed {
		o.armed = true
		time.AfterFunc(o.wait, o.expire)
	}
}

// End ends the watch over an operation that is done. The bound of a read that was
// over is taken off the connection: net/http watches for a client that leaves by
// reading, and is not to be bound.
func (o *Watch) End(g *Span) {
	if g.open && o.leave(g) && o.reads {
		_ = o.set(g.w, time.Time{})
	}
	g.w = nil
}

// Keep ends the watch over a body that is not read to its end, and leaves the
// bound to what reads the rest.
func (o *Watch) Keep(g *Span) {
	if g.open && !o.leave(g) {
		_ = o.set(g.w, g.end)
	}
	g.w = nil
}

// leave takes a span out, and tells whether its time was over.
func (o *Watch) leave(g *Span) bool {
	g.open = false
	o.mu.Lock()
	defer o.mu.Unlock()
	if g.watched {
		o.remove(g)
	}
	return g.over
}

func (o *Watch) remove(g *Span) {
	if g.previous == nil {
		o.first = g.next
	} else {
		g.previous.next = g.next
	}
	if g.next == nil {
		o.last = g.previous
	} else {
		g.next.previous = g.previous
	}
	g.watched, g.previous, g.next = false, nil, nil
}

// expire ends the operations whose time is over. It has the lock while it does, so
// that no handler returns meanwhile.
func (o *Watch) expire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	for o.first != nil && !o.first.end.After(now) {
		g := o.first
		o.remove(g)
		g.over = true
		o.cut(g.w)
	}
	if o.armed = o.first != nil; o.armed {
		time.AfterFunc(o.first.end.Sub(now), o.expire)
	}
}

// cut ends an operation. A writer of a middleware may panic, which nobody but the
// handler's own goroutine would contain.
func (o *Watch) cut(w http.ResponseWriter) {
	defer func() { _ = recover() }()
	_ = o.set(w, time.Unix(1, 0))
}

// set sets the deadline that the operation has on its connection.
func (o *Watch) set(w http.ResponseWriter, t time.Time) error {
	if o.reads {
		return http.NewResponseController(w).SetReadDeadline(t)
	}
	return http.NewResponseController(w).SetWriteDeadline(t)
}
