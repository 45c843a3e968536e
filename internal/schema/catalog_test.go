package schema_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func newCatalog(t testing.TB, files ...protoreflect.FileDescriptor) *schema.Catalog {
	t.Helper()
	catalog, err := schema.NewCatalog(files...)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func identities(c *schema.Catalog) []string {
	var out []string
	for _, d := range c.Definitions() {
		out = append(out, d.Domain()+" "+d.Reason())
	}
	return out
}

func TestCatalog_Find(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	for kind, catalog := range map[string]*schema.Catalog{
		"linked": schema.Linked(), "compiled": newCatalog(t, shop), "foreign": newCatalog(t, schematest.Foreign(t, shop)),
		"foreign a2a": newCatalog(t, schematest.Foreign(t, a2av1.File_errmap_a2a_v1_errors_proto)), "empty": newCatalog(t),
	} {
		for _, test := range []struct {
			domain, reason string
			want           protoreflect.FullName
		}{
			{"a2a-protocol.org", "TASK_NOT_FOUND", "errmap.a2a.v1.TaskNotFoundError"},
			{"a2a-protocol.org", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "errmap.a2a.v1.ExtendedAgentCardNotConfiguredError"},
			{"a2a-protocol.org", "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", "errmap.a2a.v1.ExtendedAgentCardNotConfiguredError"},
			{"example.com", "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", ""},
			{"modelcontextprotocol.io", "HEADER_MISMATCH", "errmap.mcp.v1.HeaderMismatchError"},
			{"a2a-protocol.org", "task_not_found", ""},
			{"a2a-protocol.org", "", ""},
			{"", "TASK_NOT_FOUND", ""},
		} {
			if got := catalog.Find(test.domain, test.reason).FullName(); got != test.want {
				t.Errorf("%s: %s %s is %q, want %q", kind, test.domain, test.reason, got, test.want)
			}
		}
	}
}

func TestNewCatalog(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	for kind, file := range map[string]protoreflect.FileDescriptor{"compiled": shop, "foreign": schematest.Foreign(t, shop)} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			catalog := newCatalog(t, file)
			var own []string
			for _, id := range identities(catalog) {
				if !strings.HasPrefix(id, "a2a-protocol.org ") && !strings.HasPrefix(id, "modelcontextprotocol.io ") {
					own = append(own, id)
				}
			}
			want := []string{"orders.example.com ORDER_REFUSED", "shop.example.com EVERY_KIND", "shop.example.com HTTP_TIMEOUT", "shop.example.com PLAIN", "shop.example.com TWO_RETRIES"}
			if diff := cmp.Diff(want, own); diff != "" {
				t.Error(diff)
			}
			if all := identities(catalog); len(all) != len(want)+9+5 || !slices.IsSorted(all) {
				t.Errorf("definitions %q", all)
			}
			catalog.Definitions()[0] = nil
			if catalog.Definitions()[0] == nil {
				t.Error("Definitions hands out what the catalogue holds")
			}
			for _, domain := range []string{"shop.example.com", "orders.example.com", "a2a-protocol.org"} {
				if !catalog.KnowsDomain(domain) {
					t.Errorf("%s is not known", domain)
				}
			}
			if catalog.KnowsDomain("example.com") || catalog.KnowsDomain("") {
				t.Error("a strange domain is known")
			}
			if got := catalog.ByJSONRPC("orders.example.com", 4010).Reason(); got != "ORDER_REFUSED" {
				t.Errorf("4010 is %q", got)
			}
			if d := catalog.ByJSONRPC("shop.example.com", 4010); d != nil {
				t.Errorf("4010 of another domain is %s", d.FullName())
			}
			if got := catalog.ByJSONRPC("a2a-protocol.org", -32001).Reason(); got != "TASK_NOT_FOUND" {
				t.Errorf("-32001 is %q", got)
			}
			for uri, want := range map[string]string{
				"https://example.com/refused":                     "ORDER_REFUSED",
				"https://shop.example.com/errors/plain":           "PLAIN",
				"https://a2a-protocol.org/errors/task-not-found":  "TASK_NOT_FOUND",
				"https://orders.example.com/errors/order-refused": "",
				"about:blank":                           "",
				"":                                      "",
				"HTTPS://shop.example.com/errors/plain": "",
				"https://a2a-protocol.org/errors/version-not-supported": "VERSION_NOT_SUPPORTED",
			} {
				if got := catalog.ByProblemType(uri).Reason(); got != want {
					t.Errorf("%q is %q, want %q", uri, got, want)
				}
			}
		})
	}
	t.Run("imports are searched", func(t *testing.T) {
		t.Parallel()
		sources := map[string]string{
			"service.proto": `syntax = "proto3"; package svc.v1; import "middle.proto"; message Request { mid.v1.Middle middle = 1; }`,
			"middle.proto":  `syntax = "proto3"; package mid.v1; import "shop.proto"; message Middle { shop.v1.Line line = 1; }`,
			"shop.proto":    schematest.Shop,
		}
		file := schematest.CompileAll(t, sources, "service.proto")[0]
		for _, file := range []protoreflect.FileDescriptor{file, schematest.Foreign(t, file)} {
			if d := newCatalog(t, file, file).Find("shop.example.com", "PLAIN"); d == nil {
				t.Error("an error in an import is not found")
			}
		}
	})
	t.Run("the files' own A2A errors stand", func(t *testing.T) {
		t.Parallel()
		file := schematest.Compile(t, `syntax = "proto3"; package own.v1; import "errmap/v1/error.proto";
			option (errmap.v1.domain) = "a2a-protocol.org";
			message TaskNotFoundError { option (errmap.v1.error) = { code: NOT_FOUND }; }`)
		catalog := newCatalog(t, file)
		if got := catalog.Find("a2a-protocol.org", "TASK_NOT_FOUND").FullName(); got != "own.v1.TaskNotFoundError" {
			t.Errorf("TASK_NOT_FOUND is %s", got)
		}
		if d := catalog.Find("a2a-protocol.org", "VERSION_NOT_SUPPORTED"); d != nil {
			t.Errorf("VERSION_NOT_SUPPORTED is %s", d.FullName())
		}
		if catalog.Find("modelcontextprotocol.io", "HEADER_MISMATCH") == nil {
			t.Error("the MCP errors are missing")
		}
	})
	t.Run("nil files", func(t *testing.T) {
		t.Parallel()
		if catalog := newCatalog(t, nil, nil); len(catalog.Definitions()) != 14 {
			t.Errorf("definitions %q", identities(catalog))
		}
	})
}

func TestNewCatalog_mistakes(t *testing.T) {
	t.Parallel()
	const head = `syntax = "proto3"; package bad.v1; import "errmap/v1/error.proto"; option (errmap.v1.domain) = "bad.example.com";`
	for _, test := range []struct{ name, schema, want string }{
		{"one identity", head + `
			message GoneError { option (errmap.v1.error) = { code: NOT_FOUND }; }
			message Other { option (errmap.v1.error) = { code: INTERNAL info: {reason: "GONE"} }; }`,
			"errmap: bad.v1.GoneError and bad.v1.Other are both reason GONE of domain bad.example.com"},
		{"one number", head + `
			message AError { option (errmap.v1.error) = { code: NOT_FOUND jsonrpc_code: 1 }; }
			message BError { option (errmap.v1.error) = { code: INTERNAL jsonrpc_code: 1 }; }
			message CError { option (errmap.v1.error) = { code: INTERNAL jsonrpc_code: 1 info: {domain: "c.example.com"} }; }`,
			"errmap: bad.v1.AError and bad.v1.BError both have the JSON-RPC number 1 in domain bad.example.com"},
		{"every mistake", head + `
			message AError { option (errmap.v1.error) = { code: OK }; message BError { option (errmap.v1.error) = { code: INTERNAL message: "{" }; } }`,
			"errmap: bad.v1.AError: code OK is not the code of an error; choose another of google.rpc.Code\n" +
				`errmap: bad.v1.AError.BError: message: "{" at byte 0 opens a placeholder that is not closed, write "{{" for a brace`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := schematest.Compile(t, test.schema)
			for _, file := range []protoreflect.FileDescriptor{file, schematest.Foreign(t, file)} {
				catalog, err := schema.NewCatalog(file)
				if catalog != nil || errorText(err) != test.want {
					t.Errorf("%v, error %q, want %q", catalog, errorText(err), test.want)
				}
			}
		})
	}
}

func TestCatalog_types(t *testing.T) {
	t.Parallel()
	shop := schematest.Foreign(t, schematest.Compile(t, schematest.Shop))
	own := newCatalog(t, shop)
	for _, test := range []struct {
		catalog *schema.Catalog
		url     string
		known   bool
		linked  bool // the Go type, not a dynamic one
	}{
		{nil, "type.googleapis.com/google.rpc.ErrorInfo", true, true},
		{nil, "google.rpc.BadRequest.FieldViolation", true, true},
		{nil, "a/b/c/google.rpc.Status", true, true},
		{nil, "/google.protobuf.Value", true, true},
		{nil, "type.googleapis.com/errmap.v1.Carried", true, true},
		{nil, "type.googleapis.com/errmap.a2a.v1.TaskNotFoundError", false, false},
		{nil, "type.googleapis.com/google.protobuf.FileDescriptorProto", false, false},
		{nil, "", false, false},
		{nil, "type.googleapis.com/", false, false},
		{nil, "google.rpc.ErrorInfo/", false, false},
		{own, "type.googleapis.com/google.rpc.RetryInfo", true, true},
		{own, "type.googleapis.com/google.protobuf.Timestamp", true, true},
		{own, "type.googleapis.com/shop.v1.Line", true, false},
		{own, "type.googleapis.com/shop.v1.PlainError.HTTPTimeoutError", true, false},
		{own, "type.googleapis.com/shop.v1.EveryKindError.StockEntry", false, false},
		{own, "type.googleapis.com/errmap.a2a.v1.TaskNotFoundError", true, true},
		{own, "type.googleapis.com/acme.v9.Mystery", false, false},
		{schema.Linked(), "type.googleapis.com/google.protobuf.FileDescriptorProto", true, true},
		{schema.Linked(), "type.googleapis.com/shop.v1.Line", false, false},
	} {
		mt, err := test.catalog.FindMessageByURL(test.url)
		if !test.known {
			if err != protoregistry.NotFound { // the very value: protobuf compares so
				t.Errorf("%s: %v, error %v", test.url, mt, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.url, err)
			continue
		}
		linked, err := protoregistry.GlobalTypes.FindMessageByName(mt.Descriptor().FullName())
		if isLinked := err == nil && linked == mt; isLinked != test.linked {
			t.Errorf("%s: linked %t, want %t", test.url, isLinked, test.linked)
		}
	}
	t.Run("a linked file keeps its Go types", func(t *testing.T) {
		t.Parallel()
		mt, err := newCatalog(t, mcpv1.File_errmap_mcp_v1_errors_proto).FindMessageByName("errmap.mcp.v1.HeaderMismatchError")
		if err != nil || mt.New().Interface().(*mcpv1.HeaderMismatchError) == nil {
			t.Errorf("%v, %v", mt, err)
		}
	})
	t.Run("a resolver for protojson", func(t *testing.T) {
		t.Parallel()
		const text = `{"@type":"type.googleapis.com/shop.v1.Line","sku":"A1","count":"2"}`
		detail := new(anypb.Any)
		if err := (protojson.UnmarshalOptions{Resolver: own}).Unmarshal([]byte(text), detail); err != nil {
			t.Fatal(err)
		}
		b, err := protojson.MarshalOptions{Resolver: own}.Marshal(detail)
		if err != nil || strings.ReplaceAll(string(b), " ", "") != text {
			t.Errorf("%s, %v", b, err)
		}
	})
	t.Run("a field of type Any finds the catalogue's types", func(t *testing.T) {
		t.Parallel()
		d := own.Find("shop.example.com", "EVERY_KIND")
		m := schematest.MessageOf(t, shop, "EveryKindError", `any: {type_url: "x.example.com/shop.v1.Line" value: "\n\x01A"}`)
		_, details, notes := encode(d, m)
		info := detailsOf(t, details)[0].(*errdetails.ErrorInfo)
		if want := `{"@type":"x.example.com/shop.v1.Line","sku":"A"}`; info.Metadata["any"] != want || len(notes) > 0 {
			t.Errorf("%q, notes %q", info.Metadata, notes)
		}
	})
}

func TestCatalog_extensions(t *testing.T) {
	t.Parallel()
	open := schematest.Compile(t, `syntax = "proto2"; package ext.v1;
		message Open { extensions 100 to 200; extend Open { optional string inner = 101; } }
		extend Open { optional string outer = 100; }`)
	own := newCatalog(t, schematest.Foreign(t, open))
	for _, test := range []struct {
		catalog *schema.Catalog
		name    protoreflect.FullName
		message protoreflect.FullName
		number  protoreflect.FieldNumber
		known   bool
	}{
		{nil, "errmap.v1.error", "google.protobuf.MessageOptions", 76210, true},
		{nil, "errmap.v1.domain", "google.protobuf.FileOptions", 76210, true},
		{nil, "errmap.v1.errors", "google.protobuf.MethodOptions", 76210, true},
		{nil, "ext.v1.outer", "ext.v1.Open", 100, false},
		{own, "errmap.v1.error", "google.protobuf.MessageOptions", 76210, true},
		{own, "ext.v1.outer", "ext.v1.Open", 100, true},
		{own, "ext.v1.Open.inner", "ext.v1.Open", 101, true},
		{own, "ext.v1.other", "ext.v1.Open", 102, false},
		{schema.Linked(), "errmap.v1.error", "google.protobuf.MessageOptions", 76210, true},
		{schema.Linked(), "ext.v1.outer", "ext.v1.Open", 100, false},
	} {
		byName, nameErr := test.catalog.FindExtensionByName(test.name)
		byNumber, numberErr := test.catalog.FindExtensionByNumber(test.message, test.number)
		switch {
		case test.known && (nameErr != nil || numberErr != nil || byName.TypeDescriptor().FullName() != test.name || byNumber.TypeDescriptor().FullName() != test.name):
			t.Errorf("%s: %v, %v", test.name, nameErr, numberErr)
		case !test.known && (nameErr != protoregistry.NotFound || numberErr != protoregistry.NotFound):
			t.Errorf("%s: %v, %v", test.name, nameErr, numberErr)
		}
	}
}

func TestCatalog_nil(t *testing.T) {
	t.Parallel()
	var c *schema.Catalog
	if c.Find("a2a-protocol.org", "TASK_NOT_FOUND") != nil || c.Definitions() != nil || c.KnowsDomain("a2a-protocol.org") ||
		c.ByProblemType("https://a2a-protocol.org/errors/task-not-found") != nil || c.ByJSONRPC("a2a-protocol.org", -32001) != nil {
		t.Error("a nil catalogue knows an error")
	}
	detail, err := anypb.New(&errmapv1.Carried{Check: []byte("four")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (protojson.MarshalOptions{Resolver: c}).Marshal(detail); err != nil {
		t.Error(err)
	}
	if err := (proto.UnmarshalOptions{Resolver: c}).Unmarshal(nil, new(errmapv1.Carried)); err != nil {
		t.Error(err)
	}
}

// TestLinked_schema holds the errors of the protocols to their tables.
func TestLinked_schema(t *testing.T) {
	t.Parallel()
	var got []string
	for _, d := range schema.Linked().Definitions() {
		if d.Domain() == "a2a-protocol.org" || d.Domain() == "modelcontextprotocol.io" {
			number, _ := d.JSONRPCCode()
			got = append(got, fmt.Sprint(number, " ", d.Reason(), " ", d.Code(), " ", d.Title()))
		}
	}
	want := []string{
		"-32005 CONTENT_TYPE_NOT_SUPPORTED INVALID_ARGUMENT Incompatible content types",
		"-32007 EXTENDED_AGENT_CARD_NOT_CONFIGURED FAILED_PRECONDITION Authenticated Extended Card is not configured",
		"-32008 EXTENSION_SUPPORT_REQUIRED FAILED_PRECONDITION Extension support is required",
		"-32006 INVALID_AGENT_RESPONSE INTERNAL Invalid agent response",
		"-32003 PUSH_NOTIFICATION_NOT_SUPPORTED FAILED_PRECONDITION Push Notification is not supported",
		"-32002 TASK_NOT_CANCELABLE FAILED_PRECONDITION Task cannot be canceled",
		"-32001 TASK_NOT_FOUND NOT_FOUND Task not found",
		"-32004 UNSUPPORTED_OPERATION FAILED_PRECONDITION This operation is not supported",
		"-32009 VERSION_NOT_SUPPORTED FAILED_PRECONDITION Version not supported",
		"-32020 HEADER_MISMATCH INVALID_ARGUMENT Header mismatch",
		"-32021 MISSING_REQUIRED_CLIENT_CAPABILITY FAILED_PRECONDITION Missing required client capability",
		"-32602 RESOURCE_NOT_FOUND NOT_FOUND Resource not found",
		"-32022 UNSUPPORTED_PROTOCOL_VERSION FAILED_PRECONDITION Unsupported protocol version",
		"-32042 URL_ELICITATION_REQUIRED FAILED_PRECONDITION URL elicitation required",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if first, second := schema.Linked(), schema.Linked(); first != second {
		t.Error("Linked is made anew")
	}
	if _, err := schema.Linked().FindExtensionByNumber("google.protobuf.MessageOptions", 76210); err != nil || errors.Is(err, protoregistry.NotFound) {
		t.Error(err)
	}
}
