package deadline_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errmap/errmap/internal/deadline"
)

// taking is a writer whose peer takes time for each piece, until its deadline.
type taking struct {
	http.ResponseWriter
	each      time.Duration
	pieces    []int
	deadlines []time.Time
	cut       chan struct{}
}

func (s *taking) Write(p []byte) (int, error) {
	select {
	case <-time.After(s.each):
	case <-s.cut:
		return 0, http.ErrHandlerTimeout
	}
	s.pieces = append(s.pieces, len(p))
	return len(p), nil
}

func (s *taking) FlushError() error {
	_, err := s.Write(nil)
	return err
}

func (s *taking) SetWriteDeadline(t time.Time) error {
	s.deadlines = append(s.deadlines, t)
	if t.Before(time.Now()) {
		close(s.cut)
	}
	return nil
}

func TestWatch_Write(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watch := deadline.NewWriteWatch(time.Second)
		slow := &taking{ResponseWriter: httptest.NewRecorder(), each: 900 * time.Millisecond, cut: make(chan struct{})}
		w := &deadline.Writer{ResponseWriter: slow, Watch: watch}
		if n, err := w.Write(make([]byte, 100<<10)); n != 100<<10 || err != nil || len(slow.pieces) != 7 || slow.deadlines != nil {
			t.Errorf("a slow reader: %d %v, pieces %v, deadlines %v", n, err, slow.pieces, slow.deadlines)
		}
		if err := http.NewResponseController(w).Flush(); err != nil || slow.deadlines != nil {
			t.Errorf("a slow flush: %v, deadlines %v", err, slow.deadlines)
		}
		stuck := &taking{ResponseWriter: httptest.NewRecorder(), each: time.Hour, cut: make(chan struct{})}
		start := time.Now()
		n, err := (&deadline.Writer{ResponseWriter: stuck, Watch: watch}).Write(make([]byte, 100<<10))
		if n != 0 || err == nil || time.Since(start) != time.Second || len(stuck.deadlines) != 1 {
			t.Errorf("one that reads nothing: %d %v after %v, deadlines %v", n, err, time.Since(start), stuck.deadlines)
		}
		watch.Finish(slow)
		if len(slow.deadlines) != 1 || !slow.deadlines[0].Equal(time.Now().Add(time.Second)) {
			t.Errorf("what is written after the handler: deadlines %v", slow.deadlines)
		}
		var none *deadline.Watch
		none.Finish(slow)
		if n, err := none.Write(new(deadline.Span), slow, []byte("x")); n != 1 || err != nil || len(slow.deadlines) != 1 {
			t.Errorf("without a bound: %d %v, deadlines %v", n, err, slow.deadlines)
		}
	})
}
