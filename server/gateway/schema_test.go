package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpcreflect/v2"
	"github.com/errmap/errmap/server/gateway"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

const wantError = `{"jsonrpc":"2.0","id":1,"error":{"code":4010,"message":"No A1 left","data":[` +
	`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},` +
	`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}}`

// connectShop is written with unmodified connect v1.
type connectShop struct {
	shopv1connectv1.UnimplementedCartHandler
}

func (connectShop) Get(context.Context, *connectv1.Request[shopv1.GetRequest]) (*connectv1.Response[shopv1.GetResponse], error) {
	err := connectv1.NewError(connectv1.CodeFailedPrecondition, errText("No A1 left"))
	detail, _ := connectv1.NewErrorDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A1"}})
	err.AddDetail(detail)
	err.Meta().Set("X-Private", "secret=42")
	return nil, err
}

type errText string

func (e errText) Error() string { return string(e) }

// A service of Connect v1 gets JSON-RPC within its process, by every protocol that
// it speaks.
func TestGateway_connect_v1_in_process(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(shopv1connectv1.NewCartHandler(connectShop{}))
	reflection := connect.NewServer()
	grpcreflect.Register(reflection, grpcreflect.WithNamer(grpcreflect.NamerFunc(func() []string { return []string{shopv1connectv1.CartName} })))
	connecthttp.Mount(mux, reflection, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			url := mount(t, gateway.NewUpstream(gateway.InProcess(mux), "http://shop", p))
			got, header := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`)
			if diff := cmp.Diff(wantError, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if header.Get("X-Private") != "" {
				t.Error("the upstream's header came through")
			}
		})
	}
}

// A service that has reflection v1alpha alone is read through it.
func TestUpstream_Reflect_v1alpha(t *testing.T) {
	t.Parallel()
	s := grpc.NewServer()
	shopv1.RegisterCartServer(s, shop{})
	reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(reflection.ServerOptions{Services: s}))
	url := mount(t, gateway.NewUpstream(gateway.InProcess(s), "http://shop", gateway.ProtocolGRPC))
	if got, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get"}`); got != `{"jsonrpc":"2.0","id":1,"result":{"qty":"1"}}` {
		t.Error(got)
	}
}

// An error that a method names is found though no file of a service imports it,
// and one that nobody knows is a warning.
func TestSchema_Warnings(t *testing.T) {
	t.Parallel()
	schema, err := gateway.NewUpstream(gateway.InProcess(newGRPC()), "http://shop", gateway.ProtocolGRPC).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a method names the error shop.v1.UnknownToEverybody, which the upstream does not know"}
	if diff := cmp.Diff(want, schema.Warnings()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if schema.Catalog().Find("shop.example.com", "STOCK_EMPTY") == nil {
		t.Error("the catalogue lacks STOCK_EMPTY")
	}
}

// A detail of a type that neither the schema nor the program has goes through as
// its bytes.
func TestGateway_unseen_details(t *testing.T) {
	t.Parallel()
	s := grpc.NewServer()
	shopv1.RegisterCartServer(s, mystery{})
	reflection.Register(s)
	url := mount(t, gateway.NewUpstream(gateway.InProcess(s), "http://shop", gateway.ProtocolGRPC))
	got, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get"}`)
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31400,"message":"no stock","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","@value":"CJYBEgF4"}]}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

type mystery struct {
	shopv1.UnimplementedCartServer
}

func (mystery) Get(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, status.FromProto(&statuspb.Status{Code: 9, Message: "no stock", Details: []*anypb.Any{
		{TypeUrl: "type.googleapis.com/acme.v9.Mystery", Value: []byte{8, 0x96, 1, 0x12, 1, 'x'}},
	}}).Err()
}

func descriptorSet(t *testing.T, drop ...string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	for _, path := range drop {
		seen[path] = true
	}
	var add func(protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i))
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	}
	add(shopv1.File_shop_v1_cart_proto)
	return set
}

func TestNewSchema(t *testing.T) {
	t.Parallel()
	t.Run("whole", func(t *testing.T) {
		t.Parallel()
		raw, err := proto.Marshal(descriptorSet(t, "google/rpc/error_details.proto", "google/protobuf/any.proto"))
		if err != nil {
			t.Fatal(err)
		}
		set := new(descriptorpb.FileDescriptorSet)
		if err := proto.Unmarshal(raw, set); err != nil {
			t.Fatal(err)
		}
		schema, err := gateway.NewSchema(set)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range schema.Services() {
			names = append(names, string(s.FullName()))
		}
		if diff := cmp.Diff([]string{"shop.v1.Cart", "shop.v1.Orders"}, names); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("a missing import", func(t *testing.T) {
		t.Parallel()
		_, err := gateway.NewSchema(descriptorSet(t, "errmap/v1/error.proto"))
		if err == nil || !strings.Contains(err.Error(), "the schema lacks errmap/v1/error.proto, which shop/v1/cart.proto imports") {
			t.Errorf("got %v", err)
		}
	})
}

// The client of a gateway speaks HTTP/2 without TLS to http://, and to https://
// what the server speaks.
func TestNewHTTPClient(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Proto)) })
	clear := httptest.NewUnstartedServer(h)
	clear.Config.Protocols = new(http.Protocols)
	clear.Config.Protocols.SetUnencryptedHTTP2(true)
	clear.Start()
	t.Cleanup(clear.Close)
	resp, err := gateway.NewHTTPClient().Get(clear.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.Proto != "HTTP/2.0" {
		t.Errorf("http:// by %s", resp.Proto)
	}
	tls := httptest.NewTLSServer(h)
	t.Cleanup(tls.Close)
	if _, err := gateway.NewHTTPClient().Get(tls.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("https:// to an unknown authority: %v", err)
	}
}
