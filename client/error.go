package client

import (
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
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/jsonrpc"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// responseError reads the error of a response, and what stands beside it.
func (t *transport) responseError(r *jsonrpc.Response, resp *http.Response) error {
	if r.Versioned && r.Whole != nil {
		if e, err := t.decode(r.Whole, resp); err == nil {
			return received(e)
		}
	}
	e, err := t.decode(r.Error, resp)
	if err != nil { // an error that is no object: the server broke the protocol
		return t.statusError(r.Error, resp)
	}
	return received(e)
}

// decode reads an error object, or a response that holds one.
func (t *transport) decode(text []byte, resp *http.Response) (*errmap.Error, error) {
	return errmap.DecodeJSONRPC(text, t.profile,
		errmap.WithCatalog(t.catalog),
		errmap.WithHTTPHeader(resp.Header, time.Now()),
		errmap.WithLimits(errmap.Limits{Body: t.maxResponse}),
	)
}

// statusError is the error of an answer that is no JSON-RPC. The HTTP status
// says what it was, and what stands in front of the server often answers with an
// error object of its own; a good status makes it a breach of the protocol.
func (t *transport) statusError(body []byte, resp *http.Response) error {
	if cause.EndsEarly(body) {
		ctx := context.Background()
		if resp.Request != nil {
			ctx = resp.Request.Context()
		}
		return cutError(ctx, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, begins(body)))
	}
	if resp.StatusCode/100 == 2 {
		return protocolError("the answer is not JSON-RPC", begins(body))
	}
	e, err := errmap.DecodeConnect(body,
		errmap.WithCatalog(t.catalog),
		errmap.WithHTTPStatus(resp.StatusCode),
		errmap.WithHTTPHeader(resp.Header, time.Now()),
		errmap.WithLimits(errmap.Limits{Body: t.maxResponse}),
	)
	if err != nil {
		return protocolError("the answer is not JSON-RPC", err)
	}
	return received(e)
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
