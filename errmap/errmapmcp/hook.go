package errmapmcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// PreHook runs before a request is sent. Its error becomes the cause of the
// request's.
type PreHook func(context.Context, Call) error

// PostHook runs on the result of a request, which it must not change; a tool
// that says isError has one too. A request that failed has none. Its error
// becomes the cause of the request's.
type PostHook func(context.Context, Call, mcp.Result) error

func (c *Client) before(ctx context.Context, call Call) error {
	for _, hook := range c.config.preHooks {
		if err := guarded(func() error { return hook(ctx, call) }); err != nil {
			return hookError(ctx, ReasonPreHook, call, err)
		}
	}
	return nil
}

func (c *Client) after(ctx context.Context, call Call, result mcp.Result) error {
	for _, hook := range c.config.postHooks {
		if err := guarded(func() error { return hook(ctx, call, result) }); err != nil {
			return hookError(ctx, ReasonPostHook, call, err)
		}
	}
	return nil
}

func hookError(ctx context.Context, reason Reason, call Call, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx, err)
	}
	return newError(KindHook, reason, WithCause(err), WithData(DataMethod, call.Method()))
}
