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

// bounded is a writer that knows deadlines.
type bounded struct {
	http.ResponseWriter
	deadlines []time.Time
}

func (b *bounded) SetReadDeadline(t time.Time) error {
	b.deadlines = append(b.deadlines, t)
	return nil
}

// bounder is the writer of a handler that bounds reads.
type bounder struct{ *bounded }

func (bounder) BoundsReads() {}

// wrapper is the writer of a middleware.
type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestBoundReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		w := &bounded{ResponseWriter: httptest.NewRecorder()}
		deadline.BoundReading(w, r, time.Second)()
		if len(w.deadlines) != 2 || !w.deadlines[0].Equal(time.Now().Add(time.Second)) || !w.deadlines[1].IsZero() {
			t.Errorf("deadlines %v", w.deadlines)
		}
		for name, wait := range map[string]time.Duration{"none": 0, "negative": -1} {
			w := &bounded{ResponseWriter: httptest.NewRecorder()}
			deadline.BoundReading(w, r, wait)()
			if w.deadlines != nil {
				t.Errorf("%s: deadlines %v", name, w.deadlines)
			}
		}
		deadline.BoundReading(httptest.NewRecorder(), r, time.Second)() // knows none
		w = &bounded{ResponseWriter: httptest.NewRecorder()}
		deadline.BoundReading(wrapper{&deadline.Writer{ResponseWriter: bounder{w}}}, r, time.Second)()
		if w.deadlines != nil {
			t.Errorf("the bound of another handler was replaced: %v", w.deadlines)
		}
		ofServer := r.WithContext(context.WithValue(t.Context(), http.ServerContextKey, &http.Server{ReadTimeout: time.Minute}))
		w = &bounded{ResponseWriter: httptest.NewRecorder()}
		deadline.BoundReading(w, ofServer, time.Second)()
		if w.deadlines != nil {
			t.Errorf("the server's own bound was replaced: %v", w.deadlines)
		}
	})
}
