package deadline

import (
	"net/http"
	"sync"
	"time"
)

// A Watch bounds how long the bodies of requests take to arrive, as [BoundReading]
// does for one, and at less cost: nothing is set on a connection before the time
// is over. It is safe for concurrent use. A nil Watch bounds nothing.
type Watch struct {
	wait time.Duration

	mu          sync.Mutex
	first, last *Reading // in the order of their ends
	armed       bool     // whether a timer runs
}

// A Reading is the body of one request that is watched. The zero Reading is ready,
// and so is one that has ended.
type Reading struct {
	open bool // the request's own
	end  time.Time

	w              http.ResponseWriter
	previous, next *Reading
	watched, over  bool
}

// NewWatch returns a Watch with that bound, nil where it is not positive.
func NewWatch(wait time.Duration) *Watch {
	if wait <= 0 {
		return nil
	}
	return &Watch{wait: wait}
}

// Begin begins to watch the body of a request, which must come to its End or its
// Keep before the handler returns.
func (o *Watch) Begin(g *Reading, w http.ResponseWriter, r *http.Request) {
	if o == nil || !canBound(w) || hasReadTimeout(r) {
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

// End ends the watch over a body that was read: net/http watches for a client that
// leaves by reading, and is not to be bound.
func (o *Watch) End(g *Reading) {
	if g.open && o.leave(g) {
		_ = http.NewResponseController(g.w).SetReadDeadline(time.Time{})
	}
	g.w = nil
}

// Keep ends the watch over a body that is not read to its end, and leaves the
// bound to what reads the rest.
func (o *Watch) Keep(g *Reading) {
	if g.open && !o.leave(g) {
		_ = http.NewResponseController(g.w).SetReadDeadline(g.end)
	}
	g.w = nil
}

// leave takes a reading out, and tells whether its time was over.
func (o *Watch) leave(g *Reading) bool {
	g.open = false
	o.mu.Lock()
	defer o.mu.Unlock()
	if g.watched {
		o.remove(g)
	}
	return g.over
}

func (o *Watch) remove(g *Reading) {
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

// expire ends the reads whose time is over. It has the lock while it does, so that
// no handler returns meanwhile.
func (o *Watch) expire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	for o.first != nil && !o.first.end.After(now) {
		g := o.first
		o.remove(g)
		g.over = true
		g.expire()
	}
	if o.armed = o.first != nil; o.armed {
		time.AfterFunc(o.first.end.Sub(now), o.expire)
	}
}

// expire ends a read. A writer of a middleware may panic, which nobody but the
// handler's own goroutine would contain.
func (g *Reading) expire() {
	defer func() { _ = recover() }()
	_ = http.NewResponseController(g.w).SetReadDeadline(time.Unix(1, 0))
}
