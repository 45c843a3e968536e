package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

// exchanges runs bodies through one handler and compares exact answers.
func exchanges(t *testing.T, handler http.Handler, table [][2]string) {
	t.Helper()
	for _, row := range table {
		got := post(t, handler, row[0])
		if got.status != http.StatusOK || got.body != row[1] {
			t.Errorf("%s\n got %d %s\nwant 200 %s", row[0], got.status, got.body, row[1])
		}
	}
}

func TestField_051_malformed_requests_are_the_callers_fault(t *testing.T) {
	t.Parallel()
	exchanges(t, newHandler(t, new(cart)), [][2]string{
		{`{"qty":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: unexpected end at offset 7, expected a value"}}`},
		{
			`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"qty":{}}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: not a shop.v1.GetRequest: (line 1:8): invalid value for int32 field qty"}}`,
		},
	})
}

func TestField_086_string_ids(t *testing.T) {
	t.Parallel()
	exchanges(t, newHandler(t, new(cart)), [][2]string{
		{`{"jsonrpc":"2.0","id":"a-1","method":"shop.v1.Cart/Get","params":{}}`, `{"jsonrpc":"2.0","id":"a-1","result":{}}`},
		{
			`[{"jsonrpc":"2.0","id":"1","method":"shop.v1.Cart/Get"},{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get"}]`,
			`[{"jsonrpc":"2.0","id":"1","result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`,
		},
	})
}

func TestField_088_ids_that_look_absent(t *testing.T) {
	t.Parallel()
	exchanges(t, newHandler(t, new(cart)), [][2]string{
		{`{"jsonrpc":"2.0","id":0,"method":"shop.v1.Cart/Get"}`, `{"jsonrpc":"2.0","id":0,"result":{}}`},
		{`{"jsonrpc":"2.0","id":"","method":"shop.v1.Cart/Get"}`, `{"jsonrpc":"2.0","id":"","result":{}}`},
		{`{"jsonrpc":"2.0","id":null,"method":"shop.v1.Cart/Get"}`, `{"jsonrpc":"2.0","id":null,"result":{}}`},
	})
}

func TestField_090_params_of_other_types(t *testing.T) {
	t.Parallel()
	refused := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}`
	var table [][2]string
	for _, params := range []string{`"x"`, `1`, `true`, `[1]`, `[[]]`, `[{"sku":"A1"}]`} {
		table = append(table, [2]string{`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":` + params + `}`, refused})
	}
	table = append(table, [2]string{`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":null}`, `{"jsonrpc":"2.0","id":1,"result":{}}`})
	exchanges(t, newHandler(t, new(cart)), table)
}

func TestField_091_parse_errors_and_invalid_requests(t *testing.T) {
	t.Parallel()
	answer := func(id, number, text string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + number + `,"message":"` + text + `"}}`
	}
	exchanges(t, newHandler(t, new(cart)), [][2]string{
		{`{"jsonrpc":"2.0",`, answer("null", "-32700", "Parse error: unexpected end at offset 17, expected a name in quotes")},
		{`5`, answer("null", "-32600", "Invalid Request: the request is not an object")},
		{`"x"`, answer("null", "-32600", "Invalid Request: the request is not an object")},
		{`{"id":1,"method":"m"}`, answer("1", "-32600", `Invalid Request: the member jsonrpc is not \"2.0\"`)},
		{"\xEF\xBB\xBF" + get("1", "a"), answer("null", "-32700", "Parse error: the body begins with a byte order mark")},
		{`{} x`, answer("null", "-32700", "Parse error: invalid character 'x' at offset 3, expected the end")},
	})
}

func TestField_093_edge_batches(t *testing.T) {
	t.Parallel()
	const notObject = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the request is not an object"}}`
	exchanges(t, newHandler(t, new(cart)), [][2]string{
		{`[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the batch is empty"}}`},
		{`[1]`, `[` + notObject + `]`},
		{`[1,2,3]`, `[` + notObject + `,` + notObject + `,` + notObject + `]`},
		{`[[{"jsonrpc":"2.0","id":1,"method":"m"}]]`, `[` + notObject + `]`},
	})
}

func TestField_097_a_batch_beyond_the_limit(t *testing.T) {
	t.Parallel()
	called := false
	service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		called = true
		return &shopv1.GetResponse{}, nil
	}}
	var items []string
	for i := range 1001 {
		items = append(items, get(fmt.Sprint(i+5), "a"))
	}
	exchanges(t, newHandler(t, service), [][2]string{{
		"[" + strings.Join(items, ",") + "]",
		`{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request: the batch has 1001 elements, more than 1000"}}`,
	}})
	if called {
		t.Error("a call was made")
	}
}

func TestField_101_numbers_are_no_HTTP_statuses(t *testing.T) {
	t.Parallel()
	upstream, err := errmap.DecodeHTTP([]byte(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow down","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA","domain":"shop.example.com"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	exchanges(t, newHandler(t, failing(errmap.Forward(upstream.WithRemote()))), [][2]string{{
		get("1", "A1"),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-31429,"message":"slow down","data":[` +
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA","domain":"shop.example.com"}]}}`,
	}})
}

func TestField_102_HTTP_statuses(t *testing.T) {
	t.Parallel()
	login := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.Header().Set("Www-Authenticate", "Bearer")
				http.Error(w, "", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	tests := []struct {
		profile       errmap.Profile
		authorization string
		body          string
		status        int
	}{
		{errmap.ProfileGeneric, "x", get("1", "A1"), 200},
		{errmap.ProfileA2A, "x", get("1", "A1"), 200},
		{errmap.ProfileMCP, "x", get("1", "A1"), 200},
		{errmap.ProfileMCP, "x", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, 404},
		{errmap.ProfileMCP, "x", `5`, 400},
		{errmap.ProfileGeneric, "x", strings.Repeat(" ", 200), 413},
		{errmap.ProfileMCP, "x", strings.Repeat(" ", 200), 413},
		{errmap.ProfileGeneric, "", get("1", "A1"), 401},
	}
	for _, test := range tests {
		handler := login(newHandler(t, failing(stock("A1")), server.WithProfile(test.profile), server.WithLimits(server.Limits{RequestBytes: 150})))
		got := post(t, handler, test.body, "Authorization", test.authorization)
		if got.status != test.status {
			t.Errorf("%v, %s: status %d, want %d", test.profile, test.body, got.status, test.status)
		}
	}
}

func TestField_104_numbers_in_data_keep_their_text(t *testing.T) {
	t.Parallel()
	const data = `[{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"h":12345678901234567890123,"f":1.0}]`
	upstream, err := errmap.DecodeJSONRPC([]byte(`{"code":-31404,"message":"m","data":`+data+`}`), errmap.ProfileGeneric)
	if err != nil {
		t.Fatal(err)
	}
	exchanges(t, newHandler(t, failing(errmap.Forward(upstream.WithRemote()))), [][2]string{{
		get("1", "A1"), `{"jsonrpc":"2.0","id":1,"error":{"code":-31404,"message":"m","data":` + data + `}}`,
	}})
}

func TestField_116_failures_are_never_in_a_result(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, failing(errmap.NewCode(code.Code_NOT_FOUND, "x")))
	for _, body := range []string{get("1", "A1"), "[" + get("1", "A1") + "]"} {
		if got := post(t, handler, body); strings.Contains(got.body, `"result"`) || !strings.Contains(got.body, `"error":{"code":-31404,"message":"x"}`) {
			t.Errorf("got %s, want an error and no result", got.body)
		}
	}
}

func TestField_111_the_form_of_A2A_errors(t *testing.T) {
	t.Parallel()
	taskNotFound, err := errmap.DecodeJSONRPC([]byte(`{"code":-32001,"message":"Task not found"}`), errmap.ProfileA2A)
	if err != nil {
		t.Fatal(err)
	}
	handler := newHandler(t, failing(taskNotFound), server.WithProfile(errmap.ProfileA2A))
	exchanges(t, handler, [][2]string{
		{
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"Get","params":{}}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32001,"message":"Task not found","data":[` +
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`,
		},
		{
			`{"jsonrpc":"2.0","id":1,"method":"Get","params":[]}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}`,
		},
	})
}

func TestHandler_interceptorsRun(t *testing.T) {
	t.Parallel()
	var procedures []string
	rpc := connect.NewServer(func(next connect.ServerFunc) connect.ServerFunc {
		return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
			procedures = append(procedures, spec.Procedure)
			return connect.NewError(connect.CodeUnauthenticated, "who are you?")
		}
	})
	registerCart(rpc, new(cart))
	handler, err := server.NewHandler(rpc)
	if err != nil {
		t.Fatal(err)
	}
	got := send(t, handler, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(get("1", "A1"))))
	if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31401,"message":"who are you?"}}`; got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
	if diff := cmp.Diff([]string{"/shop.v1.Cart/Get"}, procedures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
