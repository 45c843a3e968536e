package errmapa2a

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/errmap/errmap/errmap"
)

// ClientInterceptor returns an interceptor for the SDK's client, for
// a2aclient.WithCallInterceptors. It makes each error that a peer sent an
// *errmap.Error that is known as received, in which errors.Is still finds the
// SDK's sentinel and errors.As its *a2a.Error and the generated message; a
// handler that returns it keeps it from its own callers, unless it says
// [errmap.Forward].
//
// An error of this side stays of this side: where a context ended a call, the
// error is [errmap.Error.Local] and that context's error. A "canceled" that a
// peer sent is not context.Canceled.
//
// What the SDK's client drops before an interceptor sees it stays lost: on gRPC
// the code beside a reason that it does not know, every detail but ErrorInfo and
// Struct, and whether a failed connection or the peer was UNAVAILABLE; on all
// bindings the reason and domain of an ErrorInfo.
func ClientInterceptor() a2aclient.CallInterceptor { return clientInterceptor{} }

type clientInterceptor struct {
	a2aclient.PassthroughInterceptor
}

// After implements [a2aclient.CallInterceptor].
func (clientInterceptor) After(ctx context.Context, resp *a2aclient.Response) error {
	received, ok := errors.AsType[*a2a.Error](resp.Err)
	if !ok || received == nil {
		return nil
	}
	ended := errors.Is(received.Err, context.Canceled) || errors.Is(received.Err, context.DeadlineExceeded)
	switch {
	case ended && ctx.Err() != nil:
		resp.Err = errmap.From(ctx.Err()).WithLocal()
	case ended:
		resp.Err = errmap.From(received.Err).WithMessage(received.Message).WithCause(nil).WithRemote()
	default:
		resp.Err = From(received).WithRemote()
	}
	return nil
}
