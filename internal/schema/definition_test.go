package schema_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func TestDefinitionOf(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	for kind, file := range map[string]protoreflect.FileDescriptor{"compiled": shop, "foreign": schematest.Foreign(t, shop)} {
		t.Run(kind+"/everything said", func(t *testing.T) {
			t.Parallel()
			md := file.Messages().ByName("OrderRefusedError")
			d, err := schema.DefinitionOf(md)
			if err != nil {
				t.Fatal(err)
			}
			number, hasNumber := d.JSONRPCCode()
			status, hasStatus := d.HTTPStatus()
			retryable, known := d.Retryable()
			got := []any{d.FullName(), d.Descriptor() == md, d.Code(), d.Reason(), d.Domain(), d.Title(), d.MessageTemplate(),
				number, hasNumber, status, hasStatus, d.ProblemType(), retryable, known, d.Metadata()}
			want := []any{protoreflect.FullName("shop.v1.OrderRefusedError"), true, code.Code_RESOURCE_EXHAUSTED, "ORDER_REFUSED",
				"orders.example.com", "Order refused", "Order {order_id} refused: {{{count}}} left", int32(4010), true, 402, true,
				"https://example.com/refused", true, true, map[string]string{"team": "till", "orderId": "none"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			help := d.Help()
			if diff := cmp.Diff(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "Why", Url: "https://example.com/why"}}}, help, protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
			help.Links[0].Url, d.Metadata()["team"] = "changed", "changed"
			if d.Help().GetLinks()[0].GetUrl() == "changed" || d.Metadata()["team"] == "changed" {
				t.Error("a getter hands out what the definition holds")
			}
		})
		t.Run(kind+"/nothing said", func(t *testing.T) {
			t.Parallel()
			d, err := schema.DefinitionOf(file.Messages().ByName("PlainError"))
			if err != nil {
				t.Fatal(err)
			}
			_, hasNumber := d.JSONRPCCode()
			_, hasStatus := d.HTTPStatus()
			retryable, known := d.Retryable()
			got := []any{d.Code(), d.Reason(), d.Domain(), d.Title(), d.MessageTemplate(), hasNumber, hasStatus, d.ProblemType(), retryable, known, d.Help() == nil, d.Metadata() == nil}
			want := []any{code.Code_NOT_FOUND, "PLAIN", "shop.example.com", "PLAIN", "", false, false, "https://shop.example.com/errors/plain", false, false, true, true}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
		t.Run(kind+"/nested", func(t *testing.T) {
			t.Parallel()
			d, err := schema.DefinitionOf(file.Messages().ByName("PlainError").Messages().Get(0))
			if err != nil || d.Reason() != "HTTP_TIMEOUT" {
				t.Errorf("reason %q, %v", d.Reason(), err)
			}
		})
		t.Run(kind+"/no option", func(t *testing.T) {
			t.Parallel()
			if d, err := schema.DefinitionOf(file.Messages().ByName("NotAnError")); d != nil || !errors.Is(err, schema.ErrNotAnnotated) {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
	t.Run("nil", func(t *testing.T) {
		t.Parallel()
		if d, err := schema.DefinitionOf(nil); d != nil || !errors.Is(err, schema.ErrNotAnnotated) {
			t.Errorf("%v, %v", d, err)
		}
	})
	t.Run("linked definitions are compiled once", func(t *testing.T) {
		t.Parallel()
		md := new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor()
		first, _ := schema.DefinitionOf(md)
		second, _ := schema.DefinitionOf(md)
		if first == nil || first != second {
			t.Error("two definitions of one linked message")
		}
	})
}

func TestDefinitionOf_mistakes(t *testing.T) {
	t.Parallel()
	source := func(domain, option string) string {
		return `syntax = "proto3"; package bad.v1; import "errmap/v1/error.proto";` + domain +
			`message BadError { option (errmap.v1.error) = {` + option + `}; }`
	}
	const domain = `option (errmap.v1.domain) = "bad.example.com";`
	for _, test := range []struct{ name, domain, option, want string }{
		{"no code", domain, ``, "errmap: bad.v1.BadError: code OK is not the code of an error; choose another of google.rpc.Code"},
		{"OK", domain, `code: OK`, "errmap: bad.v1.BadError: code OK is not the code of an error; choose another of google.rpc.Code"},
		{"no domain", ``, `code: INTERNAL`, "errmap: bad.v1.BadError: there is no domain; set (errmap.v1.domain) in the file or info.domain in the option"},
		{"template", domain, `code: INTERNAL message: "{x}"`, "errmap: bad.v1.BadError: message: placeholder {x} names no field of the message"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d, err := schema.DefinitionOf(schematest.Compile(t, source(test.domain, test.option)).Messages().Get(0))
			if d != nil || errorText(err) != test.want {
				t.Errorf("%v, error %q, want %q", d, errorText(err), test.want)
			}
		})
	}
	t.Run("options that cannot be read", func(t *testing.T) {
		t.Parallel()
		broken := protowire.AppendTag(nil, 76210, protowire.BytesType)
		broken = protowire.AppendBytes(broken, []byte{0xFF})
		for _, test := range []struct {
			name string
			file *descriptorpb.FileDescriptorProto
			want string
		}{
			{"error", &descriptorpb.FileDescriptorProto{MessageType: []*descriptorpb.DescriptorProto{{Options: new(descriptorpb.MessageOptions)}}},
				"errmap: bad.v1.BadError: the (errmap.v1.error) option cannot be read: "},
			{"domain", &descriptorpb.FileDescriptorProto{Options: new(descriptorpb.FileOptions), MessageType: []*descriptorpb.DescriptorProto{{Options: new(descriptorpb.MessageOptions)}}},
				"errmap: bad.v1.BadError: the (errmap.v1.domain) option of the file cannot be read: "},
		} {
			test.file.Name, test.file.Package, test.file.MessageType[0].Name = proto.String(test.name+".proto"), proto.String("bad.v1"), proto.String("BadError")
			if test.file.Options != nil {
				test.file.Options.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 76210, protowire.BytesType), []byte{0xFF}))
				option, err := proto.Marshal(&errmapv1.ErrorOptions{Code: code.Code_INTERNAL})
				if err != nil {
					t.Fatal(err)
				}
				broken = protowire.AppendBytes(protowire.AppendTag(nil, 76210, protowire.BytesType), option)
			}
			test.file.MessageType[0].Options.ProtoReflect().SetUnknown(broken)
			file, err := protodesc.NewFile(test.file, new(protoregistry.Files))
			if err != nil {
				t.Fatal(err)
			}
			d, err := schema.DefinitionOf(file.Messages().Get(0))
			if d != nil || !strings.HasPrefix(errorText(err), test.want) {
				t.Errorf("%v, error %q, want %q", d, errorText(err), test.want)
			}
		}
	})
	t.Run("numbers that are none", func(t *testing.T) {
		t.Parallel()
		d, err := schema.DefinitionOf(schematest.Compile(t, source(domain, `code: INTERNAL jsonrpc_code: 0 http_status: 200`)).Messages().Get(0))
		if err != nil {
			t.Fatal(err)
		}
		if number, ok := d.JSONRPCCode(); ok {
			t.Errorf("JSON-RPC number %d", number)
		}
		if status, ok := d.HTTPStatus(); ok {
			t.Errorf("HTTP status %d", status)
		}
	})
}

func TestDefinition_nil(t *testing.T) {
	t.Parallel()
	var d *schema.Definition
	number, hasNumber := d.JSONRPCCode()
	status, hasStatus := d.HTTPStatus()
	retryable, known := d.Retryable()
	text, details, notes := encode(d, new(a2av1.TaskNotFoundError))
	d.Decode(new(a2av1.TaskNotFoundError), nil, nil)
	got := []any{d.FullName(), d.Descriptor() == nil, d.Code(), d.Reason(), d.Domain(), d.Title(), d.MessageTemplate(), number, hasNumber,
		status, hasStatus, d.ProblemType(), d.Help() == nil, retryable, known, d.Metadata() == nil, text, len(details), len(notes)}
	want := []any{protoreflect.FullName(""), true, code.Code_OK, "", "", "", "", int32(0), false, 0, false, "", true, false, false, true, "", 0, 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultProblemType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ domain, reason, want string }{
		{"shop.example.com", "STOCK_EMPTY", "https://shop.example.com/errors/stock-empty"},
		{"shop.example.com:8443", "A_B", "https://shop.example.com:8443/errors/a-b"},
		{"", "STOCK_EMPTY", ""},
		{"shop.example.com", "", ""},
		{"shop example", "A", ""},
		{"caf\u00e9.example.com", "A", ""},
		{"shop.example.com", "A B", ""},
		{"shop.example.com", "A%", ""},
		{"shop.example.com:x", "A", ""},
		{":80", "A", ""},
		{"a{b}", "A", ""},
	} {
		if got := schema.DefaultProblemType(test.domain, test.reason); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.domain, test.reason, got, test.want)
		}
	}
}

// encode returns what d says of m, its ErrorInfo among the details.
func encode(d *schema.Definition, m proto.Message) (text string, details []hub.Detail, notes []string) {
	text, info, details, notes := d.Encode(m)
	if d != nil && details == nil {
		details = []hub.Detail{info}
	}
	return text, details, notes
}

// detailsOf returns the details as text: the bare name and the text form.
func detailsOf(t testing.TB, details []hub.Detail) []proto.Message {
	t.Helper()
	var out []proto.Message
	for _, detail := range details {
		mt, err := schema.Linked().FindMessageByURL(detail.TypeURL)
		if err != nil {
			t.Fatal(err)
		}
		m := mt.New().Interface()
		if err := proto.Unmarshal(detail.Value, m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func TestDefinition_encode(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	help := &errdetails.Help{Links: []*errdetails.Help_Link{{Description: "Why", Url: "https://example.com/why"}}}
	info := func(metadata map[string]string) *errdetails.ErrorInfo {
		return &errdetails.ErrorInfo{Reason: "ORDER_REFUSED", Domain: "orders.example.com", Metadata: metadata}
	}
	for _, test := range []struct {
		name, message, in, text string
		details                 []proto.Message
		notes                   []string
	}{
		{
			name: "constant metadata and help", message: "OrderRefusedError", in: ``, text: "Order refused",
			details: []proto.Message{info(map[string]string{"team": "till", "orderId": "none"}), help},
		},
		{
			name: "a field beats constant metadata", message: "OrderRefusedError", in: `order_id: "o-1" count: 0`, text: "Order o-1 refused: {0} left",
			details: []proto.Message{info(map[string]string{"team": "till", "orderId": "o-1", "count": "0"}), help},
		},
		{
			name: "details by number, a Help field beats the option", message: "OrderRefusedError",
			in: `bad: {field_violations: {field: "qty"}} retry: {retry_delay: {seconds: 1}} help: {links: {url: "u"}}`, text: "Order refused",
			details: []proto.Message{
				info(map[string]string{"team": "till", "orderId": "none"}),
				&errdetails.Help{Links: []*errdetails.Help_Link{{Url: "u"}}},
				&errdetails.RetryInfo{RetryDelay: durationpb.New(1e9)},
				&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "qty"}}},
			},
		},
		{
			name: "an empty detail is a detail", message: "OrderRefusedError", in: `retry: {}`, text: "Order refused",
			details: []proto.Message{info(map[string]string{"team": "till", "orderId": "none"}), new(errdetails.RetryInfo), help},
		},
		{
			name: "each type once", message: "TwoRetriesError",
			in: `first: {retry_delay: {seconds: 2}} second: {retry_delay: {seconds: 1}} debug: {detail: "d"} quota: {} precondition: {}
				resource: {owner: "o"} request: {request_id: "r"} localized: {locale: "en"}`,
			text: "TWO_RETRIES",
			details: []proto.Message{
				&errdetails.ErrorInfo{Reason: "TWO_RETRIES", Domain: "shop.example.com"},
				&errdetails.RetryInfo{RetryDelay: durationpb.New(1e9)},
				&errdetails.DebugInfo{Detail: "d"},
				new(errdetails.QuotaFailure),
				new(errdetails.PreconditionFailure),
				&errdetails.ResourceInfo{Owner: "o"},
				&errdetails.RequestInfo{RequestId: "r"},
				&errdetails.LocalizedMessage{Locale: "en"},
			},
			notes: []string{"field shop.v1.TwoRetriesError.first left out: another field is a google.rpc.RetryInfo"},
		},
	} {
		for kind, file := range map[string]protoreflect.FileDescriptor{"compiled": shop, "foreign": schematest.Foreign(t, shop)} {
			t.Run(test.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				m := schematest.MessageOf(t, file, protoreflect.Name(test.message), test.in)
				d, err := schema.DefinitionOf(m.ProtoReflect().Descriptor())
				if err != nil {
					t.Fatal(err)
				}
				text, details, notes := encode(d, m)
				if text != test.text {
					t.Errorf("text %q, want %q", text, test.text)
				}
				if diff := cmp.Diff(test.details, detailsOf(t, details), protocmp.Transform()); diff != "" {
					t.Errorf("details (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.notes, notes); diff != "" {
					t.Errorf("notes (-want +got):\n%s", diff)
				}
				again, same, _ := encode(d, m)
				if again != text || !cmp.Equal(details, same) {
					t.Error("encoding twice gives two results")
				}
			})
		}
	}
}

func TestDefinition_encode_odd_messages(t *testing.T) {
	t.Parallel()
	d, err := schema.DefinitionOf(new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	bare := []proto.Message{&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org"}}
	unknown := &a2av1.TaskNotFoundError{}
	unknown.ProtoReflect().SetUnknown([]byte{0x98, 0x06, 0x01})
	for name, test := range map[string]struct {
		m     proto.Message
		notes []string
	}{
		"nil interface":  {m: nil},
		"nil message":    {m: (*a2av1.TaskNotFoundError)(nil)},
		"another type":   {m: &a2av1.TaskNotCancelableError{TaskId: "t"}},
		"not annotated":  {m: new(durationpb.Duration)},
		"unknown fields": {m: unknown, notes: []string{"errmap.a2a.v1.TaskNotFoundError: fields that its schema does not know are left out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, details, notes := encode(d, test.m)
			if text != "Task not found" || !cmp.Equal(bare, detailsOf(t, details), protocmp.Transform()) || !cmp.Equal(test.notes, notes) {
				t.Errorf("%q, %v, notes %q", text, detailsOf(t, details), notes)
			}
		})
	}
	t.Run("the same message from other files", func(t *testing.T) {
		t.Parallel()
		file := schematest.Foreign(t, a2av1.File_errmap_a2a_v1_errors_proto)
		_, details, _ := encode(d, schematest.MessageOf(t, file, "TaskNotFoundError", `task_id: "t-1"`))
		want := []proto.Message{&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org", Metadata: map[string]string{"taskId": "t-1"}}}
		if diff := cmp.Diff(want, detailsOf(t, details), protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDefinition_decode(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	find := func(details ...proto.Message) func(string) ([]byte, bool) {
		return func(name string) ([]byte, bool) {
			for _, detail := range details {
				if string(detail.ProtoReflect().Descriptor().FullName()) == name {
					b, err := proto.Marshal(detail)
					return b, err == nil
				}
			}
			return nil, false
		}
	}
	refused := shop.Messages().ByName("OrderRefusedError")
	for _, test := range []struct {
		name     string
		metadata map[string]string
		find     func(string) ([]byte, bool)
		want     string
	}{
		{"metadata and details", map[string]string{"orderId": "o-1", "count": "3", "team": "till"},
			find(&errdetails.RetryInfo{RetryDelay: durationpb.New(1e9)}, &errdetails.RetryInfo{}),
			`order_id: "o-1" count: 3 retry: {retry_delay: {seconds: 1}}`},
		{"an empty detail is set", nil, find(&errdetails.BadRequest{}), `bad: {}`},
		{"a detail that cannot be read", map[string]string{"count": "1"}, func(string) ([]byte, bool) { return []byte{0xFF}, true }, `count: 1`},
		{"nothing", nil, find(), ``},
	} {
		for kind, md := range map[string]protoreflect.MessageDescriptor{"compiled": refused, "foreign": schematest.Foreign(t, shop).Messages().ByName("OrderRefusedError")} {
			t.Run(test.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				d, err := schema.DefinitionOf(refused)
				if err != nil {
					t.Fatal(err)
				}
				got, want := dynamicpb.NewMessage(md), dynamicpb.NewMessage(md)
				if err := prototext.Unmarshal([]byte(test.want), want); err != nil {
					t.Fatal(err)
				}
				d.Decode(got, &errdetails.ErrorInfo{Metadata: test.metadata}, test.find)
				if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	t.Run("into what cannot be set", func(t *testing.T) {
		t.Parallel()
		d, err := schema.DefinitionOf(new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor())
		if err != nil {
			t.Fatal(err)
		}
		info := &errdetails.ErrorInfo{Metadata: map[string]string{"taskId": "t"}}
		d.Decode(nil, info, find())
		d.Decode((*a2av1.TaskNotFoundError)(nil), info, find())
		other := new(a2av1.TaskNotCancelableError)
		d.Decode(other, info, find())
		if other.GetTaskId() != "" {
			t.Error("a message of another type was changed")
		}
		d.Decode(new(a2av1.TaskNotFoundError), nil, find())
	})
	t.Run("a member of a oneof that is set already stands", func(t *testing.T) {
		t.Parallel()
		d, err := schema.DefinitionOf(shop.Messages().ByName("EveryKindError"))
		if err != nil {
			t.Fatal(err)
		}
		got := dynamicpb.NewMessage(d.Descriptor())
		d.Decode(got, &errdetails.ErrorInfo{Metadata: map[string]string{"oneInt": "1"}}, find(&errdetails.LocalizedMessage{Locale: "en"}))
		if want := schematest.MessageOf(t, shop, "EveryKindError", `one_int: 1`); !proto.Equal(want, got) {
			t.Errorf("%v", got)
		}
	})
}

func TestDefinition_generated(t *testing.T) {
	t.Parallel()
	for _, m := range []proto.Message{
		&a2av1.TaskNotFoundError{TaskId: "t-1"},
		&a2av1.VersionNotSupportedError{},
		&mcpv1.UnsupportedProtocolVersionError{Supported: []string{"a", "b"}, Requested: "c"},
		&mcpv1.MissingRequiredClientCapabilityError{},
	} {
		info, notes := encodeInfo(t, m)
		back := m.ProtoReflect().New().Interface()
		d, _ := schema.DefinitionOf(m.ProtoReflect().Descriptor())
		d.Decode(back, info, func(string) ([]byte, bool) { return nil, false })
		if !proto.Equal(m, back) || len(notes) > 0 {
			t.Errorf("%v came back as %v, notes %q", m, back, notes)
		}
	}
}

// TestDefinition_syntaxes holds proto2 and editions to the same rules.
func TestDefinition_syntaxes(t *testing.T) {
	t.Parallel()
	const body = `
package old.v1;
import "errmap/v1/error.proto";
import "google/rpc/error_details.proto";
option (errmap.v1.domain) = "old.example.com";
`
	for _, test := range []struct {
		name, schema, in string
		want             map[string]string
	}{
		{"proto2", `syntax = "proto2";` + body + `
message OldError {
  option (errmap.v1.error) = { code: ABORTED message: "{name}" };
  required string name = 1;
  optional int32 zero = 2 [default = 5];
  optional Kind kind = 3;
  optional group Inner = 4 { optional string a = 1; required string b = 2; }
  repeated int32 packed = 5 [packed = true];
  extensions 100 to 200;
  enum Kind { KIND_ONE = 1; }
}
extend OldError {
  optional string extra = 100;
  repeated OldError more = 101;
}`, `name: "n" zero: 0 kind: KIND_ONE Inner: {a: "x"} packed: [1, 2]`,
			map[string]string{"name": "n", "zero": "0", "kind": "KIND_ONE", "inner": `{"a":"x"}`, "packed": "[1,2]"}},
		{"edition 2023", `edition = "2023";` + body + `
message OldError {
  option (errmap.v1.error) = { code: ABORTED message: "{name}" };
  string name = 1;
  int32 zero = 2 [features.field_presence = IMPLICIT];
  Inner inner = 3 [features.message_encoding = DELIMITED];
  message Inner { string a = 1 [features.utf8_validation = NONE]; }
}`, `name: "" zero: 0 inner: {a: "x"}`,
			map[string]string{"name": "", "inner": `{"a":"x"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := schematest.Compile(t, test.schema)
			for _, file := range []protoreflect.FileDescriptor{file, schematest.Foreign(t, file)} {
				md := file.Messages().ByName("OldError")
				m := dynamicpb.NewMessage(md)
				if err := (prototext.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(test.in), m); err != nil {
					t.Fatal(err)
				}
				info, notes := encodeInfo(t, m)
				if diff := cmp.Diff(test.want, info.GetMetadata()); diff != "" || len(notes) > 0 {
					t.Errorf("notes %q, metadata %s", notes, diff)
				}
				if back := decodeInfo(t, md, info.GetMetadata()); !proto.Equal(m, back) {
					t.Errorf("came back as %v, was %v", back, m)
				}
			}
		})
	}
}

// TestDefinition_one_JSON_name_twice is about a conflict that only old schemas
// can have.
func TestDefinition_one_JSON_name_twice(t *testing.T) {
	t.Parallel()
	file := schematest.Compile(t, `syntax = "proto2"; package twice.v1; import "errmap/v1/error.proto";
		option (errmap.v1.domain) = "twice.example.com";
		message TwiceError {
		  option deprecated_legacy_json_field_conflicts = true;
		  option (errmap.v1.error) = { code: ABORTED info: {metadata: {key: "aB" value: "constant"}} };
		  optional string a_b = 2;
		  optional string aB = 1;
		}`)
	for in, want := range map[string]string{`a_b: "two" aB: "one"`: "one", `a_b: "two"`: "two", ``: "constant"} {
		info, notes := encodeInfo(t, schematest.MessageOf(t, file, "TwiceError", in))
		if got := info.GetMetadata()["aB"]; got != want || len(info.GetMetadata()) != 1 {
			t.Errorf("%s: %q", in, info.GetMetadata())
		}
		if both := want == "one"; both != slices.Equal(notes, []string{"field twice.v1.TwiceError.a_b left out: another field has its JSON name"}) {
			t.Errorf("%s: notes %q", in, notes)
		}
	}
}

func TestDefinition_extensions(t *testing.T) {
	t.Parallel()
	file := schematest.Compile(t, `syntax = "proto2";
package ext.v1;
import "errmap/v1/error.proto";
import "google/rpc/error_details.proto";
option (errmap.v1.domain) = "ext.example.com";
message OpenError {
  option (errmap.v1.error) = { code: ABORTED info: { metadata: { key: "[ext.v1.extra]" value: "constant" } } };
  optional string name = 1;
  extensions 100 to 200;
}
message Other { extensions 100 to 200; }
extend OpenError {
  optional string extra = 100;
  repeated OpenError more = 101;
  optional google.rpc.RetryInfo retry = 102;
}
extend Other { optional string stray = 100; }
`)
	catalog, err := schema.NewCatalog(file)
	if err != nil {
		t.Fatal(err)
	}
	d := catalog.Find("ext.example.com", "OPEN")
	m := dynamicpb.NewMessage(d.Descriptor())
	text := `name: "n" [ext.v1.extra]: "x" [ext.v1.more]: {name: "m"} [ext.v1.retry]: {retry_delay: {seconds: 1}}`
	if err := (prototext.UnmarshalOptions{Resolver: catalog}).Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	_, details, notes := encode(d, m)
	want := []proto.Message{&errdetails.ErrorInfo{Reason: "OPEN", Domain: "ext.example.com", Metadata: map[string]string{
		"name": "n", "[ext.v1.extra]": "x", "[ext.v1.more]": `[{"name":"m"}]`, "[ext.v1.retry]": `{"retryDelay":"1s"}`,
	}}}
	if diff := cmp.Diff(want, detailsOf(t, details), protocmp.Transform()); diff != "" || len(notes) > 0 {
		t.Errorf("notes %q, details %s", notes, diff)
	}
	back := dynamicpb.NewMessage(d.Descriptor())
	metadata := want[0].(*errdetails.ErrorInfo).Metadata
	metadata["[ext.v1.stray]"], metadata["[ext.v1.unknown]"], metadata["["], metadata["]"] = "s", "u", "a", "b"
	d.Decode(back, &errdetails.ErrorInfo{Metadata: metadata}, func(string) ([]byte, bool) { return nil, false })
	if !proto.Equal(m, back) {
		t.Errorf("came back as %v, was %v", back, m)
	}
}
