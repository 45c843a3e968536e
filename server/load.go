package server

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inflight"
)

// What is said of calls that are refused for what others do.
const (
	textManyCalls   = "too many calls at the same time"
	textManyStreams = "too many streams at the same time"
	textBusy        = "too many answers wait for their callers"

	// busyDelay is when one would try again: answers that nobody takes are gone after
	// Times.Write, and others sooner.
	busyDelay = time.Second
)

// errBusy is what a body is read with that has no room.
var errBusy = errors.New("server: " + textBusy)

// busy is the error of a call for whose answer there is no room.
func (h *handler) busy() *errmap.Error {
	return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textBusy).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(busyDelay)})
}

// slots counts what runs at the same time.
type slots struct{ used atomic.Int64 }

func (s *slots) acquire(limit int) bool {
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

func (s *slots) release() { s.used.Add(-1) }

// counted is what an answer of that many bytes counts.
func counted(size int) int64 {
	if size <= inflight.Free {
		return 0
	}
	return int64(size)
}

// expected is what an answer of the method is likely to count, by those that it had.
func (m *method) expected() int64 { return m.size.Load() }

// answers notes what an answer of the method counts. Racing calls may lose one another's.
func (m *method) answers(held int64) {
	switch expected := m.size.Load(); {
	case held >= expected:
		if held > expected {
			m.size.Store(held)
		}
	default:
		m.size.Store(counted(int(expected - (expected-held+7)/8)))
	}
}

// unpacked counts what a body has more bytes than came over the connection may have.
type unpacked struct {
	io.Reader
	budget *inflight.Budget
	r      *http.Request
	x      *exchange
	read   int64
}

// unpackStep is how much of a body is counted at once.
const unpackStep = 64 << 10

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	u.read += int64(n)
	if more := u.read - u.x.unpacked; more > inflight.Free {
		more = (more + unpackStep - 1) / unpackStep * unpackStep
		if !u.budget.Take(u.r, more) {
			return n, errBusy
		}
		u.x.unpacked += more
	}
	return n, err
}
