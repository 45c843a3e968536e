package errmapmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

func newError(t *testing.T, kind errmapmcp.Kind, reason errmapmcp.Reason, opts ...errmapmcp.ErrorOption) *errmapmcp.Error {
	t.Helper()
	e, err := errmapmcp.New(kind, reason, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNew_unknownKind(t *testing.T) {
	t.Parallel()
	for _, kind := range []errmapmcp.Kind{0, -1, 18, 1 << 30} {
		if e, err := errmapmcp.New(kind, "x"); err == nil || e != nil {
			t.Errorf("New(%d) = %v, %v: want it refused", kind, e, err)
		}
	}
}

func TestError_text(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason errmapmcp.Reason
		want   string
	}{
		{"", "mcp client: hook"},
		{"pre_hook", "mcp client: hook (pre_hook)"},
		{errmapmcp.NewReason("jsonrpc", -32602), "mcp client: hook (jsonrpc:-32602)"},
		{errmapmcp.Reason(strings.Repeat("a", 5000)), "mcp client: hook (" + strings.Repeat("a", 120) + "…)"},
		{errmapmcp.Reason(strings.Repeat("é", 5000)), "mcp client: hook (" + strings.Repeat("é", 60) + "…)"},
		{errmapmcp.Reason("a" + strings.Repeat("é", 5000)), "mcp client: hook (a" + strings.Repeat("é", 59) + "…)"},
		{"line\nbreak \x1b[31m\xff", "mcp client: hook (line\uFFFDbreak \uFFFD[31m\uFFFD)"},
	} {
		if got := newError(t, errmapmcp.KindHook, c.reason).Error(); got != c.want {
			t.Errorf("the text is %q, want %q", got, c.want)
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason errmapmcp.Reason
		token  string
		number int64
		has    bool
	}{
		{errmapmcp.NewReason("http", 503), "http", 503, true},
		{errmapmcp.NewReason("jsonrpc", -1<<63), "jsonrpc", -1 << 63, true},
		{"eof", "eof", 0, false},
		{"", "", 0, false},
		{"http:many", "http", 0, false},
	} {
		number, has := c.reason.Number()
		if c.reason.Token() != c.token || number != c.number || has != c.has {
			t.Errorf("%q: %q, %d, %t", c.reason, c.reason.Token(), number, has)
		}
	}
}

func TestError_neverShowsDataOrCause(t *testing.T) {
	t.Parallel()
	const private = "hunter2"
	e := newError(t, errmapmcp.KindTransport, "http:503",
		errmapmcp.WithCause(errors.New(private)),
		errmapmcp.WithData("body", private),
		errmapmcp.WithRetryDelay(time.Second))
	rpc := errmapmcp.FromRPCError([]byte(`{"code":1,"message":"hunter2","data":"hunter2"}`))
	for _, err := range []*errmapmcp.Error{e, rpc} {
		for _, text := range renderings(t, err) {
			if strings.Contains(text, private) {
				t.Errorf("%q holds what is private", text)
			}
		}
		for _, text := range renderings(t, fmt.Errorf("calling: %w", err)) {
			if strings.Contains(text, private) {
				t.Errorf("%q holds what is private", text)
			}
		}
	}
	if got := fmt.Sprintf("%v|%s|%+v|%q|%10.3s|%x", e, e, e, e, e, e); got != e.Error()+"|"+e.Error()+"|"+e.Error()+"|"+fmt.Sprintf("%q|%10.3s|%x", e.Error(), e.Error(), e.Error()) {
		t.Errorf("the verbs give %s", got)
	}
	if text, err := json.Marshal(e); err != nil || string(text) != `{"kind":"transport","reason":"http:503"}` {
		t.Errorf("json.Marshal: %s, %v", text, err)
	}
}

// renderings returns a value through every verb and every encoder that prints.
func renderings(t *testing.T, value any) []string {
	t.Helper()
	var texts []string
	type holder struct {
		Value any `json:"value" xml:"value"`
	}
	for _, value := range []any{value, &value, []any{value}, map[string]any{"key": value}, holder{value}, &holder{value}} {
		for verb := rune('A'); verb <= 'z'; verb++ {
			for _, flags := range []string{"", "+", "#", "-", " ", "0", "10.3", "+#"} {
				texts = append(texts, fmt.Sprintf("%"+flags+string(verb), value))
			}
		}
		texts = append(texts, fmt.Sprint(value), fmt.Sprintln(value))
		if text, err := json.Marshal(value); err == nil {
			texts = append(texts, string(text))
		}
		for _, handler := range []func(io.Writer) slog.Handler{
			func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
			func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		} {
			var log bytes.Buffer
			slog.New(handler(&log)).Error("failed", "value", value, slog.Group("group", "value", value))
			texts = append(texts, log.String())
		}
	}
	return texts
}

func TestError_LogValue(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.Error("failed", "err", newError(t, errmapmcp.KindRateLimited, "http:429", errmapmcp.WithRetryDelay(time.Second)))
	if want := "level=ERROR msg=failed err.kind=rate_limited err.reason=http:429 err.retry_delay=1s\n"; log.String() != want {
		t.Errorf("the log is %q, want %q", log.String(), want)
	}
}

func TestError_Data(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"a":1}`)
	e := newError(t, errmapmcp.KindHook, "x",
		errmapmcp.WithData("raw", raw),
		errmapmcp.WithData("list", []int{1, 2}),
		errmapmcp.WithData("none", func() {}),
		errmapmcp.WithData("count", 3),
		errmapmcp.WithRetryDelay(-time.Second))
	raw[2] = 'b'
	want := map[string]any{
		"raw": json.RawMessage(`{"a":1}`), "list": json.RawMessage("[1,2]"), "count": 3, "retry_delay": time.Duration(0),
	}
	if diff := cmp.Diff(want, e.Data()); diff != "" {
		t.Errorf("the data (-want +got):\n%s", diff)
	}
	data := e.Data()
	data["raw"].(json.RawMessage)[2] = 'b'
	data["count"] = 4
	if diff := cmp.Diff(want, e.Data()); diff != "" {
		t.Errorf("the data was changed from outside (-want +got):\n%s", diff)
	}
}

func TestError_nil(t *testing.T) {
	t.Parallel()
	var e *errmapmcp.Error
	if e.Kind() != 0 || e.Reason() != "" || e.Code() != code.Code_OK || e.Retryable() || e.Data() != nil ||
		e.RPCError() != nil || e.Peer() != nil || e.Cause() != nil || e.Unwrap() != nil || e.HTTPStatus() != 0 || e.Challenge() != "" || e.Scope() != "" {
		t.Error("a nil error says something")
	}
	if _, ok := e.RetryDelay(); ok {
		t.Error("a nil error has a delay")
	}
	var kind errmapmcp.Kind
	if e.As(&kind) || e.Is(errmapmcp.KindHook) {
		t.Error("a nil error is a kind")
	}
	if e.Error() != "<nil>" || fmt.Sprintf("%+v", e) != "<nil>" || e.LogValue().String() != "<nil>" {
		t.Error("a nil error does not show as nil")
	}
	if text, err := json.Marshal(e); err != nil || string(text) != "null" {
		t.Errorf("json.Marshal: %s, %v", text, err)
	}
}

func TestError_IsAs(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("buying: %w", newError(t, errmapmcp.KindTimeout, "deadline", errmapmcp.WithCause(context.DeadlineExceeded)))
	for _, target := range []error{
		errmapmcp.KindTimeout, newError(t, errmapmcp.KindTimeout, ""), newError(t, errmapmcp.KindTimeout, "deadline"),
		context.DeadlineExceeded, errmap.New(&mcpv1.TimeoutError{}),
	} {
		if !errors.Is(err, target) {
			t.Errorf("the error is not %v", target)
		}
	}
	for _, target := range []error{
		errmapmcp.KindHook, newError(t, errmapmcp.KindHook, ""), newError(t, errmapmcp.KindTimeout, "other"),
		context.Canceled, errmap.New(&mcpv1.HookError{}), &jsonrpc.Error{Code: 0}, (*errmapmcp.Error)(nil),
	} {
		if errors.Is(err, target) {
			t.Errorf("the error is %v", target)
		}
	}
	var kind errmapmcp.Kind
	if !errors.As(err, &kind) || kind != errmapmcp.KindTimeout {
		t.Errorf("errors.As finds the kind %s", kind)
	}
	message, ok := errors.AsType[*mcpv1.TimeoutError](err)
	if !ok || message.GetReason() != "deadline" {
		t.Errorf("errors.As finds %v", message)
	}
	own, ok := errors.AsType[*errmap.Error](err)
	if !ok || own.Code() != code.Code_DEADLINE_EXCEEDED || own.Remote() {
		t.Errorf("errors.As finds %v", own)
	}
	if _, ok := errors.AsType[*mcpv1.HookError](err); ok {
		t.Error("errors.As finds another message")
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		t.Error("errors.As finds an error of the protocol where there is none")
	}
}

// Every kind crosses the wires as an error of its own.
func TestError_onTheWires(t *testing.T) {
	t.Parallel()
	for _, kind := range errmapmcp.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			e := newError(t, kind, "why:1", errmapmcp.WithRetryDelay(1500*time.Millisecond), errmapmcp.WithData("secret", "hunter2"))
			out := errmap.NewGuard().Outgoing(t.Context(), fmt.Errorf("serving: %w", e))
			if out.Code() != kind.Code() || out.Domain() != errmapmcp.Domain {
				t.Fatalf("what leaves is %v", out)
			}
			forms := map[string]func() (*errmap.Error, error){
				"connect": func() (*errmap.Error, error) { return errmap.DecodeConnect(errmap.EncodeConnect(out)) },
				"grpc":    func() (*errmap.Error, error) { return errmap.DecodeGRPC(errmap.EncodeGRPC(out).Map()) },
				"jsonrpc": func() (*errmap.Error, error) {
					return errmap.DecodeJSONRPC(errmap.EncodeJSONRPC(out, errmap.ProfileGeneric), errmap.ProfileGeneric)
				},
				"mcp": func() (*errmap.Error, error) {
					return errmap.DecodeJSONRPC(errmap.EncodeJSONRPC(out, errmap.ProfileMCP), errmap.ProfileMCP)
				},
				"http": func() (*errmap.Error, error) {
					_, body := errmap.EncodeHTTP(out)
					return errmap.DecodeHTTP(body)
				},
				"problem": func() (*errmap.Error, error) {
					_, body := errmap.EncodeProblem(out)
					return errmap.DecodeProblem(body)
				},
			}
			for name, form := range forms {
				back, err := form()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if back.Code() != kind.Code() || !errors.Is(back, out) {
					t.Errorf("%s: what arrives is %v", name, back)
				}
				if got := back.ErrorInfo().GetMetadata()["reason"]; got != "why:1" {
					t.Errorf("%s: the reason is %q", name, got)
				}
				if delay, ok := back.RetryDelay(); ok != (kind == errmapmcp.KindTransport || kind == errmapmcp.KindRateLimited) || ok && delay != 1500*time.Millisecond {
					t.Errorf("%s: the delay is %v %t", name, delay, ok)
				}
			}
			if text := string(errmap.EncodeStatusJSON(out)); strings.Contains(text, "hunter2") {
				t.Errorf("the data left the program: %s", text)
			}
		})
	}
}

func TestError_peerStaysBehind(t *testing.T) {
	t.Parallel()
	e := errmapmcp.FromRPCError([]byte(`{"code":-31404,"message":"hunter2","data":"hunter2"}`))
	out := errmap.NewGuard().Outgoing(t.Context(), e)
	if out.Domain() != errmapmcp.Domain || out.Reason() != "PROTOCOL" || strings.Contains(string(errmap.EncodeStatusJSON(out)), "hunter2") {
		t.Errorf("what leaves is %v", out)
	}
	forwarded := errmap.NewGuard().Outgoing(t.Context(), errmap.Forward(e))
	if forwarded.Message() != "hunter2" || forwarded.Code() != code.Code_NOT_FOUND {
		t.Errorf("what is forwarded is %v", forwarded)
	}
}

func TestFromRPCError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ object, reason string }{
		{`{"code":-32602,"message":"x"}`, "jsonrpc:-32602"},
		{`{"code":-32003,"message":"","data":null}`, "jsonrpc:-32003"},
		{` {"message":"x","code":4010.0,"more":[1e999]} `, "jsonrpc:4010"},
		{`{"code":1e3,"message":"x"}`, "jsonrpc:1000"},
		{`{"code":9223372036854775807,"message":"x"}`, "jsonrpc:9223372036854775807"},
		{`{"code":0,"message":"x"}`, "jsonrpc:0"},
		{`{"code":9223372036854775808,"message":"x"}`, "invalid_error_object"},
		{`{"code":1.5,"message":"x"}`, "invalid_error_object"},
		{`{"code":"-32602","message":"x"}`, "invalid_error_object"},
		{`{"code":-32602}`, "invalid_error_object"},
		{`{"message":"x"}`, "invalid_error_object"},
		{`{"code":-32602,"message":null}`, "invalid_error_object"},
		{`{"Code":-32602,"Message":"x"}`, "invalid_error_object"},
		{`"boom"`, "invalid_error_object"},
		{`[]`, "invalid_error_object"},
		{`null`, "invalid_error_object"},
		{``, "invalid_error_object"},
		{`<html>`, "invalid_error_object"},
		{`{"code":-32602,"message":"x"} {}`, "invalid_error_object"},
	} {
		e := errmapmcp.FromRPCError([]byte(c.object))
		if e.Kind() != errmapmcp.KindProtocol || string(e.Reason()) != c.reason {
			t.Errorf("%s: %v, want %s", c.object, e, c.reason)
		}
		switch data := e.Data()[errmapmcp.DataError].(type) {
		case json.RawMessage:
			if string(data) != c.object || !json.Valid(data) {
				t.Errorf("%s: the data is %s", c.object, data)
			}
		case string:
			if data != c.object || json.Valid([]byte(data)) {
				t.Errorf("%s: the data is the text %s", c.object, data)
			}
		default:
			t.Errorf("%s: the data is %T", c.object, data)
		}
		if valid := c.reason != "invalid_error_object"; (e.RPCError() != nil) != valid || (e.Peer() != nil) != valid {
			t.Errorf("%s: the error object is %s, the peer's error %v", c.object, e.RPCError(), e.Peer())
		}
	}
}

func FuzzFromRPCError(f *testing.F) {
	for _, seed := range []string{`{"code":-32602,"message":"x"}`, `{"code":1e3,"message":"x","data":{"uri":"a"}}`, `null`, `{"code":"1"}`, "{\"code\":1,\"message\":\"\\ud800\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		e := errmapmcp.FromRPCError(object)
		if e.Kind() != errmapmcp.KindProtocol {
			t.Fatalf("the kind is %s", e.Kind())
		}
		if wire, ok := errors.AsType[*jsonrpc.Error](e); ok {
			if number, _ := e.Reason().Number(); number != wire.Code {
				t.Fatalf("the reason is %s and the code %d", e.Reason(), wire.Code)
			}
			if e.Peer() == nil || !bytes.Equal(e.RPCError(), object) {
				t.Fatal("the object is lost")
			}
		}
		if len(e.Error()) > 200 {
			t.Fatalf("the text %q is long", e.Error())
		}
	})
}

func TestError_messageOfKind(t *testing.T) {
	t.Parallel()
	e := newError(t, errmapmcp.KindRateLimited, "rate", errmapmcp.WithRetryDelay(time.Second))
	message, ok := errors.AsType[*mcpv1.RateLimitedError](e)
	if !ok || message.GetReason() != "rate" || message.GetRetry().GetRetryDelay().AsDuration() != time.Second {
		t.Errorf("the message is %v", message)
	}
	again, _ := errors.AsType[*mcpv1.RateLimitedError](e)
	if again == message || !proto.Equal(again, message) {
		t.Error("the error hands out what it keeps")
	}
}
