package errmaphttp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// Transport is an http.RoundTripper for the clients of an API: responses whose
// status is from 400 up come back as errors. Redirects and all other responses
// pass. That is more than net/http asks of a RoundTripper, so it is not for
// programs that look at the status themselves.
//
// Each error is an *errmap.Error, which http.Client wraps in a *url.Error. One
// that ReadError makes of a response is Remote or Local as it tells. One of a
// request that got no response is Local: CANCELLED or DEADLINE_EXCEEDED where its
// context ended, else UNAVAILABLE; its cause is the error of the base.
//
// Where the request of an HTTP/2 stream is still open when its context ends, the
// stream is reset, and never looks finished to the server. net/http alone waits
// for the rest of the request, and for ever in a read of the response.
//
// A Transport is safe for concurrent use.
type Transport struct {
	base     http.RoundTripper
	protocol Protocol
	options  *readOptions
}

// NewTransport returns a Transport over a base; nil means http.DefaultTransport.
func NewTransport(base http.RoundTripper, p Protocol, opts ...ReadOption) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{base, p, newReadOptions(opts)}
}

// RoundTrip sends a request and returns its response, or the error that it says.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	open := r.Body != nil && r.Body != http.NoBody && r.ContentLength <= 0 // 0 and -1 are unknown
	if open {
		r = r.WithContext(r.Context()) // a copy, as a RoundTripper must not change what it is given
		r.Body = &openBody{r.Body, r.Context()}
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, failed(r.Context(), err)
	}
	if resp.StatusCode < 400 {
		if open && resp.ProtoMajor >= 2 {
			watch(r, resp)
		}
		return resp, nil
	}
	return nil, t.options.read(resp, t.protocol)
}

// CloseIdleConnections closes those of the base.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// watch resets the stream of a response when the context of its request ends
// while the request is open. Closing the body of the request does that; closing
// that of the response would let a reader go on, who may end the request first.
func watch(r *http.Request, resp *http.Response) {
	resp.Body = &watchedBody{resp.Body, context.AfterFunc(r.Context(), func() { _ = r.Body.Close() })}
}

// openBody is the body of a request of which it is not known how long it is. When
// the context has ended, it does not end as if it were whole: a client may close
// the request of a call that it gives up.
type openBody struct {
	io.ReadCloser
	ctx context.Context // of the request
}

func (b *openBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}

type watchedBody struct {
	io.ReadCloser
	stop func() bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.stop()
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}

// failed returns the error of a request that got no response.
func failed(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*errmap.Error](err); ok {
		return err
	}
	e := errmap.NewCode(code.Code_UNAVAILABLE, "no response")
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		e = errmap.NewCode(code.Code_DEADLINE_EXCEEDED, "deadline exceeded")
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		e = errmap.NewCode(code.Code_CANCELLED, "canceled")
	}
	return e.WithCause(err).WithLocal()
}
