package errmapmcp

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"
)

const (
	// defaultRounds is how often a server is sent input for one request.
	defaultRounds = 10
	// defaultInputs is how many inputs it may ask for in all: for each a handler
	// runs.
	defaultInputs = 100
)

// roundCaps are the caps of a multi-round-trip loop.
type roundCaps struct{ rounds, inputs, state int }

// inputs is what a result asks for.
type inputs struct {
	requests mcp.InputRequestMap
	state    string
}

// neededInput returns what a result asks for, and false where it is complete.
func neededInput(result mcp.Result) (inputs, bool) {
	switch r := result.(type) {
	case *mcp.CallToolResult:
		return inputs{r.InputRequests, r.RequestState}, r.NeedsInput() || r.InputRequests != nil
	case *mcp.GetPromptResult:
		return inputs{r.InputRequests, r.RequestState}, r.NeedsInput() || r.InputRequests != nil
	case *mcp.ReadResourceResult:
		return inputs{r.InputRequests, r.RequestState}, r.NeedsInput() || r.InputRequests != nil
	}
	return inputs{}, false
}

// tally counts against the caps.
type tally struct {
	caps   roundCaps
	rounds int
	inputs int
}

// add counts one more round; its error is the cap that it is over.
func (t *tally) add(needed inputs) *Error {
	limit := t.caps.rounds
	if limit == 0 {
		limit = defaultRounds
	}
	if limit > 0 && t.rounds >= limit {
		return roundLimit(tokenRounds, t.rounds, limit)
	}
	t.rounds++
	t.inputs += len(needed.requests)
	limit = t.caps.inputs
	if limit == 0 {
		limit = defaultInputs
	}
	if limit > 0 && t.inputs > limit {
		return roundLimit(tokenInputs, t.inputs, limit)
	}
	if limit := t.caps.state; limit > 0 && len(needed.state) > limit {
		return roundLimit(tokenState, len(needed.state), limit)
	}
	return nil
}

func roundLimit(token string, count, limit int) *Error {
	return newError(KindMRTRRoundLimit, NewReason(token, int64(count)), WithData(DataCount, count), WithData(DataCap, limit))
}

// rounds sends a request, and the input that the server asks for, until the
// result is complete.
func (c *Client) rounds(ctx context.Context, send mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	count := tally{caps: c.config.rounds}
	for {
		result, err := send(ctx, method, req)
		if err != nil || !c.config.loop {
			return result, err
		}
		needed, more := neededInput(result)
		if !more {
			return result, nil
		}
		if e := count.add(needed); e != nil {
			return nil, e.as(e.kind, WithData(DataMethod, method))
		}
		responses, err := c.fulfil(ctx, req.GetSession(), needed.requests)
		if err != nil {
			return nil, err
		}
		next, ok := answeredRequest(req, responses, needed.state)
		if !ok {
			return result, nil
		}
		req = next
	}
}

// fulfil has the handlers of the client answer all requests.
func (c *Client) fulfil(ctx context.Context, session mcp.Session, requests mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	clientSession, ok := session.(*mcp.ClientSession)
	if !ok {
		return nil, newError(KindInputHandler, ReasonHandler, WithCause(fmt.Errorf("the session is a %T", session)))
	}
	var mu sync.Mutex
	responses := make(mcp.InputResponseMap, len(requests))
	group, groupCtx := errgroup.WithContext(ctx)
	for id, request := range requests {
		group.Go(func() error {
			var response mcp.InputResponse
			err := guarded(func() (err error) {
				response, err = c.handle(groupCtx, clientSession, request)
				return err
			})
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			responses[id] = response
			return nil
		})
	}
	err := group.Wait()
	switch {
	case err == nil:
		return responses, nil
	case ctx.Err() != nil:
		return nil, contextError(ctx, err)
	}
	return nil, newError(KindInputHandler, ReasonHandler, WithCause(err))
}

// handle has a handler of the client answer one request, by the way that
// requests of servers take.
func (c *Client) handle(ctx context.Context, session *mcp.ClientSession, request mcp.InputRequest) (mcp.InputResponse, error) {
	var result mcp.Result
	var err error
	switch p := request.(type) {
	case *mcp.ElicitParams:
		result, err = c.receive(ctx, "elicitation/create", &mcp.ClientRequest[*mcp.ElicitParams]{Session: session, Params: p})
	//lint:ignore SA1019 servers of the deprecation window still ask for it
	case *mcp.CreateMessageWithToolsParams:
		//lint:ignore SA1019 servers of the deprecation window still ask for it
		result, err = c.receive(ctx, "sampling/createMessage", &mcp.ClientRequest[*mcp.CreateMessageWithToolsParams]{Session: session, Params: p})
	//lint:ignore SA1019 servers of the deprecation window still ask for it
	case *mcp.ListRootsParams:
		//lint:ignore SA1019 servers of the deprecation window still ask for it
		result, err = c.receive(ctx, "roots/list", &mcp.ClientRequest[*mcp.ListRootsParams]{Session: session, Params: p})
	default:
		return nil, fmt.Errorf("errmapmcp: no handler for an input request of type %T", request)
	}
	if err != nil {
		return nil, err
	}
	response, ok := result.(mcp.InputResponse)
	if !ok {
		return nil, fmt.Errorf("errmapmcp: a handler answered with a %T", result)
	}
	return response, nil
}

// answeredRequest returns the request with the input that was asked for. The
// caller's parameters stay as they are: it may use them again.
func answeredRequest(req mcp.Request, responses mcp.InputResponseMap, state string) (mcp.Request, bool) {
	session, _ := req.GetSession().(*mcp.ClientSession)
	var params mcp.Params
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParams:
		next := *p
		next.InputResponses, next.RequestState = responses, state
		params = &next
	case *mcp.GetPromptParams:
		next := *p
		next.InputResponses, next.RequestState = responses, state
		params = &next
	case *mcp.ReadResourceParams:
		next := *p
		next.InputResponses, next.RequestState = responses, state
		params = &next
	default:
		return nil, false
	}
	return &mcp.ClientRequest[mcp.Params]{Session: session, Params: params}, true
}
