package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// endingTransport is a transport of a program's own, whose connection ends with
// a certain error behind the handshake.
type endingTransport struct{ end error }

func (e endingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	ours, theirs := mcp.NewInMemoryTransports()
	conn, err := theirs.Connect(ctx)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			msg, err := conn.Read(ctx)
			if err != nil {
				return
			}
			request, ok := msg.(*jsonrpc.Request)
			switch {
			case !ok || !request.IsCall():
			case request.Method == "initialize":
				_ = conn.Write(ctx, &jsonrpc.Response{ID: request.ID, Result: []byte(initializeResult)})
			default:
				_ = conn.Close()
				return
			}
		}
	}()
	inner, err := ours.Connect(ctx)
	return &endingConn{inner, e.end}, err
}

type endingConn struct {
	mcp.Connection
	end error
}

func (c *endingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		err = c.end
	}
	return msg, err
}

// A wrap with %w is seen through. One with %v has lost what it wraps: it is never
// looked for in the text, and what a connection cannot read is protocol.
func TestField_123_wrapped_end_of_connection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		end    error
		kind   errmapmcp.Kind
		reason errmapmcp.Reason
	}{
		{"%w", fmt.Errorf("calling tools/list: %w", io.EOF), errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF},
		{"%v", fmt.Errorf("calling tools/list: %v", io.EOF), errmapmcp.KindProtocol, errmapmcp.ReasonInvalidMessage},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connect(t, endingTransport{c.end})
			_, err := session.ListTools(t.Context(), nil)
			wantKind(t, err, c.kind, c.reason)
		})
	}
}

func TestField_133_code_and_data_of_the_server(t *testing.T) {
	t.Parallel()
	const object = `{"code":4010,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"}]}`
	session := connectRaw(t, "", answerError(object))
	err := callTool(t.Context(), session)
	e := wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:4010")
	if raw, _ := e.Data()[errmapmcp.DataError].(json.RawMessage); string(raw) != object {
		t.Errorf("the data is %s, want %s", raw, object)
	}
	peer, ok := errors.AsType[*errmap.Error](err)
	if !ok || !peer.Remote() || peer.Domain() != "shop.example.com" || peer.Reason() != "STOCK_EMPTY" {
		t.Errorf("errors.As finds %v", peer)
	}
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || wire.Code != 4010 || wire.Message != "m" || len(wire.Data) == 0 {
		t.Errorf("errors.As finds %+v", wire)
	}
	if !errors.Is(err, peer) || !errors.Is(err, &jsonrpc.Error{Code: 4010}) || errors.Is(err, &jsonrpc.Error{Code: 4011}) {
		t.Error("errors.Is does not go by the code and the identity")
	}
}

func TestField_135_who_ended_the_connection(t *testing.T) {
	t.Parallel()
	t.Run("we did", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "silent"))
		failed := make(chan error)
		go func() { failed <- callTool(t.Context(), session) }()
		time.Sleep(20 * time.Millisecond)
		_ = session.Close()
		err := <-failed
		wantKind(t, err, errmapmcp.KindClosed, errmapmcp.ReasonClosed)
		if errors.Is(err, context.Canceled) {
			t.Error("the error is context.Canceled, which only the caller's own cancelling is")
		}
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindClosed, errmapmcp.ReasonClosed)
	})
	t.Run("the child died", func(t *testing.T) {
		t.Parallel()
		err := callTool(t.Context(), connect(t, child(t, "exit")))
		e := wantKind(t, err, errmapmcp.KindConnectionDown, "exit:1")
		stderr, _ := e.Data()[errmapmcp.DataStderr].(errmapmcp.Secret)
		if got := stderr.Reveal(); got != "fatal: token=hunter2\n" {
			t.Errorf("the standard error is %q", got)
		}
		if e.Data()[errmapmcp.DataExitCode] != 1 {
			t.Errorf("the exit code is %v", e.Data()[errmapmcp.DataExitCode])
		}
	})
	t.Run("the link broke", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, _ message) {
			// A request that may be repeated is: the body must have been begun.
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			time.Sleep(20 * time.Millisecond)
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		})
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, errmapmcp.ReasonReset)
	})
}

func TestField_136_message_unchanged_through_two_proxies(t *testing.T) {
	t.Parallel()
	const text = "cart c-1 is gone"
	upstream := connectRaw(t, "", answerError(`{"code":4010,"message":"`+text+`","data":{"cart":"c-1"}}`))
	for range 2 {
		forward := upstream
		upstream = connectSDK(t, nil, func(server *mcp.Server) {
			if err := errmapmcp.InstallServer(server); err != nil {
				t.Fatal(err)
			}
			server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				result, err := forward.GetPrompt(ctx, &mcp.GetPromptParams{Name: "cart"})
				return result, errmap.Forward(err)
			})
		})
	}
	_, err := upstream.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
	e := wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:4010")
	if want := `{"code":4010,"message":"cart c-1 is gone","data":{"cart":"c-1"}}`; string(e.RPCError()) != want {
		t.Errorf("the object is %s, want %s", e.RPCError(), want)
	}
}

func TestField_139_input_without_end(t *testing.T) {
	t.Parallel()
	accept := elicits(func() (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: "accept"}, nil })
	var asked atomic.Int32
	session := connectWith(t, streamable(t, rawServer(t, "", answerJSON(http.StatusOK, func(m message) string {
		asked.Add(1)
		return m.result(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?"}}},"requestState":"s"}`)
	}))), accept)
	e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindMRTRRoundLimit, "rounds:10")
	if e.Data()[errmapmcp.DataCount] != 10 || asked.Load() != 11 {
		t.Errorf("the count is %v after %d answers, want 10 after 11", e.Data()[errmapmcp.DataCount], asked.Load())
	}
}

func TestField_141_resource_not_found(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, object string
		call         func(context.Context, *errmapmcp.Session) error
		kind         errmapmcp.Kind
		reason       errmapmcp.Reason
	}{
		{"before 2026", `{"code":-32002,"message":"x"}`, readResource, errmapmcp.KindNotFound, "jsonrpc:-32002"},
		{"with the URI", `{"code":-32602,"message":"x","data":{"uri":"shop://a"}}`, readResource, errmapmcp.KindNotFound, "jsonrpc:-32602"},
		{"without data", `{"code":-32602,"message":"x"}`, readResource, errmapmcp.KindProtocol, "jsonrpc:-32602"},
		{"of a tool", `{"code":-32002,"message":"x"}`, callTool, errmapmcp.KindProtocol, "jsonrpc:-32002"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.call(t.Context(), connectRaw(t, "", answerError(c.object)))
			e := wantKind(t, err, c.kind, c.reason)
			if string(e.RPCError()) != c.object {
				t.Errorf("the object is %s, want %s", e.RPCError(), c.object)
			}
		})
	}
	t.Run("the server sends the URI", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, nil, func(server *mcp.Server) {
			if err := errmapmcp.InstallServer(server); err != nil {
				t.Fatal(err)
			}
			server.AddResource(&mcp.Resource{URI: "shop://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return nil, errmapmcp.ResourceNotFound("shop://a")
			})
		})
		err := readResource(t.Context(), session)
		e := wantKind(t, err, errmapmcp.KindNotFound, "jsonrpc:-32602")
		if want := `{"code":-32602,"message":"Resource not found","data":{"uri":"shop://a"}}`; string(e.RPCError()) != want {
			t.Errorf("the object is %s, want %s", e.RPCError(), want)
		}
		missing, ok := errors.AsType[*mcpv1.ResourceNotFoundError](err)
		if !ok || missing.GetUri() != "shop://a" {
			t.Errorf("errors.As finds %v", missing)
		}
	})
}

func readResource(ctx context.Context, session *errmapmcp.Session) error {
	_, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "shop://a"})
	return err
}

func TestField_142_codes_in_the_reserved_range(t *testing.T) {
	t.Parallel()
	for number, allowed := range map[int64]bool{
		-32001: false, -32020: false, -32099: false, -32000: false, -32768: false, 0: false,
		-31000: true, -31999: true, -32769: true, 4010: true,
	} {
		server := mcp.NewServer(testServer, nil)
		if err := errmapmcp.InstallServer(server, errmapmcp.WithCodes(number)); (err == nil) != allowed {
			t.Errorf("InstallServer with the code %d: %v", number, err)
		}
		if err := errmapmcp.CheckCode(number); (err == nil) != allowed {
			t.Errorf("CheckCode(%d): %v", number, err)
		}
	}
	t.Run("on the wire", func(t *testing.T) {
		t.Parallel()
		for sent, want := range map[int64]errmapmcp.Reason{-31000: "jsonrpc:-31000", 4010: "jsonrpc:4010", -32050: "jsonrpc:-32603", 0: "jsonrpc:-32603"} {
			session := connectSDK(t, nil, failingPrompt(t, &jsonrpc.Error{Code: sent, Message: "m"}))
			_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			wantKind(t, err, errmapmcp.KindProtocol, want)
		}
	})
}

// failingPrompt adds a prompt that fails, to a server with errmap's errors.
func failingPrompt(t *testing.T, failure error, opts ...errmapmcp.ServerOption) func(*mcp.Server) {
	return func(server *mcp.Server) {
		if err := errmapmcp.InstallServer(server, opts...); err != nil {
			t.Fatal(err)
		}
		server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, failure
		})
	}
}

func TestField_144_refusal_of_a_gateway_and_of_a_hook(t *testing.T) {
	t.Parallel()
	t.Run("a gateway", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", answerJSON(http.StatusForbidden, func(m message) string {
			return m.failure(`{"code":-31403,"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TOOL_DENIED","domain":"gw.example.com"}]}`)
		}))
		err := callTool(t.Context(), session)
		wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-31403")
		peer, ok := errors.AsType[*errmap.Error](err)
		if !ok || peer.Reason() != "TOOL_DENIED" || peer.Domain() != "gw.example.com" || peer.Code() != code.Code_PERMISSION_DENIED {
			t.Errorf("errors.As finds %v", peer)
		}
	})
	for name, hook := range map[string]errmapmcp.PreHook{
		"a hook that fails":  func(context.Context, errmapmcp.Call) error { return errPrompt },
		"a hook that panics": func(context.Context, errmapmcp.Call) error { panic(errPrompt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
				sent.Add(1)
				writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
			}, errmapmcp.WithPreHook(hook))
			err := callTool(t.Context(), session)
			wantKind(t, err, errmapmcp.KindHook, errmapmcp.ReasonPreHook)
			if !errors.Is(err, errPrompt) || sent.Load() != 0 {
				t.Errorf("the cause is lost, or the request was sent %d times", sent.Load())
			}
		})
	}
}

func TestField_145_overload_and_quota(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusServiceUnavailable, 529} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, "", answerStatus(status, "Retry-After", "3"))
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindTransport, errmapmcp.NewReason("http", int64(status)))
			if delay, _ := e.RetryDelay(); delay != 3*time.Second || e.HTTPStatus() != status {
				t.Errorf("the delay is %v and the status %d", delay, e.HTTPStatus())
			}
			message, ok := errors.AsType[*mcpv1.TransportError](e)
			if !ok || message.GetRetry().GetRetryDelay().AsDuration() != 3*time.Second {
				t.Errorf("the message is %v", message)
			}
		})
	}
	t.Run("a JSON-RPC error", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, nil, failingPrompt(t, errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "quota").
			WithDetail(&errdetails.ErrorInfo{Reason: "QUOTA", Domain: "shop.example.com"}).
			WithDetail(&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "cart"}}}).
			WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)})))
		_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
		e := wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-31429")
		if delay, ok := e.RetryDelay(); !ok || delay != time.Second {
			t.Errorf("the delay is %v %t, want 1s", delay, ok)
		}
		peer, _ := errors.AsType[*errmap.Error](err)
		quota, ok := errmap.Detail[*errdetails.QuotaFailure](peer)
		if peer.Reason() != "QUOTA" || !ok || quota.GetViolations()[0].GetSubject() != "cart" {
			t.Errorf("errors.As finds %v", peer)
		}
	})
	// The local limit is TestKind_eachFromARealFailure/overloaded.
}

func TestField_146_tool_faults_and_protocol_faults(t *testing.T) {
	t.Parallel()
	type order struct {
		Size int `json:"size"`
	}
	session := connectSDK(t, nil, func(server *mcp.Server) {
		if err := errmapmcp.InstallServer(server); err != nil {
			t.Fatal(err)
		}
		errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
			return nil, nil, errmap.NewCode(code.Code_NOT_FOUND, "no order o-1").
				WithDetail(&errdetails.ErrorInfo{Reason: "ORDER_NOT_FOUND", Domain: "shop.example.com"})
		})
	})
	t.Run("the backend does not find it", func(t *testing.T) {
		t.Parallel()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: order{1}})
		if err != nil || !result.IsError {
			t.Fatalf("the call returned %+v, %v", result, err)
		}
		if e := errmapmcp.FromResult(result); e.Code() != code.Code_NOT_FOUND || e.Reason() != "ORDER_NOT_FOUND" {
			t.Errorf("the result reads as %v", e)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.HasPrefix(text, "no order o-1\n") {
			t.Errorf("the text is %q", text)
		}
	})
	t.Run("unknown tool", func(t *testing.T) {
		t.Parallel()
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
		wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32602")
	})
	t.Run("arguments that do not fit", func(t *testing.T) {
		t.Parallel()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"size": "big"}})
		if err != nil || !result.IsError || result.StructuredContent != nil {
			t.Fatalf("the call returned %+v, %v", result, err)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "size") {
			t.Errorf("the text %q does not say what is wrong", text)
		}
	})
}
