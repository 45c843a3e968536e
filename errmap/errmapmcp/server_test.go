package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// stockEmpty is an error that a program made for its callers.
func stockEmpty() *errmap.Error {
	return errmap.NewCode(code.Code_FAILED_PRECONDITION, "no stock of A1").
		WithDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A1"}})
}

const stockEmptyData = `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}]`

// reports collects what a guard keeps from callers.
type reports struct {
	mu  sync.Mutex
	all []errmap.Report
}

func (r *reports) guard() errmapmcp.ServerOption {
	return errmapmcp.WithGuard(errmap.NewGuard(errmap.WithLog(func(_ context.Context, report errmap.Report) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, report)
	})))
}

func (r *reports) only(t *testing.T) errmap.Report {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) != 1 {
		t.Fatalf("there are %d reports, want 1", len(r.all))
	}
	if r.all[0].Procedure == "" {
		t.Error("the log does not say what was called")
	}
	return r.all[0]
}

func TestInstallServer_errorsOfTheProtocol(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failure error
		want    string
	}{
		{"an error of errmap", stockEmpty(), `{"code":-31400,"message":"no stock of A1","data":` + stockEmptyData + `}`},
		{"a wrapped one", fmt.Errorf("ordering: %w", stockEmpty()), `{"code":-31400,"message":"no stock of A1","data":` + stockEmptyData + `}`},
		{"an error of the SDK", &jsonrpc.Error{Code: 4010, Message: "m", Data: []byte(`{"a":1}`)}, `{"code":4010,"message":"m","data":{"a":1}}`},
		{"a wrapped one of the SDK", fmt.Errorf("ordering: %w", &jsonrpc.Error{Code: 4010, Message: "m", Data: []byte(`{"a":1}`)}), `{"code":4010,"message":"m","data":{"a":1}}`},
		{"a standard code", &jsonrpc.Error{Code: -32602, Message: "m"}, `{"code":-32602,"message":"m"}`},
		{"a code of nobody", &jsonrpc.Error{Code: -32050, Message: "m", Data: []byte(`{"a":1}`)}, `{"code":-32603,"message":"m","data":{"a":1}}`},
		{"no code", &jsonrpc.Error{Message: "m", Data: []byte(`{"a":1}`)}, `{"code":-32603,"message":"m","data":{"a":1}}`},
		{"the kind of a client", newError(t, errmapmcp.KindDenied, "policy"), `{"code":-31403,"message":"The policy for MCP requests refused","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"DENIED","domain":"mcp-client.errmap.github.io","metadata":{"reason":"policy"}}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectSDK(t, nil, failingPrompt(t, c.failure))
			_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			e := wantKind(t, err, errmapmcp.KindProtocol, "")
			if string(e.RPCError()) != c.want {
				t.Errorf("the object is %s,\nwant %s", e.RPCError(), c.want)
			}
		})
	}
}

// boxed is an error that embeds a message and may hold none, which panics then
// when it is asked what it is.
type boxed struct{ proto.Message }

func (*boxed) Error() string { return "hunter2" }

func TestInstallServer_hidesWhatIsNotForCallers(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.0.0.7: token hunter2 refused")
	for name, handler := range map[string]mcp.PromptHandler{
		"an error": func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, secret },
		"a panic":  func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { panic(secret) },
		"a type that embeds no message": func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, &boxed{}
		},
		"another's error": func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, stockEmpty().WithMessage("hunter2").WithRemote()
		},
		"another's object": func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, fmt.Errorf("up: %w", stockEmpty().WithMessage("hunter2").WithRemote())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept reports
			session := connectSDK(t, nil, func(server *mcp.Server) {
				if err := errmapmcp.InstallServer(server, kept.guard()); err != nil {
					t.Fatal(err)
				}
				server.AddPrompt(&mcp.Prompt{Name: "cart"}, handler)
			})
			_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			e := wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32603")
			if strings.Contains(string(e.RPCError()), "hunter2") || strings.Contains(string(e.RPCError()), "10.0.0.7") {
				t.Errorf("the object %s shows what is not for callers", e.RPCError())
			}
			info, ok := errmap.Detail[*errdetails.RequestInfo](e.Peer())
			report := kept.only(t)
			if !ok || info.GetRequestId() != report.ID || (name == "a panic") != (report.Stack != nil) {
				t.Errorf("the caller has the id %q, the log %q", info.GetRequestId(), report.ID)
			}
		})
	}
}

func TestInstallServer_missingResourceKeepsItsDetails(t *testing.T) {
	t.Parallel()
	missing := errmap.NewCode(code.Code_NOT_FOUND, "no order o-1").
		WithDetail(&errdetails.ErrorInfo{Reason: "ORDER_NOT_FOUND", Domain: "shop.example.com"})
	session := connectSDK(t, nil, func(server *mcp.Server) {
		if err := errmapmcp.InstallServer(server); err != nil {
			t.Fatal(err)
		}
		server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "shop://{id}", Name: "order"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			if req.Params.URI == "shop://denied" {
				return nil, errmap.NewCode(code.Code_PERMISSION_DENIED, "no")
			}
			return nil, missing
		})
	})
	err := readResource(t.Context(), session)
	e := wantKind(t, err, errmapmcp.KindNotFound, "jsonrpc:-32602")
	if e.Data()[errmapmcp.DataURI] != "shop://a" {
		t.Errorf("the URI is %v", e.Data()[errmapmcp.DataURI])
	}
	var object struct {
		Message string
		Data    struct{ URI string }
	}
	if err := json.Unmarshal(e.RPCError(), &object); err != nil || object.Message != "no order o-1" || object.Data.URI != "shop://a" {
		t.Errorf("the object is %s", e.RPCError())
	}
	if !errors.Is(err, missing) {
		t.Errorf("the server's own error is not found in %s", e.RPCError())
	}
	_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://denied"})
	wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-31403")
}

func TestInstallServer_tools(t *testing.T) {
	t.Parallel()
	secret := errors.New("token hunter2 refused")
	fails := func(failure error) mcp.ToolHandlerFor[empty, any] {
		return func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
			return nil, nil, failure
		}
	}
	raw := func(failure error) func(*mcp.Server) {
		return func(server *mcp.Server) {
			server.AddTool(&mcp.Tool{Name: "order", InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, failure })
		}
	}
	ours := func(failure error) func(*mcp.Server) {
		return func(server *mcp.Server) { errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, fails(failure)) }
	}
	theirs := func(failure error) func(*mcp.Server) {
		return func(server *mcp.Server) { mcp.AddTool(server, &mcp.Tool{Name: "order"}, fails(failure)) }
	}
	wire := &jsonrpc.Error{Code: 4010, Message: "m", Data: []byte(`{"a":1}`)}
	for _, c := range []struct {
		name string
		add  func(*mcp.Server)
		text string // the first line of it
		body string // a part of it
	}{
		{"typed, by AddTool", ours(stockEmpty()), "no stock of A1", `"reason":"STOCK_EMPTY"`},
		{"typed and wrapped, by AddTool", ours(fmt.Errorf("hunter2: %w", stockEmpty())), "no stock of A1", `"status":"FAILED_PRECONDITION"`},
		{"typed, by the SDK", theirs(fmt.Errorf("hunter2: %w", stockEmpty())), "no stock of A1", `"reason":"STOCK_EMPTY"`},
		{"typed, raw", raw(stockEmpty()), "no stock of A1", `"reason":"STOCK_EMPTY"`},
		{"wrapped of the SDK", ours(fmt.Errorf("hunter2: %w", wire)), "m", `"message":"m"`},
		{"wrapped of the SDK, raw", raw(fmt.Errorf("hunter2: %w", wire)), "m", `"message":"m"`},
		{"not for callers, by AddTool", ours(secret), "internal error", `"status":"INTERNAL"`},
		{"not for callers, raw", raw(secret), "internal error", `"status":"INTERNAL"`},
		{"not for callers, by the SDK", theirs(errors.New("as the SDK has it")), "as the SDK has it", ""},
		{"a panic", func(server *mcp.Server) {
			errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) { panic(secret) })
		}, "internal error", `"status":"INTERNAL"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var kept reports
			session := connectSDK(t, nil, func(server *mcp.Server) {
				if err := errmapmcp.InstallServer(server, kept.guard()); err != nil {
					t.Fatal(err)
				}
				c.add(server)
			})
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
			if err != nil || !result.IsError {
				t.Fatalf("the call returned %+v, %v", result, err)
			}
			text := result.Content[0].(*mcp.TextContent).Text
			if first, _, _ := strings.Cut(text, "\n"); first != c.text || strings.Contains(text, "hunter2") || len(result.Content) != 1 {
				t.Errorf("the text is %q, want %q", text, c.text)
			}
			body, _ := json.Marshal(result.Meta[errmapmcp.MetaKeyError])
			if c.body == "" && string(body) != "null" || !strings.Contains(string(body), c.body) || strings.Contains(string(body), "hunter2") {
				t.Errorf("_meta has %s, want %s in it", body, c.body)
			}
			if c.body != "" {
				if _, err := errmap.DecodeHTTP(body); err != nil {
					t.Errorf("what _meta has, %s, is not AIP-193's: %v", body, err)
				}
			}
		})
	}
	for name, add := range map[string]func(*mcp.Server){"bare of the SDK, by AddTool": ours(wire), "bare of the SDK, raw": raw(wire)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := connectSDK(t, nil, func(server *mcp.Server) {
				if err := errmapmcp.InstallServer(server); err != nil {
					t.Fatal(err)
				}
				add(server)
			})
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:4010")
			if want := `{"code":4010,"message":"m","data":{"a":1}}`; string(e.RPCError()) != want {
				t.Errorf("the object is %s, want %s", e.RPCError(), want)
			}
		})
	}
	t.Run("content of its own", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, nil, func(server *mcp.Server) {
			if err := errmapmcp.InstallServer(server); err != nil {
				t.Fatal(err)
			}
			server.AddTool(&mcp.Tool{Name: "order", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Sorry, it is sold out."}}}
				result.SetError(stockEmpty())
				return result, nil
			})
		})
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
		if err != nil || !result.IsError {
			t.Fatalf("the call returned %+v, %v", result, err)
		}
		body, _ := json.Marshal(result.Meta[errmapmcp.MetaKeyError])
		if text := result.Content[0].(*mcp.TextContent).Text; text != "Sorry, it is sold out." || !strings.Contains(string(body), "STOCK_EMPTY") {
			t.Errorf("the text is %q, _meta has %s", text, body)
		}
	})
}

func TestInstallServer_refusesReservedCodesAtStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		domain string
		number int32
		ok     bool
	}{
		{"shop.example.com", 4010, true},
		{"shop.example.com", -31000, true},
		{"shop.example.com", -32050, false},
		{"shop.example.com", -32020, false},
		{"modelcontextprotocol.io", -32020, true},
		{"a2a-protocol.org", -32001, true},
	} {
		server := mcp.NewServer(testServer, nil)
		err := errmapmcp.InstallServer(server, errmapmcp.WithCatalog(catalogOf(t, c.domain, c.number)))
		if (err == nil) != c.ok {
			t.Errorf("%d of %s: %v", c.number, c.domain, err)
		}
		if err != nil && (!strings.Contains(err.Error(), fmt.Sprint(c.number)) || !strings.Contains(err.Error(), "mcptest.v1.StockEmptyError")) {
			t.Errorf("the error %q does not name the code and the message", err)
		}
	}
	err := errmapmcp.InstallServer(mcp.NewServer(testServer, nil), errmapmcp.WithCodes(-32001, 7, 0))
	if err == nil || !strings.Contains(err.Error(), "-32001") || !strings.Contains(err.Error(), "0 is not") {
		t.Errorf("the error %v does not name every mistake", err)
	}
}

// catalogOf returns a catalogue with one error.
func catalogOf(t *testing.T, domain string, number int32) *errmap.Catalog {
	t.Helper()
	fileOptions := &descriptorpb.FileOptions{}
	proto.SetExtension(fileOptions, errmapv1.E_Domain, domain)
	messageOptions := &descriptorpb.MessageOptions{}
	proto.SetExtension(messageOptions, errmapv1.E_Error, &errmapv1.ErrorOptions{Code: code.Code_ABORTED, JsonrpcCode: &number})
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("mcptest/v1/stock.proto"), Package: proto.String("mcptest.v1"), Syntax: proto.String("proto3"),
		Dependency:  []string{"errmap/v1/error.proto"},
		Options:     fileOptions,
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("StockEmptyError"), Options: messageOptions}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := errmap.NewCatalog(protoreflect.FileDescriptor(file))
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}
