package httpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpserver"
)

// large answers with as many bytes as it is asked for, and counts its calls.
type large struct {
	shopv1connect.UnimplementedCartHandler
	calls *atomic.Int64
}

func (l large) Get(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	l.calls.Add(1)
	return &shopv1.GetResponse{Sku: strings.Repeat("x", int(r.GetQty()))}, nil
}

func (l large) Watch(_ context.Context, r *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
	response, err := l.Get(context.Background(), r)
	if err != nil {
		return err
	}
	return stream.Send(response)
}

// The bytes that wait for callers have one bound over all connections and mounts. Beyond
// it a call of Connect is refused before it is made, and an answer is left out, in the
// protocol of the call.
func TestFinding_A02_BudgetOfAllMounts(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	for protocol, opts := range map[string][]connecthttp.Option{
		"connect": nil, "json": {connecthttp.WithProtoJSON()}, "grpc": {connecthttp.WithGRPC()}, "grpcweb": {connecthttp.WithGRPCWeb()},
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			s := errmapconnect.NewServer()
			shopv1connect.RegisterCartHandler(s, large{calls: &calls})
			mux := http.NewServeMux()
			connecthttp.Mount(mux, s, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
			if err := server.Mount(mux, s); err != nil {
				t.Fatal(err)
			}
			address, _ := serve(t, mux.ServeHTTP, httpserver.WithMaxHeldBytes(4*size))
			plain := new(http.Transport)
			plain.Protocols = new(http.Protocols)
			plain.Protocols.SetUnencryptedHTTP2(true)
			t.Cleanup(plain.CloseIdleConnections)
			client := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(&http.Client{Transport: plain}, "http://"+address, append(opts, connecthttp.WithReadMaxBytes(2*size))...)))
			get := func(qty int32) error {
				_, err := client.Get(t.Context(), &shopv1.GetRequest{Qty: qty})
				return err
			}
			watch := func() error {
				stream, err := client.Watch(t.Context(), &shopv1.GetRequest{Qty: size})
				if err != nil {
					return err
				}
				defer stream.Close()
				_, err = stream.Receive()
				return err
			}

			body := fmt.Sprintf(`{"qty":%d}`, size)
			request := "POST /shop.v1.Cart/Get HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body
			var unread []net.Conn
			for range 4 {
				c := dial(t, address, request)
				if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
					t.Fatal(err)
				}
				unread = append(unread, c)
			}
			var refused *errmap.Error
			for end := time.Now().Add(soon); refused == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				refused, _ = errors.AsType[*errmap.Error](get(1))
			}
			made := calls.Load()
			if delay, ok := refused.RetryDelay(); refused.Code() != code.Code_RESOURCE_EXHAUSTED || !ok || delay != time.Second || !refused.Remote() {
				t.Errorf("a call beyond the budget: %v, delay %v", refused, delay)
			}
			if get(1) == nil || calls.Load() != made {
				t.Error("a call beyond the budget is made")
			}
			left, _ := errors.AsType[*errmap.Error](watch())
			if _, ok := left.RetryDelay(); left.Code() != code.Code_RESOURCE_EXHAUSTED || ok || calls.Load() != made+1 {
				t.Errorf("an answer that has no room: %v", left)
			}
			rpc := fmt.Sprintf(`{"jsonrpc":"2.0","id":"seven","method":"shop.v1.Cart/Get","params":{"qty":%d}}`, size)
			if answer := post(t, address, rpc); !strings.Contains(answer, `"id":"seven","error":{"code":-31429,`) {
				t.Errorf("over JSON-RPC, which has a budget of its own: %.200s", answer)
			}
			for _, c := range unread {
				_ = c.Close()
			}
			var err error
			for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if err = errors.Join(get(1), get(size-100)); err == nil {
					break
				}
			}
			if err != nil {
				t.Errorf("after they left: %v", err)
			}
		})
	}
}

func post(t *testing.T, address, body string) string {
	t.Helper()
	response, err := http.Post("http://"+address+"/", "application/json", strings.NewReader(body)) //nolint:noctx // the server answers
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
