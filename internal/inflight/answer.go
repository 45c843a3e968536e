package inflight

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// ErrNoRoom is what a body ends with for which the budget has nothing left.
var ErrNoRoom = errors.New("inflight: too many bytes are held at the same time")

// Slots count what runs at the same time. The zero Slots are free. They are safe for
// concurrent use.
type Slots struct{ used atomic.Int64 }

// Acquire takes a slot of that many, and reports false where there is none.
func (s *Slots) Acquire(limit int) bool {
	for {
		used := s.used.Load()
		if used >= int64(limit) {
			return false
		}
		if s.used.CompareAndSwap(used, used+1) {
			return true
		}
	}
}

// Release gives a slot back.
func (s *Slots) Release() { s.used.Add(-1) }

// Counted is what an answer of that many bytes counts.
func Counted(size int) int64 {
	if size <= Free {
		return 0
	}
	return int64(size)
}

// An Estimate is what the next answer of a method is likely to count, by those before it.
// It is safe for concurrent use; of racing answers it may miss one.
type Estimate struct{ size atomic.Int64 }

// Next returns what the next answer is likely to count.
func (e *Estimate) Next() int64 { return e.size.Load() }

// Saw notes what an answer counted. Larger ones count at once, smaller ones by and by.
func (e *Estimate) Saw(held int64) {
	switch next := e.size.Load(); {
	case held > next:
		e.size.Store(held)
	case held < next:
		e.size.Store(Counted(int(next - (next-held+7)/8)))
	}
}

// unpackStep is how much of a body is counted at once.
const unpackStep = 64 << 10

// Unpacked reads a body that came compressed, and counts it: few bytes on the connection
// may be many. Whoever reads it gives Held back when the request is over.
type Unpacked struct {
	Source  io.Reader
	Budget  *Budget
	Request *http.Request
	// Held is what is counted.
	Held int64

	read int64
}

// Read implements [io.Reader]. The error is [ErrNoRoom] where nothing is left.
func (u *Unpacked) Read(p []byte) (int, error) {
	n, err := u.Source.Read(p)
	u.read += int64(n)
	if more := u.read - u.Held; more > Free {
		more = (more + unpackStep - 1) / unpackStep * unpackStep
		if !u.Budget.Take(u.Request, more) {
			return n, ErrNoRoom
		}
		u.Held += more
	}
	return n, err
}
