package inflight_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/inflight"
)

func TestSlots(t *testing.T) {
	t.Parallel()
	var s inflight.Slots
	for range 2 {
		if !s.Acquire(2) {
			t.Error("two slots")
		}
	}
	if s.Acquire(2) {
		t.Error("a third of two slots")
	}
	if s.Release(); !s.Acquire(2) {
		t.Error("one that was given back")
	}
}

// A large answer is expected at once, and no more once there were enough small ones.
func TestEstimate(t *testing.T) {
	t.Parallel()
	var e inflight.Estimate
	e.Saw(inflight.Counted(inflight.Free))
	if e.Next() != 0 {
		t.Errorf("what does not count: %d", e.Next())
	}
	e.Saw(inflight.Counted(1 << 20))
	if e.Next() != 1<<20 {
		t.Errorf("a large one: %d", e.Next())
	}
	n := 0
	for ; e.Next() > 0 && n < 1000; n++ {
		e.Saw(0)
	}
	if n < 10 || n > 100 {
		t.Errorf("forgotten after %d", n)
	}
}

func TestUnpacked(t *testing.T) {
	t.Parallel()
	r, b := request(1, "a", nil), inflight.New(1<<20)
	u := inflight.Unpacked{Source: strings.NewReader(strings.Repeat("x", 300<<10)), Budget: b, Request: r}
	n, err := io.Copy(io.Discard, &u)
	if !errors.Is(err, inflight.ErrNoRoom) || n > 300<<10-1 || u.Held != 256<<10 {
		t.Errorf("more than a share: %d bytes, %v, %d held", n, err, u.Held)
	}
	b.Give(r, u.Held)
	u = inflight.Unpacked{Source: strings.NewReader(strings.Repeat("x", inflight.Free)), Budget: b, Request: r}
	if n, err := io.Copy(io.Discard, &u); n != inflight.Free || err != nil || u.Held != 0 {
		t.Errorf("what does not count: %d bytes, %v, %d held", n, err, u.Held)
	}
	if !b.Room(r, 1<<30) || !b.Take(r, b.Share()) || b.Room(r, 1) {
		t.Error("room, up to a share")
	}
}
