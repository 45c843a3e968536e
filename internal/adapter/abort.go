package adapter

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// Abortable returns a transport over a base, nil meaning that of net/http, which
// resets the stream of a call whose context ends while its request is open. net/http
// alone goes on reading the answer then, for ever if need be; and a client may close
// the request of a call that it gives up, which a server takes for the end of a
// whole one.
func Abortable(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return abortable{base}
}

type abortable struct{ base http.RoundTripper }

func (t abortable) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > 0 { // 0 and -1 are unknown
		return t.base.RoundTrip(r)
	}
	ctx := r.Context()
	r = r.WithContext(ctx) // a copy, as a RoundTripper must not change what it is given
	r.Body = &openBody{r.Body, ctx}
	response, err := t.base.RoundTrip(r)
	if err == nil && response.ProtoMajor >= 2 {
		// Closing the body of the request resets the stream; closing that of the answer
		// would let a reader go on, who may end the request first.
		response.Body = &abortableBody{response.Body, context.AfterFunc(ctx, func() { _ = r.Body.Close() })}
	}
	return response, err
}

// CloseIdleConnections closes those of the base.
func (t abortable) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// openBody is the body of a request that does not end as if it were whole once its
// context has ended.
type openBody struct {
	io.ReadCloser
	ctx context.Context
}

func (b *openBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}

// abortableBody is the body of an answer, at whose end there is nothing to abort.
type abortableBody struct {
	io.ReadCloser
	stop func() bool
}

func (b *abortableBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.stop()
	}
	return n, err
}

func (b *abortableBody) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}
