package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/emptypb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// shop is written with unmodified grpc-go.
type shop struct {
	shopv1.UnimplementedCartServer
}

func (shop) Get(ctx context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	_ = grpc.SetHeader(ctx, metadata.Pairs("x-private", "secret=42"))
	md, _ := metadata.FromIncomingContext(ctx)
	if r.GetSku() == "header" {
		return &shopv1.GetResponse{Sku: strings.Join(md.Get("authorization"), ",")}, nil
	}
	if r.GetQty() == 0 {
		return &shopv1.GetResponse{Sku: r.GetSku(), Qty: 1}, nil
	}
	s, err := status.New(codes.FailedPrecondition, "No "+r.GetSku()+" left").WithDetails(
		protoadapt.MessageV1Of(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": r.GetSku()}}),
		protoadapt.MessageV1Of(&shopv1.GetRequest{Sku: "unseen"}),
	)
	if err != nil {
		return nil, err
	}
	return nil, s.Err()
}

func (shop) Watch(r *shopv1.GetRequest, stream grpc.ServerStreamingServer[shopv1.GetResponse]) error {
	for i := range r.GetQty() {
		if err := stream.Send(&shopv1.GetResponse{Sku: r.GetSku(), Qty: int64(i)}); err != nil {
			return err
		}
	}
	return status.Error(codes.NotFound, "no more")
}

func (shop) Fill(stream grpc.ClientStreamingServer[shopv1.GetRequest, shopv1.GetResponse]) error {
	total := int64(0)
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&shopv1.GetResponse{Qty: total})
		}
		if err != nil {
			return err
		}
		total += int64(r.GetQty())
	}
}

func (shop) Haggle(stream grpc.BidiStreamingServer[shopv1.GetRequest, shopv1.GetResponse]) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return status.Error(codes.Aborted, "no deal")
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&shopv1.GetResponse{Qty: int64(r.GetQty()) - 1}); err != nil {
			return err
		}
	}
}

func (shop) Ping(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return nil, status.Error(codes.Unavailable, "later")
}

func newGRPC() *grpc.Server {
	s := grpc.NewServer()
	shopv1.RegisterCartServer(s, shop{})
	reflection.Register(s)
	return s
}

// upstreams are ways to the same service: over a socket, and within the process.
func upstreams(t *testing.T) map[string]*gateway.Upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newGRPC()
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return map[string]*gateway.Upstream{
		"socket":     gateway.NewUpstream(nil, "http://"+l.Addr().String(), gateway.ProtocolGRPC),
		"in process": gateway.NewUpstream(gateway.InProcess(newGRPC()), "http://shop", gateway.ProtocolGRPC),
	}
}

func mount(t *testing.T, u *gateway.Upstream) string {
	t.Helper()
	schema, err := u.Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := gateway.New(u.Transport(), schema)
	mux := http.NewServeMux()
	if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
		t.Fatal(err)
	}
	connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC())
	front := httptest.NewUnstartedServer(mux)
	front.Config.Protocols = new(http.Protocols)
	front.Config.Protocols.SetHTTP1(true)
	front.Config.Protocols.SetUnencryptedHTTP2(true)
	front.Start()
	t.Cleanup(front.Close)
	return front.URL
}

func post(t *testing.T, url, body string) (string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer t")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), resp.Header
}

func TestGateway_json_rpc(t *testing.T) {
	t.Parallel()
	for name, u := range upstreams(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := mount(t, u)
			for _, row := range []struct{ in, out string }{
				{
					`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`,
					`{"jsonrpc":"2.0","id":1,"result":{"sku":"A1","qty":"1"}}`,
				},
				{
					`{"jsonrpc":"2.0","id":2,"method":"shop.v1.Cart/Get","params":{"sku":"header"}}`,
					`{"jsonrpc":"2.0","id":2,"result":{"sku":"Bearer t"}}`,
				},
				{
					`{"jsonrpc":"2.0","id":3,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":2}}`,
					`{"jsonrpc":"2.0","id":3,"error":{"code":4010,"message":"No A1 left","data":[` +
						`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},` +
						`{"@type":"type.googleapis.com/shop.v1.GetRequest","sku":"unseen"},` +
						`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}}`,
				},
				{
					`{"jsonrpc":"2.0","id":4,"method":"shop.v1.Cart/Ping"}`,
					`{"jsonrpc":"2.0","id":4,"error":{"code":-31503,"message":"later"}}`,
				},
			} {
				got, header := post(t, url, row.in)
				if diff := cmp.Diff(row.out, got); diff != "" {
					t.Errorf("%s: -want +got\n%s", row.in, diff)
				}
				for key, values := range header {
					if strings.Contains(strings.Join(values, ","), "secret=42") {
						t.Errorf("the upstream's %s came through", key)
					}
				}
			}
		})
	}
}

// Every kind of stream goes through the gateway's gRPC front.
func TestGateway_streams(t *testing.T) {
	t.Parallel()
	for name, u := range upstreams(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := mount(t, u)
			c := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
			watch, err := c.Watch(t.Context(), &shopv1.GetRequest{Qty: 2})
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for {
				if _, err = watch.Receive(); err != nil {
					break
				}
				count++
			}
			if count != 2 || connect.CodeOf(err) != connect.CodeNotFound {
				t.Errorf("watch: %d messages, then %v", count, err)
			}
			fill, err := c.Fill(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int32{1, 2, 3} {
				if err := fill.Send(&shopv1.GetRequest{Qty: n}); err != nil {
					t.Fatal(err)
				}
			}
			if sum, err := fill.CloseAndReceive(); err != nil || sum.GetQty() != 6 {
				t.Errorf("fill: %v %v", sum, err)
			}
			haggle, err := c.Haggle(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int32{10, 9} {
				if err := haggle.Send(&shopv1.GetRequest{Qty: n}); err != nil {
					t.Fatal(err)
				}
				if m, err := haggle.Receive(); err != nil || m.GetQty() != int64(n)-1 {
					t.Errorf("haggle: %v %v", m, err)
				}
			}
			if err := haggle.CloseSend(); err != nil {
				t.Fatal(err)
			}
			if _, err := haggle.Receive(); connect.CodeOf(err) != connect.CodeAborted {
				t.Errorf("haggle ends with %v", err)
			}
		})
	}
}

func TestGateway_upstream_restarts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := newGRPC()
	go func() { _ = first.Serve(l) }()
	url := mount(t, gateway.NewUpstream(nil, "http://"+l.Addr().String(), gateway.ProtocolGRPC))
	call := `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`
	good := `{"jsonrpc":"2.0","id":1,"result":{"sku":"A1","qty":"1"}}`
	if got, _ := post(t, url, call); got != good {
		t.Fatal(got)
	}
	first.Stop()
	// A connection that was open may not have told yet that it is closed.
	down := regexp.MustCompile(`^{"jsonrpc":"2.0","id":1,"error":{"code":-31503,"message":"(the upstream cannot be reached|the call to the upstream broke off)"}}$`)
	if got, _ := post(t, url, call); !down.MatchString(got) {
		t.Errorf("while it is down: %s", got)
	}
	l, err = net.Listen("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	second := newGRPC()
	go func() { _ = second.Serve(l) }()
	t.Cleanup(second.Stop)
	if got, _ := post(t, url, call); got != good {
		t.Errorf("after its restart: %s", got)
	}
}

// Protobuf panics on a map entry of a dynamic message whose key stands twice, the
// second time in another wire type.
func TestGateway_malformed_map_entry(t *testing.T) {
	t.Parallel()
	url := mount(t, gateway.NewUpstream(gateway.InProcess(newGRPC()), "http://shop", gateway.ProtocolGRPC))
	body := "\x62\x05\x0a\x01k\x08\x62" // Everything.by_name, an entry with its key twice
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/shop.v1.Cart/Echo", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/proto")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusBadRequest || string(b) != `{"code":"invalid_argument","message":"the request is malformed"}` {
		t.Errorf("%d %s", resp.StatusCode, b)
	}
}
