package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/jsonrpc"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// responseError reads the error of a response, and what stands beside it.
func (t *transport) responseError(r *jsonrpc.Response, resp *http.Response) error {
	if r.Versioned && r.Whole != nil {
		if e, err := errmap.DecodeJSONRPC(r.Whole, t.profile, t.decode(resp)...); err == nil {
			return received(e)
		}
	}
	e, err := errmap.DecodeJSONRPC(r.Error, t.profile, t.decode(resp)...)
	switch {
	case err == nil:
		return received(e)
	case resp.StatusCode/100 != 2:
		return t.statusError(r.Error, resp)
	case r.Whole != nil:
		return brokenError("the server's error is none of JSON-RPC", r.Whole, resp)
	}
	return brokenError("the server's error is none of JSON-RPC", r.Error, resp)
}

// decode returns the options with which an error in a response is read.
func (t *transport) decode(resp *http.Response) []errmap.DecodeOption {
	opts := []errmap.DecodeOption{
		errmap.WithCatalog(t.catalog),
		errmap.WithLimits(errmap.Limits{Body: t.maxResponse}),
		errmap.WithHTTPHeader(resp.Header, time.Now()),
	}
	return append(opts, t.decoding...)
}

// statusError is the error of an answer that is no JSON-RPC: of what stands in front
// of the server, then, which says by the HTTP status what is wrong, and often in an
// error object of its own. That is read, and stays local: its text is not the
// server's. A good status makes it a breach of the protocol.
func (t *transport) statusError(body []byte, resp *http.Response) error {
	if resp.StatusCode/100 == 2 {
		if cause.EndsEarly(body) {
			return cutError(contextOf(resp), fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, begins(body)))
		}
		return brokenError("the answer is not JSON-RPC", body, resp)
	}
	answer := *resp
	answer.Body = io.NopCloser(bytes.NewReader(body))
	opts := append([]errmap.DecodeOption{errmap.WithCatalog(t.catalog)}, t.decoding...)
	err := errmaphttp.ReadError(&answer, errmaphttp.Connect,
		errmaphttp.WithLimits(errmap.Limits{Body: t.maxResponse}), errmaphttp.WithDecoding(opts...))
	e := errmap.From(err).WithLocal()
	return e.WithCause(errmapconnect.ToError(e))
}

func contextOf(resp *http.Response) context.Context {
	if resp.Request == nil {
		return context.Background()
	}
	return resp.Request.Context()
}

// brokenError is the error of a server that broke the protocol at a good status. What
// it said is in a note, and a delay that the header has counts.
func brokenError(text string, said []byte, resp *http.Response) error {
	e := errmap.NewCode(code.Code_INTERNAL, text).WithNote(begins(said).Error()).WithLocal().WithCause(begins(said))
	if delay, ok := errmap.ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now()); ok {
		e = e.WithRetryDelay(delay)
	}
	return e.WithCause(errmapconnect.ToError(e))
}

// received marks an error as the server's, findable as an error of Connect too.
func received(e *errmap.Error) error {
	e = e.WithRemote()
	return e.WithCause(errmapconnect.ToError(e).WithRemote())
}

// failed is an error of a call that failed here. Its text is ours: that of its
// cause names hosts.
func failed(c connect.Code, text string, cause error) error {
	return errmap.NewCode(code.Code(c), text).WithLocal().WithCause(connect.NewError(c, text).WithCause(cause))
}

// localError is an error of the way to the server.
func localError(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		if !errors.Is(err, context.DeadlineExceeded) {
			err = errors.Join(context.DeadlineExceeded, err)
		}
		return failed(connect.CodeDeadlineExceeded, "deadline exceeded", err)
	case errors.Is(ctx.Err(), context.Canceled):
		if !errors.Is(err, context.Canceled) {
			err = errors.Join(context.Canceled, err)
		}
		return failed(connect.CodeCanceled, "canceled", err)
	}
	return failed(connect.CodeUnavailable, "the server cannot be reached", notEOF(err))
}

// notEOF returns err without io.EOF, with which a stream would seem to end well:
// net/http says it of a connection that breaks before the answer.
func notEOF(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err.Error())
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// cutError is the error of an answer that ended before it was whole.
func cutError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return localError(ctx, err)
	}
	return failed(connect.CodeUnavailable, adapter.BrokeOff, notEOF(err))
}

// protocolError is the error of a server that broke the protocol.
func protocolError(text string, cause error) error {
	return failed(connect.CodeInternal, text, cause)
}

// begins is the cause of an error of a body that cannot be used.
func begins(body []byte) error {
	const most = 120
	if len(body) > most {
		body = body[:most]
	}
	return errors.New("the answer begins «" + string(body) + "»")
}
