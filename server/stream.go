package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/jsonrpc"
	"github.com/errmap/errmap/internal/negotiate"
)

// eventStream writes the answers of one call as server-sent events. The mutex
// of the call guards it.
type eventStream struct {
	h      *handler
	w      http.ResponseWriter
	x      *exchange
	opened bool
	broken error
	last   time.Time
	buffer []byte
}

// serveStream answers a server-streaming call.
func (h *handler) serveStream(ctx context.Context, w http.ResponseWriter, r *http.Request, x *exchange, c *call) {
	refuse := func(err error, failure *errmap.Error) {
		h.told(ctx, c.method, err, failure)
		answer, number := h.appendFailure(nil, c.id, failure, h.limits.ResponseBytes)
		h.write(w, r, x, h.profile.HTTPStatus(number), answer, nil)
	}
	if !canFlush(w) {
		refuse(http.ErrNotSupported, h.guard.Outgoing(errmap.WithProcedure(ctx, c.method.spec.Procedure), http.ErrNotSupported))
		return
	}
	if !h.streams.Acquire(h.limits.Streams) {
		refuse(nil, errmap.NewCode(code.Code_UNAVAILABLE, textManyStreams))
		return
	}
	defer h.streams.Release()
	c.events = &eventStream{h: h, w: w, x: x, last: time.Now()}
	stop := c.keepAlive(ctx, h.times.KeepAlive)
	defer func() {
		if c.exited != nil {
			stop()
			// net/http ends the connection with the goroutine.
			c.finish(r, c.exited)
			_ = h.writes.Flush(&x.writing, w)
		}
	}()
	failure := c.run(ctx)
	stop()
	c.finish(r, failure)
}

// finish ends the stream of a call that is over.
func (c *call) finish(r *http.Request, failure *errmap.Error) {
	h, s := c.h, c.events
	defer h.writes.Finish(s.w)
	switch {
	case failure != nil && clientLeft(r, failure), s.broken != nil:
		return
	case failure != nil && !s.opened && negotiate.Quality(r.Header[headerAccept], typeJSON) >= negotiate.Quality(r.Header[headerAccept], typeEvents):
		answer, number := h.appendFailure(nil, c.id, failure, h.limits.ResponseBytes)
		addHeaders(s.w.Header(), c.info.ResponseHeader(), "")
		addHeaders(s.w.Header(), c.info.ResponseTrailer(), trailerPrefix)
		h.write(s.w, r, s.x, h.profile.HTTPStatus(number), answer, nil)
		return
	}
	if s.open(c) != nil {
		return
	}
	addHeaders(s.w.Header(), c.info.ResponseTrailer(), http.TrailerPrefix)
	if failure != nil {
		s.fail(c, failure)
	}
}

// open sends the headers of the stream, once.
func (s *eventStream) open(c *call) error {
	if s.opened || s.broken != nil {
		return s.broken
	}
	s.opened = true
	header := s.w.Header()
	addHeaders(header, c.info.ResponseHeader(), "")
	header[headerContentType] = []string{typeEvents}
	header.Set("Cache-Control", "no-cache")
	// A proxy that collects the answer would turn the stream into one message.
	header.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	return s.flush(nil)
}

// send sends a message as the result of an event.
func (s *eventStream) send(c *call, message any) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if s.broken != nil {
		return s.broken
	}
	// The answer is made before the headers go out, since a message that has no
	// JSON is an error, and one before the first event may be plain JSON.
	out, size, err := c.h.appendResult(append(s.buffer[:0], "data: "...), c, message)
	if err != nil {
		return err
	}
	held := inflight.Counted(len(out))
	if !s.h.held.Take(c.meta.request, held) {
		return busy()
	}
	defer s.h.held.Give(c.meta.request, held)
	if err := s.open(c); err != nil {
		return err
	}
	c.info.SendStats = connect.MessageStats{Size: size}
	s.buffer = append(out, "\n\n"...)
	err = s.flush(s.buffer)
	if len(s.buffer) > maxPooledBytes {
		s.buffer = nil
	}
	return err
}

// fail sends the event that ends a stream that failed.
func (s *eventStream) fail(c *call, failure *errmap.Error) {
	answer, _ := c.h.appendFailure(nil, c.id, failure, c.h.limits.ResponseBytes)
	_ = s.flush(jsonrpc.AppendEvent(s.buffer[:0], "", answer))
}

// flush writes bytes and sees them off. After an error nothing more is written.
func (s *eventStream) flush(event []byte) error {
	s.last = time.Now()
	if len(event) > 0 {
		if _, err := s.h.writes.Write(&s.x.writing, s.w, event); err != nil {
			s.broken = connect.NewError(connect.CodeCanceled, "the client left").WithCause(err)
			return s.broken
		}
	}
	if err := s.h.writes.Flush(&s.x.writing, s.w); err != nil {
		s.broken = connect.NewError(connect.CodeCanceled, "the client left").WithCause(err)
	}
	return s.broken
}

// keepAlive sends a comment whenever the stream was silent for interval, once it
// has begun. The function that it returns ends that, and returns when it has
// ended.
func (c *call) keepAlive(ctx context.Context, interval time.Duration) (stop func()) {
	if interval <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		timer := time.NewTimer(interval)
		defer timer.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-timer.C:
				timer.Reset(c.comment(ctx, interval))
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

// comment sends a comment if the stream was silent for interval, and returns
// when to look again.
func (c *call) comment(ctx context.Context, interval time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.events
	if silent := time.Since(s.last); silent < interval {
		return interval - silent
	}
	// A stream that has no headers yet stays without, because they are the
	// method's to set until it sends them.
	if s.opened && !c.over && s.broken == nil && ctx.Err() == nil {
		_ = s.flush(jsonrpc.AppendKeepAlive(s.buffer[:0]))
	}
	return interval
}

// canFlush reports whether w, or what it wraps, can send bytes before the end.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch wrapper := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = wrapper.Unwrap()
		default:
			return false
		}
	}
}
