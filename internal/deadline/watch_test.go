package deadline_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errmap/errmap/internal/deadline"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		watch := deadline.NewReadWatch(time.Second)
		begin := func() (*bounded, *deadline.Span) {
			w, g := &bounded{ResponseWriter: httptest.NewRecorder()}, new(deadline.Span)
			watch.Begin(g, w, r)
			return w, g
		}
		start := time.Now()
		read, readG := begin()
		kept, keptG := begin()
		late, lateG := begin()
		watch.End(readG)
		watch.Keep(keptG)
		time.Sleep(600 * time.Millisecond)
		second, secondG := begin()
		third, thirdG := begin()
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		if read.deadlines != nil {
			t.Errorf("a body that was read: deadlines %v", read.deadlines)
		}
		if len(kept.deadlines) != 1 || !kept.deadlines[0].Equal(start.Add(time.Second)) {
			t.Errorf("a body that was left: deadlines %v", kept.deadlines)
		}
		if len(late.deadlines) != 1 || late.deadlines[0].After(start) || late.deadlines[0].IsZero() {
			t.Errorf("a body that is late: deadlines %v", late.deadlines)
		}
		if second.deadlines != nil || third.deadlines != nil {
			t.Errorf("bodies with time left: deadlines %v, %v", second.deadlines, third.deadlines)
		}
		watch.Keep(lateG)
		if len(late.deadlines) != 1 {
			t.Errorf("a late body that is left: deadlines %v", late.deadlines)
		}
		watch.End(secondG)
		time.Sleep(time.Second)
		synctest.Wait()
		if second.deadlines != nil || len(third.deadlines) != 1 {
			t.Errorf("the second time: deadlines %v, %v", second.deadlines, third.deadlines)
		}
		watch.End(thirdG)
		if len(third.deadlines) != 2 || !third.deadlines[1].IsZero() {
			t.Errorf("a body that came after all: deadlines %v", third.deadlines)
		}
		// The timer, which stood still, runs again.
		again, againG := begin()
		time.Sleep(time.Second)
		synctest.Wait()
		watch.Keep(againG)
		watch.Keep(againG)
		watch.End(againG)
		if len(again.deadlines) != 1 {
			t.Errorf("after a pause: deadlines %v", again.deadlines)
		}
	})
}

func TestWatch_nothing(t *testing.T) {
	t.Parallel()
	if deadline.NewReadWatch(0) != nil || deadline.NewReadWatch(-1) != nil {
		t.Error("a watch without a bound")
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	ofServer := r.WithContext(context.WithValue(t.Context(), http.ServerContextKey, &http.Server{ReadTimeout: time.Minute}))
	var g deadline.Span
	for name, watch := range map[string]*deadline.Watch{"none": nil, "of the server": deadline.NewReadWatch(time.Nanosecond)} {
		w := &bounded{ResponseWriter: httptest.NewRecorder()}
		watch.Begin(&g, w, ofServer)
		watch.Keep(&g)
		watch.End(&g)
		if w.deadlines != nil {
			t.Errorf("%s: deadlines %v", name, w.deadlines)
		}
	}
	deadline.NewReadWatch(time.Second).Begin(&g, httptest.NewRecorder(), r) // knows none
}

// panicking is the writer of a middleware whose deadlines panic.
type panicking struct{ http.ResponseWriter }

func (panicking) SetReadDeadline(time.Time) error { panic("no deadlines") }

// Nobody contains a panic of the timer's goroutine.
func TestWatch_panic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		watch := deadline.NewReadWatch(time.Second)
		watch.Begin(new(deadline.Span), panicking{httptest.NewRecorder()}, r)
		w, g := &bounded{ResponseWriter: httptest.NewRecorder()}, new(deadline.Span)
		watch.Begin(g, w, r)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(w.deadlines) != 1 {
			t.Errorf("the next body: deadlines %v", w.deadlines)
		}
	})
}

// Whatever the order in which bodies end, those that are left end in time.
func TestWatch_anyOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		watch := deadline.NewReadWatch(time.Second)
		const bodies = 4
		// Each number says, by its digits, which body ends when, and which do not.
		for order := range bodies * bodies * bodies {
			var w [bodies]*bounded
			var g [bodies]deadline.Span
			var ended [bodies]bool
			for i := range w {
				w[i] = &bounded{ResponseWriter: httptest.NewRecorder()}
				watch.Begin(&g[i], w[i], r)
			}
			for rest := order; rest > 0; rest /= bodies {
				watch.End(&g[rest%bodies])
				ended[rest%bodies] = true
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			for i := range w {
				if (w[i].deadlines == nil) != ended[i] {
					t.Fatalf("order %o: body %d ended %t, deadlines %v", order, i, ended[i], w[i].deadlines)
				}
				watch.End(&g[i])
			}
		}
	})
}
