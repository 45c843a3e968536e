package errmapa2a

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
)

// ServerInterceptor returns an interceptor for agents that keep the SDK's own
// servers, for a2asrv.WithCallInterceptors: what a handler or an executor returns
// goes through an [errmap.Guard] with [Recognize], and out as the SDK's own type.
// So annotated messages and *errmap.Error arrive with their details, and what is
// not for callers stays in the log; without it the SDK sends the whole text of
// every error. What [ToSDK] says of the SDK's servers holds here too.
func ServerInterceptor(opts ...ServerOption) a2asrv.CallInterceptor {
	var i serverInterceptor
	for _, opt := range opts {
		opt.applyServer(&i.options)
	}
	i.options.Guard = i.options.Guard.With(errmap.WithRecognizer(Recognize))
	return i
}

type serverInterceptor struct {
	a2asrv.PassthroughCallInterceptor
	options adapter.Server
}

// After implements [a2asrv.CallInterceptor].
func (i serverInterceptor) After(ctx context.Context, call *a2asrv.CallContext, resp *a2asrv.Response) error {
	if resp.Err != nil {
		resp.Err = ToSDK(i.options.Outgoing(ctx, call.Method(), 0, resp.Err))
	}
	return nil
}

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
func ClientInterceptor(opts ...ClientOption) a2aclient.CallInterceptor {
	var i clientInterceptor
	for _, opt := range opts {
		opt.applyClient(&i.options)
	}
	return i
}

type clientInterceptor struct {
	a2aclient.PassthroughInterceptor
	options adapter.Client
}

// After implements [a2aclient.CallInterceptor].
func (i clientInterceptor) After(ctx context.Context, resp *a2aclient.Response) error {
	if resp.Err == nil {
		return nil
	}
	receive(ctx, resp)
	if i.options.Observer != nil {
		_ = i.options.Failed(ctx, &adapter.Call{Procedure: resp.Method}, 0, resp.Err)
	}
	return nil
}

// receive makes an *errmap.Error of an error that a peer sent.
func receive(ctx context.Context, resp *a2aclient.Response) {
	received, ok := errors.AsType[*a2a.Error](resp.Err)
	if !ok || received == nil {
		return
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
}
