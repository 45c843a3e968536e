package errmapmcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap"
)

// sending is the middleware on what the client sends.
func (c *Client) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, ok := req.GetSession().(*mcp.ClientSession)
		if !ok {
			return next(ctx, method, req)
		}
		l := c.linkOf(ctx, session)
		send := func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return c.send(ctx, l, next, method, req)
		}
		if !governed(method) {
			return send(ctx, method, req)
		}
		return c.govern(ctx, l, send, method, req)
	}
}

// govern asks the policy, the hooks and the limits about a request of the
// program, and sends it.
func (c *Client) govern(ctx context.Context, l *link, send mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	if e := l.gone(); e != nil {
		return nil, e
	}
	call := Call{method: method, request: req}
	if err := c.admit(ctx, call); err != nil {
		return nil, err
	}
	if err := c.before(ctx, call); err != nil {
		return nil, err
	}
	inside, leave, err := c.gate.enter(ctx, l)
	if err != nil {
		return nil, err
	}
	result, err := func() (mcp.Result, error) {
		defer leave()
		return c.rounds(inside, send, method, req)
	}()
	if err != nil {
		return nil, err
	}
	result = c.shown(ctx, req, result)
	if err := c.after(ctx, call, result); err != nil {
		return nil, err
	}
	return result, nil
}

// send sends one request or notification, and says what its error is.
func (c *Client) send(ctx context.Context, l *link, next mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	if e := l.gone(); e != nil {
		return nil, e
	}
	ev := &evidence{maxMessage: c.config.maxMessage, link: l}
	callCtx, finish := withEvidence(ctx, ev), func() {}
	if method != methodListen {
		// The SDK keeps a listening request's context beyond its return.
		cancelable, cancel := context.WithCancelCause(callCtx)
		callCtx, finish = cancelable, func() {
			cancel(nil)
			l.leave(&cancel)
		}
		l.enter(&cancel)
	}
	result, err := next(callCtx, method, req)
	ev.seal(finish)
	if err != nil {
		return nil, l.tell(c.failure(ctx, l, ev, method, req, err), profileOf(revisionOf(req)))
	}
	if e := checkVersion(result); e != nil {
		return nil, e
	}
	if e := ev.checkType(method, req); e != nil {
		return nil, e
	}
	l.noteListed(req, result, ev.emptied)
	l.state.keep(req)
	if note, ok := ctx.Value(pageKey{}).(*pageNote); ok {
		note.emptyCursor = ev.emptied
	}
	return result, nil
}

// failure says what the error of a request is.
func (c *Client) failure(ctx context.Context, l *link, ev *evidence, method string, req mcp.Request, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx, err)
	}
	if l.isClosed() {
		return closedError()
	}
	call := Call{method: method, request: req}
	if e := ev.last.verdict(err); e != nil {
		if e.kind == KindSessionExpired {
			return l.ended(e)
		}
		return l.answered(e, call)
	}
	if e := inChain(err); e != nil {
		return l.answered(e, call)
	}
	if isMistake(err) {
		return err
	}
	return l.answered(unknownFailure(l, ev, err), call)
}

// tell returns an error of a request as it is under the profile of the session, and
// without the secrets of the connection.
func (l *link) tell(err error, p errmap.Profile) error {
	if e := inChain(err); e != nil {
		return l.secrets.concealCause(e.under(p))
	}
	return err
}

// unknownFailure says what an error is of which there is no evidence.
func unknownFailure(l *link, ev *evidence, err error) *Error {
	switch {
	case !ev.sent && errors.Is(err, &jsonrpc.Error{Code: codeRejected}):
		// The SDK refuses to send for one reason of its own: without a token.
		return newError(KindAuth, ReasonToken, WithCause(err))
	case !ev.sent:
		if e := l.gone(); e != nil {
			return e
		}
		if wire, ok := errors.AsType[*jsonrpc.Error](err); ok && !errors.Is(err, mcp.ErrConnectionClosed) {
			// A transport of the program's own, which nothing watches.
			return answerError(wire)
		}
		return newError(KindConnectionDown, ReasonStale, WithCause(err))
	case ev.last != nil && ev.last.isAnswered():
		return newError(KindProtocol, ReasonInvalidResult, WithCause(err))
	case ev.last == nil && !errors.Is(err, mcp.ErrConnectionClosed):
		return newError(KindProtocol, ReasonInvalidResult, WithCause(err))
	}
	return newError(KindConnectionDown, ReasonEOF, WithCause(err))
}

// isMistake tells whether an error is that of parameters without JSON, which is
// the program's and no kind.
func isMistake(err error) bool {
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*json.UnsupportedValueError](err); ok {
		return true
	}
	_, ok := errors.AsType[*json.MarshalerError](err)
	return ok
}

// checkVersion refuses a server whose version of the protocol the SDK does not
// speak, before the SDK does.
func checkVersion(result mcp.Result) *Error {
	initialized, ok := result.(*mcp.InitializeResult)
	if !ok || slices.Contains(mcp.SupportedProtocolVersions(), initialized.ProtocolVersion) {
		return nil
	}
	return newError(KindProtocol, ReasonProtocolVersion)
}

// mayAsk are the requests whose result may ask for input (MCP 2026-07-28, "Multi
// round-trip requests").
var mayAsk = []string{methodCallTool, methodGetPrompt, methodReadResource}

// checkType refuses a result that says that it is something which it cannot be:
// taken for a success it would be an empty one. Before 2026-07-28 a result had no
// type, so that what other words stand there is the server's own affair.
func (ev *evidence) checkType(method string, req mcp.Request) *Error {
	said := ev.resultType.text()
	typed := revisionOf(req) >= firstWithResultType
	switch {
	case ev.resultType == nil, said == "complete":
		return nil
	case said == "input_required" && slices.Contains(mayAsk, method) && ev.asks:
		return nil
	case said != "input_required" && !typed:
		return nil
	}
	return newError(KindProtocol, ReasonInvalidResult, WithData(DataMethod, method), WithData(DataResultType, bounded(said)))
}

func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }
