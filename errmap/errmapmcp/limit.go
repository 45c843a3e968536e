package errmapmcp

import (
	"context"
	"sync"

	"golang.org/x/time/rate"
)

type nestedKey struct{}

// gate lets requests through as far as the limits of the client allow.
type gate struct {
	limiter *rate.Limiter
	places  chan struct{} // nil for no limit
	queue   int

	mu      sync.Mutex
	waiting int
}

func newGate(c *config) *gate {
	g := &gate{limiter: c.limiter, queue: max(c.queue, 0)}
	if c.inFlight > 0 {
		g.places = make(chan struct{}, c.inFlight)
	}
	return g
}

// enter waits for a place. The context that it returns is that of the request,
// and leave gives the place back.
func (g *gate) enter(ctx context.Context, l *link) (_ context.Context, leave func(), _ error) {
	if err := g.pace(); err != nil {
		return nil, nil, err
	}
	if g.places == nil || ctx.Value(nestedKey{}) == g {
		return ctx, func() {}, nil
	}
	if err := g.place(ctx, l); err != nil {
		return nil, nil, err
	}
	return context.WithValue(ctx, nestedKey{}, g), func() { <-g.places }, nil
}

func (g *gate) pace() error {
	if g.limiter == nil {
		return nil
	}
	reservation := g.limiter.Reserve()
	if !reservation.OK() {
		return newError(KindRateLimited, ReasonRate)
	}
	if delay := reservation.Delay(); delay > 0 {
		reservation.Cancel()
		return newError(KindRateLimited, ReasonRate, WithRetryDelay(delay))
	}
	return nil
}

func (g *gate) place(ctx context.Context, l *link) error {
	select {
	case g.places <- struct{}{}:
		return nil
	default:
	}
	if !g.wait() {
		if g.queue == 0 {
			return overloaded(tokenInFlight, cap(g.places))
		}
		return overloaded(tokenQueue, g.queue)
	}
	defer g.waited()
	select {
	case g.places <- struct{}{}:
		return nil
	case <-l.closing:
		return closedError()
	case <-ctx.Done():
		return contextError(ctx, nil)
	}
}

// wait takes a place in the queue, and tells whether there was one.
func (g *gate) wait() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == g.queue {
		return false
	}
	g.waiting++
	return true
}

func (g *gate) waited() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
}

// bound counts the stdio servers of a client.
type bound struct {
	limit int // 0 for none

	mu      sync.Mutex
	running int
}

func (b *bound) acquire() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 && b.running >= b.limit {
		return overloaded(tokenStdio, b.limit)
	}
	b.running++
	return nil
}

func (b *bound) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running--
}

func overloaded(token string, limit int) *Error {
	return newError(KindOverloaded, NewReason(token, int64(limit)), WithData(DataCap, limit))
}
