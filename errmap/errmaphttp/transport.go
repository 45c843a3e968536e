package errmaphttp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
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
// context ended, else UNAVAILABLE; its cause is the error of the base. So is one
// that a read of a body returns whose answer was cut.
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
	return &Transport{adapter.Abortable(base), p, newReadOptions(opts)}
}

// RoundTrip sends a request and returns its response, or the error that it says.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, t.told(r, failed(r.Context(), err))
	}
	if resp.StatusCode >= 400 {
		return nil, t.told(r, t.options.read(r.Context(), resp, t.protocol))
	}
	if resp.Body != nil && resp.Body != http.NoBody && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &answerBody{ReadCloser: resp.Body, request: r, transport: t}
	}
	return resp, nil
}

// CloseIdleConnections closes those of the base.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// answerBody is the body of an answer, whose reads tell where it was cut.
type answerBody struct {
	io.ReadCloser
	request   *http.Request
	transport *Transport
	call      adapter.Call
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if e := adapter.Cut(b.request.Context(), err); e != nil {
		err = b.transport.failed(b.request, &b.call, e)
	}
	return n, err
}

// told tells the observer of a request that failed.
func (t *Transport) told(r *http.Request, err error) error {
	if t.options.Observer == nil {
		return err
	}
	return t.failed(r, new(adapter.Call), err)
}

func (t *Transport) failed(r *http.Request, call *adapter.Call, err error) error {
	wire := errmap.WireHTTP
	if t.protocol == Connect {
		wire = errmap.WireConnect
	}
	call.Procedure = nameOf(r)
	return t.options.Failed(r.Context(), call, wire, err)
}

// failed returns the error of a request that got no response.
func failed(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*errmap.Error](err); ok {
		return err
	}
	if e := adapter.OfContext(adapter.Join(err, adapter.Ended(ctx))); e != nil {
		return e
	}
	return errmap.NewCode(code.Code_UNAVAILABLE, "no response").WithCause(err).WithLocal()
}
