// Package inflight counts the bytes that a server holds for its callers, such as answers
// that were made and not yet taken.
package inflight

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Free is how many bytes of one answer are not worth counting: net/http keeps more for
// each request.
const Free = 4 << 10

// shares is how many connections must hold all they may before nothing is left.
const shares = 4

// A Budget is how many bytes may be held for all connections at the same time, and for
// one of them a quarter of that. It is safe for concurrent use.
type Budget struct {
	total int64

	mu   sync.Mutex
	used int64
	by   map[any]int64
}

// New returns a Budget of that many bytes.
func New(total int64) *Budget { return &Budget{total: total, by: make(map[any]int64)} }

// Share is what one connection may hold.
func (b *Budget) Share() int64 { return b.total / shares }

// Take counts n bytes for the connection of a request, and reports false where they are
// more than is left; nothing is counted then. They count in the budget of the server too,
// by Within.
func (b *Budget) Take(r *http.Request, n int64) bool {
	if n <= 0 {
		return true
	}
	key := connection(r)
	outer := b.outer(r)
	if outer != nil && !outer.take(key, n) {
		return false
	}
	if b.take(key, n) {
		return true
	}
	if outer != nil {
		outer.give(key, n)
	}
	return false
}

func (b *Budget) take(key any, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.total-b.used || n > b.Share()-b.by[key] {
		return false
	}
	b.used += n
	b.by[key] += n
	return true
}

// Room reports whether n bytes are left, and anything for the connection of a request. It
// is for who does not know yet how many bytes there will be, and counts nothing.
func (b *Budget) Room(r *http.Request, n int64) bool {
	if n <= 0 {
		return true
	}
	key := connection(r)
	outer := b.outer(r)
	return b.room(key, n) && (outer == nil || outer.room(key, n))
}

func (b *Budget) room(key any, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(n, b.Share()) <= b.total-b.used && b.by[key] < b.Share()
}

// Give takes back what was taken for the same request.
func (b *Budget) Give(r *http.Request, n int64) {
	if n <= 0 {
		return
	}
	key := connection(r)
	b.give(key, n)
	if outer := b.outer(r); outer != nil {
		outer.give(key, n)
	}
}

func (b *Budget) give(key any, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[key] -= n; b.by[key] <= 0 {
		delete(b.by, key)
	}
}

// A Counter is a writer of a server that counts the bytes of answers, unless the handler
// says that it does so by itself.
type Counter interface{ CountsBytes() }

// Counts tells the Counter that w is, or wraps, that its handler counts by itself.
func Counts(w http.ResponseWriter) {
	for {
		switch wrapper := w.(type) {
		case Counter:
			wrapper.CountsBytes()
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = wrapper.Unwrap()
		default:
			return
		}
	}
}

type withinKey struct{}

// Within returns a context for requests that have all they take count in b too; nil
// leaves it as it is.
func Within(ctx context.Context, b *Budget) context.Context {
	if b == nil {
		return ctx
	}
	return context.WithValue(ctx, withinKey{}, b)
}

// outer is the budget that a request is within, nil for none and for b itself.
func (b *Budget) outer(r *http.Request) *Budget {
	if outer, ok := r.Context().Value(withinKey{}).(*Budget); ok && outer != b {
		return outer
	}
	return nil
}

// shared is a connection that has several requests at the same time.
type shared struct {
	local  any // a pointer, which each connection has one of
	remote string
}

// connection returns what tells the connection of a request from others.
func connection(r *http.Request) any {
	if r.ProtoMajor < 2 {
		return r // it has no other request meanwhile
	}
	key := shared{remote: r.RemoteAddr}
	switch local := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		key.local = local
	case *net.UnixAddr:
		key.local = local
	}
	return key
}
