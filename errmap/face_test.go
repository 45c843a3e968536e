package errmap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/errmap"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want code.Code
	}{
		{nil, code.Code_OK},
		{(*errmap.Error)(nil), code.Code_OK},
		{io.EOF, code.Code_INTERNAL},
		{fmt.Errorf("cart: %w", &shopv1.StockEmptyError{}), code.Code_FAILED_PRECONDITION},
		{errors.Join(io.EOF, errmap.NewCode(404, "private")), code.Code_UNKNOWN},
		{t.Context().Err(), code.Code_OK},
	} {
		if got := errmap.CodeOf(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

// A program that reads A2A's errors goes by their numbers.
func TestFinding_S06_number_under_a_profile(t *testing.T) {
	t.Parallel()
	notFound := errmap.New(&a2av1.TaskNotFoundError{})
	for p, want := range map[errmap.Profile]int64{
		errmap.ProfileA2A: -32001, errmap.ProfileGeneric: -32001, errmap.ProfileMCP: -31404, errmap.ProfileMCP20251125: -31404,
	} {
		if got := notFound.JSONRPCCode(p); got != want {
			t.Errorf("%s: %d, want %d", p, got, want)
		}
	}
	for i := range cases(t, 200) {
		e, _, _ := newGenerator(seed(t)+11000, uint64(i)).received()
		for _, p := range errmap.Profiles() {
			if _, number := errmap.AppendJSONRPC(nil, e, p); e.JSONRPCCode(p) != number {
				t.Fatalf("case %d, %s: %d is written, %d told of %s", i, p, number, e.JSONRPCCode(p), describe(e))
			}
		}
	}
	if got := (*errmap.Error)(nil).JSONRPCCode(errmap.ProfileA2A); got != 0 {
		t.Errorf("nil: %d", got)
	}
}

func TestError_Metadata(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
	if got := e.Metadata(); !maps.Equal(got, map[string]string{"sku": "A1"}) {
		t.Errorf("%v", got)
	}
	e.Metadata()["sku"] = "B2"
	if e.Metadata()["sku"] != "A1" || errmap.NewCode(5, "m").Metadata() != nil {
		t.Error("Metadata hands out what the error holds, or makes some up")
	}
}

func TestFromHTTPStatus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wire   errmap.Wire
		status int
		want   code.Code
	}{
		{errmap.WireHTTP, 404, code.Code_NOT_FOUND},
		{errmap.WireProblem, 502, code.Code_UNAVAILABLE},
		{errmap.WireConnect, 404, code.Code_UNIMPLEMENTED},
		{errmap.WireGRPC, 502, code.Code_UNAVAILABLE},
		{errmap.WireJSONRPC, 400, code.Code_INTERNAL},
	} {
		e := errmap.FromHTTPStatus(tt.wire, tt.status)
		if e.Code() != tt.want || e.HTTPStatus() != tt.status || !strings.HasPrefix(e.Message(), fmt.Sprintf("HTTP status %d", tt.status)) {
			t.Errorf("%s %d: %s", tt.wire, tt.status, describe(e))
		}
	}
	for _, none := range []int{0, 99, 1000, -1} {
		if e := errmap.FromHTTPStatus(errmap.WireHTTP, none); e != nil {
			t.Errorf("%d: %v", none, e)
		}
	}
}

// What a server would not send is in no JSON of an error either.
func TestError_MarshalJSON(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.0.0.7")
	made := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).WithCause(secret).WithDetail(&errdetails.DebugInfo{Detail: "dial tcp 10.0.0.7"})
	const plain = `{"code":9,"message":"No A1 left","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}]}`
	const hidden = `{"code":13,"message":"internal error"}`
	for name, tt := range map[string]struct {
		e    *errmap.Error
		want string
	}{
		"made for callers":     {made, plain},
		"of a peer":            {made.WithRemote(), hidden},
		"of a call here":       {made.WithLocal(), hidden},
		"a stand-in":           {errmap.From(secret), hidden},
		"nil":                  {nil, "null"},
		"of a peer, forwarded": {errmap.Forward(made.WithRemote()).(*errmap.Error), plain},
	} {
		got, err := json.Marshal(tt.e)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestError_Format(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).WithCause(io.EOF)
	const line = "FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left"
	for verb, want := range map[string]string{
		"%v": line, "%s": line, "%q": `"` + line + `"`, "%d": "%!d(*errmap.Error=" + line + ")",
		"%+v": line + "\n    detail: " + `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}` + "\n    cause: EOF",
	} {
		if got := fmt.Sprintf(verb, e); got != want {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if got := fmt.Sprintf("%+v %v", (*errmap.Error)(nil), (*errmap.Error)(nil)); got != "<nil> <nil>" {
		t.Errorf("nil: %s", got)
	}
}

func TestLogAttr(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("typed", errmap.LogAttr(fmt.Errorf("cart: %w", &shopv1.StockEmptyError{Sku: "A1"})))
	log.Info("plain", errmap.LogAttr(io.EOF))
	log.Info("none", errmap.LogAttr(nil))
	want := `msg=typed error.code=FAILED_PRECONDITION error.message="No A1 left" error.reason=STOCK_EMPTY error.domain=shop.example.com error.metadata.sku=A1 error.cause="cart: FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left"
msg=plain error=EOF
msg=none error=<nil>
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
