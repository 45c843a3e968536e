package server_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

const discover = `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`

// document is what the tests look at of an OpenRPC document.
type document struct {
	OpenRPC string
	Info    struct{ Title, Version string }
	Methods []struct {
		Name, Summary, Description, ParamStructure string
		Deprecated                                 bool
		Params                                     []struct {
			Name, Description string
			Schema            json.RawMessage
		}
		Result struct {
			Name   string
			Schema json.RawMessage
		}
		Errors        []json.RawMessage
		Streaming     string   `json:"x-streaming"`
		UnknownErrors []string `json:"x-unknown-errors"`
	}
	Components struct {
		Schemas map[string]json.RawMessage
	}
}

func discovered(t *testing.T, rpc *connect.Server) (document, string) {
	t.Helper()
	handler, err := server.NewHandler(rpc, server.WithDiscovery("Shop <1>", "1.2"))
	if err != nil {
		t.Fatal(err)
	}
	var response struct{ Result json.RawMessage }
	got := post(t, handler, discover)
	if err := json.Unmarshal([]byte(got.body), &response); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
	var result document
	if err := json.Unmarshal(response.Result, &result); err != nil {
		t.Fatalf("%s: %v", response.Result, err)
	}
	return result, string(response.Result)
}

func TestWithDiscovery(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	registerCart(rpc, new(cart))
	got, text := discovered(t, rpc)
	golden, err := os.ReadFile("testdata/discover.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, have any
	if json.Unmarshal(golden, &want) != nil || json.Unmarshal([]byte(text), &have) != nil {
		t.Fatal("the golden file or the document is not JSON")
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("the document (-testdata/discover.json +got):\n%s", diff)
	}
	var names []string
	for _, method := range got.Methods {
		names = append(names, method.Name+" "+method.Streaming)
	}
	if diff := cmp.Diff([]string{"shop.v1.Cart/Echo ", "shop.v1.Cart/Get ", "shop.v1.Cart/Ping ", "shop.v1.Cart/Watch server"}, names); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
	if !strings.Contains(text, `"title":"Shop <1>"`) {
		t.Errorf("the title is escaped: %.200s", text)
	}
}

func TestWithDiscovery_errorsAreThoseOfTheWire(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	registerCart(rpc, new(cart))
	got, _ := discovered(t, rpc)
	method := got.Methods[1]
	want := `{"code":4010,"message":"The stock is empty","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"},` +
		`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}`
	if len(method.Errors) != 1 || string(method.Errors[0]) != want {
		t.Errorf("got %s, want %s", method.Errors, want)
	}
	if diff := cmp.Diff([]string{"shop.v1.UnknownToEverybody"}, method.UnknownErrors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWithDiscovery_comments(t *testing.T) {
	t.Parallel()
	// Generated Go code leaves comments out; a descriptor set that protoc or buf
	// wrote, or a reflection service, has them by these paths.
	raw := protodesc.ToFileDescriptorProto(shopv1.File_shop_v1_cart_proto)
	comment := func(text string, path ...int32) {
		if raw.SourceCodeInfo == nil {
			raw.SourceCodeInfo = new(descriptorpb.SourceCodeInfo)
		}
		raw.SourceCodeInfo.Location = append(raw.SourceCodeInfo.Location, &descriptorpb.SourceCodeInfo_Location{
			Path: path, Span: []int32{1, 1, 1}, LeadingComments: proto.String(text),
		})
	}
	const services, methods, messages, fields = 6, 2, 4, 2
	comment(" Get returns the line\n of one article.\n\n It says STOCK_EMPTY where there is none left.\n", services, 0, methods, 0)
	comment(" The stock keeping unit.\n", messages, 0, fields, 0)
	comment(" GetResponse is one line of a cart.\n", messages, 1)
	file, err := protodesc.NewFile(raw, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	rpc := connect.NewServer()
	method := file.Services().ByName("Cart").Methods().ByName("Get")
	rpc.Register(connect.Method{Spec: connect.Spec{Procedure: "/shop.v1.Cart/Get", Schema: method}})
	got, text := discovered(t, rpc)
	described := got.Methods[0]
	if want := "Get returns the line of one article."; described.Summary != want {
		t.Errorf("summary %q, want %q", described.Summary, want)
	}
	if want := "Get returns the line\nof one article.\n\nIt says STOCK_EMPTY where there is none left."; described.Description != want {
		t.Errorf("description %q, want %q", described.Description, want)
	}
	if len(described.Params) != 2 || described.Params[0].Description != "The stock keeping unit." {
		t.Errorf("params %+v, want the comment of sku", described.Params)
	}
	if want := `"description":"GetResponse is one line of a cart."`; !strings.Contains(text, want) {
		t.Errorf("the document lacks %s", want)
	}
}

func TestWithDiscovery_otherRequests(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, new(cart), server.WithDiscovery("t", "v"))
	if got := post(t, handler, `{"jsonrpc":"2.0","method":"rpc.discover"}`); got.status != 204 || got.body != "" {
		t.Errorf("a notification: got %d %s", got.status, got.body)
	}
	got := post(t, handler, `[`+discover+`,`+get(`2`, "a")+`]`)
	if !strings.HasPrefix(got.body, `[{"jsonrpc":"2.0","id":1,"result":{"openrpc":"1.3.2",`) || !strings.HasSuffix(got.body, `]}},{"jsonrpc":"2.0","id":2,"result":{"sku":"a"}}]`) &&
		!strings.HasSuffix(got.body, `},{"jsonrpc":"2.0","id":2,"result":{"sku":"a"}}]`) {
		t.Errorf("a batch: got %.300s", got.body)
	}
}
