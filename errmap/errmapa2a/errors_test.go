package errmapa2a_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

// constructor is one of the fourteen with what the reference says of it.
type constructor struct {
	name     string
	make     func(data ...any) *errmap.Error
	number   int64
	message  string
	code     code.Code
	reason   string // "" for the five standard errors
	sentinel error
	message1 proto.Message // the generated message; nil for the five
}

var constructors = []constructor{
	{"ParseError", errmapa2a.ParseError, -32700, "Invalid JSON payload", code.Code_INVALID_ARGUMENT, "", a2a.ErrParseError, nil},
	{"InvalidRequest", errmapa2a.InvalidRequest, -32600, "Request payload validation error", code.Code_INVALID_ARGUMENT, "", a2a.ErrInvalidRequest, nil},
	{"MethodNotFound", errmapa2a.MethodNotFound, -32601, "Method not found", code.Code_UNIMPLEMENTED, "", a2a.ErrMethodNotFound, nil},
	{"InvalidParams", errmapa2a.InvalidParams, -32602, "Invalid parameters", code.Code_INVALID_ARGUMENT, "", a2a.ErrInvalidParams, nil},
	{"InternalError", errmapa2a.InternalError, -32603, "Internal error", code.Code_INTERNAL, "", a2a.ErrInternalError, nil},
	{"TaskNotFound", errmapa2a.TaskNotFound, -32001, "Task not found", code.Code_NOT_FOUND, "TASK_NOT_FOUND", a2a.ErrTaskNotFound, &a2av1.TaskNotFoundError{}},
	{"TaskNotCancelable", errmapa2a.TaskNotCancelable, -32002, "Task cannot be canceled", code.Code_FAILED_PRECONDITION, "TASK_NOT_CANCELABLE", a2a.ErrTaskNotCancelable, &a2av1.TaskNotCancelableError{}},
	{"PushNotificationNotSupported", errmapa2a.PushNotificationNotSupported, -32003, "Push Notification is not supported", code.Code_FAILED_PRECONDITION, "PUSH_NOTIFICATION_NOT_SUPPORTED", a2a.ErrPushNotificationNotSupported, &a2av1.PushNotificationNotSupportedError{}},
	{"UnsupportedOperation", errmapa2a.UnsupportedOperation, -32004, "This operation is not supported", code.Code_FAILED_PRECONDITION, "UNSUPPORTED_OPERATION", a2a.ErrUnsupportedOperation, &a2av1.UnsupportedOperationError{}},
	{"ContentTypeNotSupported", errmapa2a.ContentTypeNotSupported, -32005, "Incompatible content types", code.Code_INVALID_ARGUMENT, "CONTENT_TYPE_NOT_SUPPORTED", a2a.ErrUnsupportedContentType, &a2av1.ContentTypeNotSupportedError{}},
	{"InvalidAgentResponse", errmapa2a.InvalidAgentResponse, -32006, "Invalid agent response", code.Code_INTERNAL, "INVALID_AGENT_RESPONSE", a2a.ErrInvalidAgentResponse, &a2av1.InvalidAgentResponseError{}},
	{"AuthenticatedExtendedCardNotConfigured", errmapa2a.AuthenticatedExtendedCardNotConfigured, -32007, "Authenticated Extended Card is not configured", code.Code_FAILED_PRECONDITION, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", a2a.ErrExtendedCardNotConfigured, &a2av1.ExtendedAgentCardNotConfiguredError{}},
	{"ExtensionSupportRequired", errmapa2a.ExtensionSupportRequired, -32008, "Extension support is required", code.Code_FAILED_PRECONDITION, "EXTENSION_SUPPORT_REQUIRED", a2a.ErrExtensionSupportRequired, &a2av1.ExtensionSupportRequiredError{}},
	{"VersionNotSupported", errmapa2a.VersionNotSupported, -32009, "Version not supported", code.Code_FAILED_PRECONDITION, "VERSION_NOT_SUPPORTED", a2a.ErrVersionNotSupported, &a2av1.VersionNotSupportedError{}},
}

// object is the JSON of a map, whose members encoding/json sorts.
func object(t *testing.T, m map[string]any) string {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const infoHead = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org",`

func TestToMap_WithoutData(t *testing.T) {
	t.Parallel()
	for _, c := range constructors {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := `{"code":` + json.Number(jsonInt(c.number)).String() + `,"message":"` + c.message + `"}`
			if c.reason != "" {
				want = `{"code":` + jsonInt(c.number) + `,"data":[` + infoHead + `"reason":"` + c.reason + `"}],"message":"` + c.message + `"}`
			}
			for _, e := range []*errmap.Error{c.make(), c.make(nil)} {
				m := errmapa2a.ToMap(e)
				if got := object(t, m); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				if _, ok := m["code"].(int64); !ok {
					t.Errorf("code is a %T, want int64", m["code"])
				}
				if e.Code() != c.code {
					t.Errorf("code %v, want %v", e.Code(), c.code)
				}
			}
		})
	}
}

func jsonInt(n int64) string { b, _ := json.Marshal(n); return string(b) }

func TestToMap_Nil(t *testing.T) {
	t.Parallel()
	if m := errmapa2a.ToMap(nil); m != nil {
		t.Errorf("got %v, want nil", m)
	}
}

func TestToMap_StandardDataPassesThrough(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data []any
		want string // the data member; "" for none
	}{
		{"text", []any{"boom"}, `"boom"`},
		{"number", []any{json.Number("9007199254740993")}, `9007199254740993`},
		{"int64", []any{int64(math.MaxInt64)}, `9223372036854775807`},
		{"bool", []any{false}, `false`},
		{"zero", []any{0}, `0`},
		{"empty text", []any{""}, `""`},
		{"null", []any{json.RawMessage("null")}, `null`},
		{"nil", []any{nil}, ``},
		{"a cause that is none", []any{map[string]any{"a": 1}, nil}, `{"a":1}`},
		{"object", []any{map[string]any{"b": []int{1}, "a": nil}}, `{"a":null,"b":[1]}`},
		{"struct", []any{struct {
			Field string `json:"field"`
		}{"id"}}, `{"field":"id"}`},
		{"raw tokens", []any{json.RawMessage(`{"n":12345678901234567890123,"f":1.0}`)}, `{"f":1.0,"n":12345678901234567890123}`},
		{"array", []any{[]string{"a", "b"}}, `["a","b"]`},
		{"several", []any{"a", 2}, `["a",2]`},
		{"html", []any{"<&>"}, `"<&>"`},
		{"typed object", []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}},
			`[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]`},
		{"protobuf", []any{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "id"}}}},
			`[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id"}]}]`},
	}
	for _, c := range constructors[:5] {
		for _, test := range tests {
			t.Run(c.name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				m := errmapa2a.ToMap(c.make(test.data...))
				if m["code"] != c.number || m["message"] != c.message {
					t.Errorf("got code %v, message %q", m["code"], m["message"])
				}
				data, present := m["data"]
				got := ""
				if present {
					var b strings.Builder
					enc := json.NewEncoder(&b)
					enc.SetEscapeHTML(false)
					if err := enc.Encode(data); err != nil {
						t.Fatal(err)
					}
					got = strings.TrimSuffix(b.String(), "\n")
				}
				if got != test.want {
					t.Errorf("data\ngot  %s\nwant %s", got, test.want)
				}
			})
		}
	}
}

func TestToMap_OwnDataBecomesMetadata(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data []any
		want string // the metadata member; "" for none
	}{
		{"object", []any{map[string]any{"taskId": "t-1", "attempt": 2, "last": true, "big": json.Number("9007199254740993"), "none": nil}},
			`{"attempt":"2","big":"9007199254740993","last":"true","taskId":"t-1"}`},
		{"nested", []any{map[string]any{"list": []int{1, 2}, "map": map[string]string{"k": "v"}}}, `{"list":"[1,2]","map":"{\"k\":\"v\"}"}`},
		{"text", []any{"boom"}, `{"data":"boom"}`},
		{"number", []any{1.5}, `{"data":"1.5"}`},
		{"array", []any{[]string{"a"}}, `{"data":"[\"a\"]"}`},
		{"several", []any{"a", 2}, `{"data":"[\"a\",2]"}`},
		{"nil", []any{nil}, ``},
		{"null", []any{json.RawMessage("null")}, ``},
	}
	for _, c := range constructors[5:] {
		for _, test := range tests {
			t.Run(c.name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				metadata := ""
				if test.want != "" {
					metadata = `"metadata":` + test.want + `,`
				}
				want := `{"code":` + jsonInt(c.number) + `,"data":[` + infoHead + metadata + `"reason":"` + c.reason + `"}],"message":"` + c.message + `"}`
				if got := object(t, errmapa2a.ToMap(c.make(test.data...))); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
	}
}

func TestToMap_OwnErrorKeepsDetails(t *testing.T) {
	t.Parallel()
	e := errmapa2a.ContentTypeNotSupported(
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "message.parts[0].mediaType"}}},
		map[string]any{"mediaType": "image/png"})
	want := `{"code":-32005,"data":[` + infoHead + `"metadata":{"mediaType":"image/png"},"reason":"CONTENT_TYPE_NOT_SUPPORTED"},` +
		`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts[0].mediaType"}]}],` +
		`"message":"Incompatible content types"}`
	if got := object(t, errmapa2a.ToMap(e)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestToMap_AnyNumberOfTheNine holds that the ErrorInfo array is there however
// an error came to its number.
func TestToMap_AnyNumberOfTheNine(t *testing.T) {
	t.Parallel()
	for number := int64(-32009); number <= -32001; number++ {
		for _, from := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			for _, data := range []any{nil, "x", []any{}, map[string]any{"a": 1}} {
				e, err := errmap.FromMap(map[string]any{"code": number, "message": "m", "data": data}, from)
				if err != nil {
					t.Fatal(err)
				}
				m := errmapa2a.ToMap(e)
				if n := m["code"].(int64); n < -32009 || n > -32001 {
					continue
				}
				elements, _ := m["data"].([]any)
				first, _ := append(elements, nil)[0].(map[string]any)
				if first["@type"] != "type.googleapis.com/google.rpc.ErrorInfo" || first["domain"] != "a2a-protocol.org" {
					t.Errorf("%d under %v with %v: data %v", number, from, data, m["data"])
				}
			}
		}
	}
}

func TestConstructor_Is(t *testing.T) {
	t.Parallel()
	for i, c := range constructors {
		for _, e := range []*errmap.Error{c.make(), c.make(map[string]any{"taskId": "t-1"})} {
			for j, other := range constructors {
				if got, want := errors.Is(e, other.sentinel), i == j; got != want {
					t.Errorf("errors.Is(%s, %v) = %v", c.name, other.sentinel, got)
				}
			}
			if c.message1 == nil {
				continue
			}
			if !errors.Is(e, c.make()) || !errors.Is(e, c.message1.(error)) {
				t.Errorf("%s is not itself", c.name)
			}
		}
	}
	found, ok := errors.AsType[*a2av1.TaskNotFoundError](errmapa2a.TaskNotFound(map[string]any{"taskId": "t-1"}))
	if !ok || found.GetTaskId() != "t-1" {
		t.Errorf("got %v, %v", found, ok)
	}
}

// TestConstructor_Cause holds that a Go error given as data is no data.
func TestConstructor_Cause(t *testing.T) {
	t.Parallel()
	for _, c := range constructors {
		e := c.make(io.ErrUnexpectedEOF)
		if !errors.Is(e, io.ErrUnexpectedEOF) || !errors.Is(e, c.sentinel) {
			t.Errorf("%s: cause %v", c.name, e.Unwrap())
		}
		if got := object(t, errmapa2a.ToMap(e)); got != object(t, errmapa2a.ToMap(c.make())) {
			t.Errorf("%s: the cause is on the wire: %s", c.name, got)
		}
	}
}

func TestConstructor_UnwritableData(t *testing.T) {
	t.Parallel()
	for _, data := range []any{make(chan int), math.NaN(), map[string]any{"f": func() {}}} {
		for _, c := range constructors {
			e := c.make(data)
			if diff := cmp.Diff(errmapa2a.ToMap(c.make()), errmapa2a.ToMap(e)); diff != "" {
				t.Errorf("%s(%T): %s", c.name, data, diff)
			}
			if len(e.Notes()) == 0 {
				t.Errorf("%s(%T): no note", c.name, data)
			}
		}
	}
}

// TestConstructor_Wires sends every error over every wire to the next and
// expects the map that it started with.
func TestConstructor_Wires(t *testing.T) {
	t.Parallel()
	hops := map[string]func(*errmap.Error) (*errmap.Error, error){
		"connect": func(e *errmap.Error) (*errmap.Error, error) { return errmap.DecodeConnect(errmap.EncodeConnect(e)) },
		"grpc":    func(e *errmap.Error) (*errmap.Error, error) { return errmap.DecodeGRPC(errmap.EncodeGRPC(e).Map()) },
		"status":  func(e *errmap.Error) (*errmap.Error, error) { return errmap.FromStatus(e.Status()) },
		"http": func(e *errmap.Error) (*errmap.Error, error) {
			status, body := errmap.EncodeHTTP(e)
			return errmap.DecodeHTTP(body, errmap.WithHTTPStatus(status))
		},
		"problem": func(e *errmap.Error) (*errmap.Error, error) {
			status, body := errmap.EncodeProblem(e)
			return errmap.DecodeProblem(body, errmap.WithHTTPStatus(status))
		},
		"jsonrpc": func(e *errmap.Error) (*errmap.Error, error) {
			return errmap.DecodeJSONRPC(errmap.EncodeJSONRPC(e, errmap.ProfileA2A), errmap.ProfileA2A)
		},
	}
	data := []any{nil, "boom", map[string]any{"taskId": "t-1", "n": json.Number("9007199254740993")}, []any{1, "a"}}
	for _, c := range constructors {
		for _, d := range data {
			e := c.make(d)
			want := object(t, errmapa2a.ToMap(e))
			for first, there := range hops {
				for second, back := range hops {
					middle, err := there(e)
					if err != nil {
						t.Fatal(err)
					}
					end, err := back(middle)
					if err != nil {
						t.Fatal(err)
					}
					if got := object(t, errmapa2a.ToMap(end)); got != want {
						t.Errorf("%s(%v) over %s, %s:\ngot  %s\nwant %s", c.name, d, first, second, got, want)
					}
					if errmapa2a.Sentinel(end) != c.sentinel {
						t.Errorf("%s over %s, %s: sentinel %v", c.name, first, second, errmapa2a.Sentinel(end))
					}
				}
			}
		}
	}
}
