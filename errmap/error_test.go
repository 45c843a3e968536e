package errmap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// Every method of Error takes a nil receiver, and so does every encoder.
func TestError_nil(t *testing.T) {
	t.Parallel()
	var e *errmap.Error
	v := reflect.ValueOf(e)
	for i := range v.NumMethod() {
		method := v.Type().Method(i)
		in := []reflect.Value{}
		for k := 1; k < method.Type.NumIn(); k++ {
			if method.Type.IsVariadic() && k == method.Type.NumIn()-1 {
				break
			}
			in = append(in, reflect.Zero(method.Type.In(k)))
		}
		for k, out := range v.Method(i).Call(in) {
			if text, ok := out.Interface().(string); ok && (text == "" || text == "<nil>") {
				continue
			}
			if log, ok := out.Interface().(slog.Value); ok && log.Any() == nil {
				continue
			}
			if method.Name == "Is" || method.Name == "MarshalJSON" { // nil is nil, and null
				continue
			}
			if !out.IsZero() {
				t.Errorf("%s returns %v (%d) of nil", method.Name, out, k)
			}
		}
	}
	for _, w := range allWires {
		if w.name == "status" {
			continue
		}
		if p := w.encode(nil); len(p.body) > 0 || len(p.headers) > 0 {
			t.Errorf("%s: %s", w.name, p)
		}
	}
	if errmap.ToMap(nil, errmap.ProfileA2A) != nil || errmap.From(nil) != nil || errmap.New(nil) != nil || errmap.Forward(nil) != nil {
		t.Error("nil is something")
	}
	if got, ok := errmap.Detail[*errdetails.ErrorInfo](nil); ok || got != nil {
		t.Error("nil has a detail")
	}
	if got, ok := errmap.Detail[*errdetails.ErrorInfo](e); ok || got != nil {
		t.Error("a typed nil has a detail")
	}
	if errmap.From(error(e)) != nil {
		t.Error("a typed nil is something")
	}
	if dst, number := errmap.AppendJSONRPC([]byte("x"), nil, errmap.ProfileMCP); string(dst) != "x" || number != 0 {
		t.Errorf("%s %d", dst, number)
	}
	if code := errors.Is(e, errmap.NewCode(5, "")); code {
		t.Error("nil is something")
	}
	var zero errmap.RawDetail
	if value, ok := zero.Value(); len(value) != 0 || !ok || zero.TypeURL() != "" || zero.Name() != "" || zero.Any() == nil {
		t.Error("the zero RawDetail is not the empty Any")
	}
}

func TestError_getters(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	e := errmap.NewCode(code.Code_UNAVAILABLE, "caf\xe9").WithCause(cause).
		WithDetail(&errdetails.ErrorInfo{Reason: "R", Domain: "d.example.com", Metadata: map[string]string{"k": "v"}}).
		WithRetryDelay(1500 * time.Millisecond)
	if e.Code() != code.Code_UNAVAILABLE || e.Number() != 14 || e.Message() != "caf\uFFFD" || e.Unwrap() != cause || !errors.Is(e, cause) {
		t.Errorf("%v", e)
	}
	if e.Error() != "UNAVAILABLE d.example.com/R: caf\uFFFD" || e.Reason() != "R" || e.Domain() != "d.example.com" || e.HTTPStatus() != 503 {
		t.Errorf("%v", e)
	}
	if delay, ok := e.RetryDelay(); !ok || delay != 1500*time.Millisecond || e.RetryAfter() != "2" || !e.Retryable() {
		t.Errorf("%v %v", delay, ok)
	}
	if e.Remote() || e.Local() || e.Notes() != nil || e.Received() != nil {
		t.Errorf("%s", describe(e))
	}
	if e.WithCause(nil).Unwrap() != nil {
		t.Error("the cause stays")
	}
	if got := errmap.NewCode(code.Code_NOT_FOUND, "").Error(); got != "NOT_FOUND" {
		t.Errorf("%q", got)
	}
	if got := errmap.NewCode(42, "m"); got.Code() != code.Code_UNKNOWN || got.Number() != 42 || got.HTTPStatus() != 500 {
		t.Errorf("%v", got)
	}
	received := decodeText(t, "http", `{"error":{"code":422,"status":"INVALID_ARGUMENT","message":"m"}}`, 422)
	if received.HTTPStatus() != 422 {
		t.Errorf("HTTP status %d", received.HTTPStatus())
	}
}

func TestError_Retryable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		e    *errmap.Error
		want bool
	}{
		"UNAVAILABLE":                         {errmap.NewCode(code.Code_UNAVAILABLE, ""), true},
		"another code":                        {errmap.NewCode(code.Code_INTERNAL, ""), false},
		"another with delay":                  {errmap.NewCode(code.Code_ABORTED, "").WithRetryDelay(0), true},
		"an identity that says nothing of it": {errmap.New(&shopv1.StockEmptyError{}), false},
	} {
		if got := test.e.Retryable(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Errors are immutable: what a getter hands out, and what With takes, is nobody
// else's.
func TestError_immutable(t *testing.T) {
	t.Parallel()
	value := []byte("abc")
	raw := errmap.NewRawDetail("a.B", value)
	value[0] = 'x'
	if got, _ := raw.Value(); string(got) != "abc" {
		t.Errorf("%s", got)
	}
	info := &errdetails.ErrorInfo{Reason: "R"}
	e := errmap.NewCode(5, "m").WithDetail(info)
	info.Reason = "X"
	if e.Reason() != "R" {
		t.Error("With keeps what it was given")
	}
	before := describe(e)
	e.ErrorInfo().Reason = "X"
	got, _ := e.Details()[0].Value()
	got[0] = 0xFF
	e.Details()[0] = errmap.RawDetail{}
	_ = e.WithMessage("x").WithDetail(&errdetails.Help{}).WithCause(io.EOF).WithRemote().WithLocal()
	if describe(e) != before {
		t.Errorf("%s became %s", before, describe(e))
	}
	a, b := e.WithDetail(&errdetails.Help{}), e.WithDetail(&errdetails.DebugInfo{})
	if a.Details()[1].Name() == b.Details()[1].Name() {
		t.Error("two errors share their list")
	}
	r := decodeText(t, "http", `{"error":{"code":404,"x":1}}`, 0)
	r.Received()[0].Members[0] = 'X'
	if string(r.Received()[0].Members) != `{"x":1}` {
		t.Error("Received hands out its own")
	}
	if n := decodeText(t, "connect", `{"code":"x"}`, 0); len(n.Notes()) > 0 {
		n.Notes()[0] = "X"
		if n.Notes()[0] == "X" {
			t.Error("Notes hands out its own")
		}
	}
	shared := e.Status()
	shared.ProtoReflect().SetUnknown([]byte{0xA0, 0x06, 0x01})
	held, err := errmap.FromStatus(shared)
	if err != nil {
		t.Fatal(err)
	}
	was := describe(held)
	shared.Details[0].Value[0] = 0xFF
	shared.ProtoReflect().GetUnknown()[2] = 0xFF
	out := held.Status()
	out.Details[0].Value[0] = 0xFF
	out.ProtoReflect().GetUnknown()[2] = 0xFF
	if describe(held) != was {
		t.Errorf("%s became %s", was, describe(held))
	}
	text := decodeText(t, generic, `{"code":1,"data":"x"}`, 0)
	j, _ := text.Details()[0].JSON()
	j[0] = 'X'
	if again, _ := text.Details()[0].JSON(); string(again) != `"x"` {
		t.Error("JSON hands out its own")
	}
	if text.Details()[0].Any() != nil {
		t.Error("JSON has an Any")
	}
}

func TestError_As(t *testing.T) {
	t.Parallel()
	sent := &shopv1.StockEmptyError{Sku: "A1", Retry: &errdetails.RetryInfo{}}
	for _, w := range allWires {
		e, err := w.decode(w.encode(errmap.New(sent)))
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"itself": e, "wrapped": fmt.Errorf("w: %w", e), "joined": errors.Join(io.EOF, fmt.Errorf("w: %w", e))} {
			got, ok := errors.AsType[*shopv1.StockEmptyError](err)
			if !ok || !proto.Equal(got, sent) {
				t.Errorf("%s, %s: %v, %v", w.name, name, got, ok)
			}
			if _, ok := errors.AsType[*a2av1.TaskNotFoundError](err); ok {
				t.Errorf("%s, %s: another error is found", w.name, name)
			}
		}
	}
	e := errmap.New(sent)
	if got, ok := errors.AsType[*shopv1.StockEmptyError](error(e)); !ok || !proto.Equal(got, sent) {
		t.Errorf("made here: %v, %v", got, ok)
	}
	for _, target := range []any{nil, 5, new(int), (**shopv1.StockEmptyError)(nil), new(error), new(fmt.Stringer), new(shopv1.StockEmptyError)} {
		if e.As(target) {
			t.Errorf("As(%T)", target)
		}
	}
	into := new(shopv1.StockEmptyError)
	if !e.Fill(into) || into.GetSku() != "A1" || e.Fill(nil) || e.Fill(new(a2av1.TaskNotFoundError)) || e.Fill(new(errdetails.ErrorInfo)) {
		t.Errorf("Fill: %v", into)
	}
}

func TestError_Is(t *testing.T) {
	t.Parallel()
	one, two := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}), errmap.New(&shopv1.StockEmptyError{Sku: "B2"}).WithMessage("other")
	remote := decodeText(t, "http", encodeText(t, "http", one), 0)
	for name, test := range map[string]struct {
		err, target error
		want        bool
	}{
		"other metadata and text":      {one, two, true},
		"over a wire":                  {fmt.Errorf("w: %w", remote), one, true},
		"an annotated message":         {remote, &shopv1.StockEmptyError{}, true},
		"another identity":             {one, errmap.New(&a2av1.TaskNotFoundError{}), false},
		"another message":              {one, &a2av1.TaskNotFoundError{}, false},
		"the same code only":           {errmap.NewCode(5, "m"), errmap.NewCode(5, "m"), false},
		"a remote cancel is not local": {decodeText(t, "connect", `{"code":"canceled"}`, 0), context.Canceled, false},
		"a remote deadline":            {decodeText(t, "connect", `{"code":"deadline_exceeded"}`, 0), context.DeadlineExceeded, false},
		"a local cancel":               {errmap.From(context.Canceled), context.Canceled, true},
		"a local deadline":             {errmap.From(fmt.Errorf("x: %w", context.DeadlineExceeded)), context.DeadlineExceeded, true},
		"something else":               {one, io.EOF, false},
	} {
		if got := errors.Is(test.err, test.target); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	same := errmap.NewCode(5, "m")
	if !errors.Is(fmt.Errorf("w: %w", same), same) {
		t.Error("an error is not itself")
	}
}

func TestWire_String(t *testing.T) {
	t.Parallel()
	for w, want := range map[errmap.Wire]string{
		errmap.WireConnect: "connect", errmap.WireGRPC: "grpc", errmap.WireStatus: "status", errmap.WireHTTP: "http",
		errmap.WireProblem: "problem", errmap.WireJSONRPC: "jsonrpc", 0: "unspecified", 77: "unspecified",
	} {
		if got := w.String(); got != want {
			t.Errorf("%d: %s, want %s", w, got, want)
		}
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":404,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","@value":"Cv8="},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","metadata":{"n":5},"x":1}]}}`, 0)
	if info, ok := errmap.Detail[*errdetails.ErrorInfo](fmt.Errorf("w: %w", e)); !ok || info.GetReason() != "R" || info.GetMetadata()["n"] != "5" {
		t.Errorf("%v, %v", info, ok)
	}
	if got, ok := errmap.Detail[*errdetails.Help](e); ok || got != nil {
		t.Errorf("%v, %v", got, ok)
	}
	if got, ok := errmap.Detail[*errdetails.RetryInfo](&shopv1.StockEmptyError{Retry: &errdetails.RetryInfo{}}); !ok || got == nil {
		t.Errorf("of an annotated message: %v, %v", got, ok)
	}
	if _, ok := errmap.Detail[*errdetails.RetryInfo](io.EOF); ok {
		t.Error("of any error")
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	stock := &shopv1.StockEmptyError{Sku: "A1"}
	task := &a2av1.TaskNotFoundError{TaskId: "t"}
	for name, test := range map[string]struct {
		err     error
		code    code.Code
		message string
		note    string
	}{
		"an annotated message":    {stock, 9, "No A1 left", ""},
		"wrapped":                 {fmt.Errorf("secret: %w", stock), 9, "No A1 left", ""},
		"joined behind another":   {errors.Join(io.EOF, fmt.Errorf("secret: %w", stock)), 9, "No A1 left", ""},
		"the first of two":        {errors.Join(task, stock), 5, "Task not found", "1 further errors"},
		"an Error":                {fmt.Errorf("secret: %w", errmap.NewCode(7, "no")), 7, "no", ""},
		"a remote Error":          {fmt.Errorf("secret: %w", errmap.NewCode(7, "no").WithRemote()), 7, "no", ""},
		"canceled":                {fmt.Errorf("secret: %w", context.Canceled), 1, "canceled", ""},
		"a deadline":              {context.DeadlineExceeded, 4, "deadline exceeded", ""},
		"any error":               {errors.New("secret"), 13, "internal error", ""},
		"a nil annotated message": {(*shopv1.StockEmptyError)(nil), 9, "The stock is empty", ""},
	} {
		e := errmap.From(test.err)
		if e.Code() != test.code || e.Message() != test.message || !strings.Contains(strings.Join(e.Notes(), ""), test.note) {
			t.Errorf("%s: %s", name, describe(e))
		}
		for _, w := range allWires {
			if p := w.encode(e); strings.Contains(p.String(), "secret") {
				t.Errorf("%s, %s: %s", name, w.name, p)
			}
		}
		if name != "an annotated message" && name != "a nil annotated message" && !errors.Is(e, test.err) && test.code != 7 && test.note == "" {
			t.Errorf("%s: the cause is %v", name, e.Unwrap())
		}
	}
	if e := errmap.From(fmt.Errorf("w: %w", errmap.New(stock))); e.Notes() != nil {
		t.Errorf("what an error was made of counts as another: %s", describe(e))
	}
	if e := errmap.New(new(errdetails.ErrorInfo)); e.Code() != code.Code_INTERNAL || e.Message() != "internal error" || !errors.Is(e, errmap.ErrNotAnnotated) {
		t.Errorf("a message without the option: %s", describe(e))
	}
}

func TestForward(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(7, "no").WithRemote()
	forwarded := errmap.Forward(fmt.Errorf("upstream: %w", e))
	if got := new(errmap.Guard).Outgoing(t.Context(), forwarded); got.Message() != "no" {
		t.Errorf("%v", got)
	}
	if err := errmap.Forward(io.EOF); err != io.EOF {
		t.Errorf("%v", err)
	}
}

func TestError_LogValue(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1", Retry: &errdetails.RetryInfo{}}).WithCause(io.EOF).WithRemote()
	log.Error("failed", "err", e)
	log.Error("private", "err", decodeText(t, "connect", `{"code":"code_42","message":"m","Message":"x"}`, 0))
	log.Error("nil", "err", (*errmap.Error)(nil))
	want := `level=ERROR msg=failed err.code=FAILED_PRECONDITION err.message="No A1 left" err.reason=STOCK_EMPTY err.domain=shop.example.com err.metadata.sku=A1 err.details=[google.rpc.RetryInfo] err.remote=true err.cause=EOF
level=ERROR msg=private err.code=UNKNOWN err.number=42 err.message=m err.notes="[member \"Message\" differs from one of the form's only in case: dropped]"
level=ERROR msg=nil err=<nil>
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestFromMap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   map[string]any
		want string
		note string
	}{
		"numbers of any type":           {map[string]any{"code": -31404, "message": "m"}, `{"code":-31404,"message":"m"}`, ""},
		"floats":                        {map[string]any{"code": -31404.0, "message": "m"}, `{"code":-31404,"message":"m"}`, ""},
		"data of Go types":              {map[string]any{"code": int64(1), "message": "m", "data": []int{1, 2}}, `{"code":1,"message":"m","data":[1,2]}`, ""},
		"text is not escaped for HTML":  {map[string]any{"code": int64(1), "message": "m", "data": "<&>"}, `{"code":1,"message":"m","data":"<&>"}`, ""},
		"data that has no JSON":         {map[string]any{"code": 4001, "message": "m", "data": make(chan int)}, `{"code":4001,"message":"m"}`, `member "data" dropped`},
		"data that is NaN inside a map": {map[string]any{"code": 4001, "message": "m", "data": map[string]any{"f": func() {}}}, `{"code":4001,"message":"m"}`, `member "data" dropped`},
		"data that is nil":              {map[string]any{"code": 4001, "message": "m", "data": nil}, `{"code":4001,"message":"m","data":null}`, ""},
	} {
		e, err := errmap.FromMap(test.in, errmap.ProfileGeneric)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := encodeText(t, generic, e); got != test.want || !strings.Contains(strings.Join(e.Notes(), ""), test.note) {
			t.Errorf("%s: %s, notes %q", name, got, e.Notes())
		}
	}
	if e, err := errmap.FromMap(nil, errmap.ProfileGeneric); e != nil || err == nil {
		t.Errorf("%v, %v", e, err)
	}
	if e, err := errmap.FromMap(map[string]any{"x": 1}, errmap.ProfileGeneric); e != nil || err == nil || err.Error() != "not a jsonrpc error: no code, message or data" {
		t.Errorf("%v, %v", e, err)
	}
	m := errmap.ToMap(decodeText(t, generic, `{"code":1,"message":"m","data":{"n":9007199254740993}}`, 0), errmap.ProfileGeneric)
	if fmt.Sprint(m["data"]) != "map[n:9007199254740993]" || m["code"] != int64(1) {
		t.Errorf("%v", m)
	}
}
