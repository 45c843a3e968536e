package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/errmap/errmap/internal/loglimit"
)

// ErrGaveUp is the error of a [Run] that ended before all that ran was finished.
var ErrGaveUp = errors.New("httpserver: calls that ran were given up")

// New returns a server for handler, for those who start and stop it by themselves. It
// has the times and protocols of this package, but Times.Drain, WithTLS, WithDrain and
// WithGiveUp are for [Run]. Its Handler is not to be replaced, and neither is its
// BaseContext where mounts are to share WithMaxHeldBytes. The error names origins
// and hosts that are none.
func New(handler http.Handler, opts ...Option) (*http.Server, error) {
	s, _, err := newServer(handler, newOptions(opts))
	return s, err
}

// Protect returns handler behind WithOrigins and WithHosts alone, for who has a server of
// another make. The error is that of [New].
func Protect(handler http.Handler, opts ...Option) (http.Handler, error) {
	b, err := newBounds(handler, newOptions(opts))
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.protect(checked{w}, r)
	}), nil
}

// Run serves handler on listener until ctx ends, drains, and returns nil once all that
// ran is finished, an error that is [ErrGaveUp] where some of it had to be given up
// after Times.Drain, or that of the listener. It closes the listener. handler is called
// by many goroutines at the same time.
func Run(ctx context.Context, listener net.Listener, handler http.Handler, opts ...Option) error {
	o := newOptions(opts)
	s, b, err := newServer(handler, o)
	if err != nil {
		_ = listener.Close()
		return err
	}
	calls, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	counted := b.held.context(calls)
	s.BaseContext = func(net.Listener) context.Context { return counted }
	fresh := newConns{conns: make(map[net.Conn]struct{})}
	s.ConnState = fresh.note
	ended := make(chan error, 1)
	go func() {
		if o.tls != nil {
			s.TLSConfig = o.tls.Clone()
			ended <- s.ServeTLS(listener, "", "")
			return
		}
		ended <- s.Serve(listener)
	}()
	select {
	case err := <-ended:
		_ = s.Close()
		return fmt.Errorf("httpserver: %w", err)
	case <-ctx.Done():
	}
	for _, f := range o.drain {
		f()
	}
	// net/http takes a connection that has not sent a thing yet for one that runs.
	unheard := time.AfterFunc(min(o.times.Drain/2, answerTime), fresh.close)
	err = shutdown(s, o.times.Drain)
	unheard.Stop()
	if errors.Is(err, context.DeadlineExceeded) {
		for _, f := range o.giveUp {
			f()
		}
		b.giveUp()
		end()
		if shutdown(s, answerTime) != nil {
			_ = s.Close()
		}
		err = fmt.Errorf("%w after %v", ErrGaveUp, o.times.Drain)
	}
	if served := <-ended; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = fmt.Errorf("httpserver: %w", served)
	}
	return err
}

// newConns are the connections that have not had a request.
type newConns struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

func (n *newConns) note(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state == http.StateNew {
		n.conns[c] = struct{}{}
		return
	}
	delete(n.conns, c)
}

func (n *newConns) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		_ = c.Close()
	}
}

// shutdown gives what runs that long to finish.
func shutdown(s *http.Server, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return s.Shutdown(ctx)
}

func newServer(handler http.Handler, o *options) (*http.Server, *bounds, error) {
	b, err := newBounds(handler, o)
	if err != nil {
		return nil, nil, err
	}
	s := &http.Server{
		Handler:           b,
		BaseContext:       func(net.Listener) context.Context { return b.held.context(context.Background()) },
		ReadHeaderTimeout: o.times.Header,
		IdleTimeout:       o.times.Idle,
		MaxHeaderBytes:    o.headerBytes,
		Protocols:         new(http.Protocols),
		// A connection of HTTP/2 that takes nothing, or is gone without a word.
		HTTP2:    &http.HTTP2Config{WriteByteTimeout: o.times.Write, SendPingTimeout: o.times.Write, PingTimeout: o.times.Write},
		ErrorLog: slog.NewLogLogger(loglimit.New().Handler(o.log.Handler()), slog.LevelWarn),
	}
	if o.times.Header == 0 {
		s.ReadHeaderTimeout = -1 // or net/http takes ReadTimeout
	}
	if o.times.Idle == 0 {
		s.IdleTimeout = -1
	}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true) // gRPC without TLS
	return s, b, nil
}
