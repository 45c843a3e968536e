package errmapmcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Call is a request as a policy, an approver or a hook sees it.
type Call struct {
	method  string
	request mcp.Request
}

// Method returns the method of the request, such as "tools/call".
func (c Call) Method() string { return c.method }

// Name returns the tool or prompt that is called or the URI that is read; "" for
// other requests.
func (c Call) Name() string {
	switch p := c.Params().(type) {
	case *mcp.CallToolParams:
		if p != nil {
			return p.Name
		}
	case *mcp.GetPromptParams:
		if p != nil {
			return p.Name
		}
	case *mcp.ReadResourceParams:
		if p != nil {
			return p.URI
		}
	case *mcp.SubscribeParams:
		if p != nil {
			return p.URI
		}
	}
	return ""
}

// Params returns the parameters of the request, such as *mcp.CallToolParams.
// They are those that are sent and must not be changed.
func (c Call) Params() mcp.Params {
	if c.request == nil {
		return nil
	}
	return c.request.GetParams()
}

// Session returns the session of the request.
func (c Call) Session() *mcp.ClientSession {
	if c.request == nil {
		return nil
	}
	session, _ := c.request.GetSession().(*mcp.ClientSession)
	return session
}

// Policy decides on a request. It is asked for every request of the program but
// those that open and keep a connection, and for no notification; it may be
// asked concurrently. It is asked too, as for the call itself, about each tool,
// prompt, resource and template in a list that a server answers with, so that what
// it hides is not listed; of a template the URI is the template's text. A policy
// that panics denies, and hides what a list has.
type Policy func(context.Context, Call) Decision

// Approver approves a request by returning nil, and denies it by returning an
// error, which becomes the cause. One that panics denies.
type Approver func(context.Context, Call) error

// Decision is what a policy decides. The zero Decision denies.
type Decision struct {
	verdict verdict
	reason  Reason
}

type verdict int

const (
	verdictDeny verdict = iota
	verdictAllow
	verdictHide
	verdictAsk
)

// Allow returns the decision to send the request.
func Allow() Decision { return Decision{verdict: verdictAllow} }

// Deny returns the decision not to send the request: it fails as [KindDenied]
// with the reason, or with [ReasonPolicy] where that is empty.
func Deny(reason Reason) Decision { return Decision{reason: reason} }

// Hide returns the decision that there is no such tool, resource or prompt: the
// request fails as [KindNotFound], and lists leave it out.
func Hide() Decision { return Decision{verdict: verdictHide} }

// Ask returns the decision to leave it to the approver.
func Ask() Decision { return Decision{verdict: verdictAsk} }

// admit asks the policy and the approver.
func (c *Client) admit(ctx context.Context, call Call) error {
	decision := Allow()
	switch {
	case c.config.policy != nil:
		err := guarded(func() error {
			decision = c.config.policy(ctx, call)
			return nil
		})
		if err != nil {
			return newError(KindDenied, ReasonPolicy, WithCause(err), WithData(DataMethod, call.Method()))
		}
	case c.config.approver != nil:
		decision = Ask()
	}
	switch decision.verdict {
	case verdictAllow:
		return nil
	case verdictHide:
		return newError(KindNotFound, ReasonHidden, WithData(DataMethod, call.Method()))
	case verdictAsk:
		return c.approve(ctx, call)
	}
	reason := decision.reason
	if reason == "" {
		reason = ReasonPolicy
	}
	return newError(KindDenied, reason, WithData(DataMethod, call.Method()))
}

func (c *Client) approve(ctx context.Context, call Call) error {
	var opts []ErrorOption
	if c.config.approver != nil {
		err := guarded(func() error { return c.config.approver(ctx, call) })
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return contextError(ctx, err)
		}
		opts = append(opts, WithCause(err))
	}
	return newError(KindDenied, ReasonApprover, append(opts, WithData(DataMethod, call.Method()))...)
}

// guarded calls f and makes a panic its error.
func guarded(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			cause, ok := value.(error)
			if !ok {
				cause = fmt.Errorf("%v", value)
			}
			err = fmt.Errorf("panic: %w", cause)
		}
	}()
	return f()
}
