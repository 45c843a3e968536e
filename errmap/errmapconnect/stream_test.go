package errmapconnect_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// A caller that leaves is no fault of the program: nothing is logged.
func TestServerInterceptor_callerLeaves(t *testing.T) {
	t.Parallel()
	for protocol, transport := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			server := errmapconnect.NewServer(errmapconnect.WithGuard(logged.Guard()))
			handler := &leaving{started: make(chan struct{}), ended: make(chan error, 1)}
			shopv1connect.RegisterCartHandler(server, handler)
			over, _ := transport(t, server)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stream, err := shopv1connect.NewCartClient(errmapconnect.NewClient(over)).Haggle(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.SendHeaders(); err != nil {
				t.Fatal(err)
			}
			if err := stream.Send(&shopv1.GetRequest{}); err != nil {
				t.Fatal(err)
			}
			<-handler.started
			cancel()
			if _, err := stream.Receive(); !errors.Is(err, context.Canceled) {
				t.Errorf("the client got %v", err)
			}
			select {
			case err := <-handler.ended:
				if err == nil || errors.Is(err, io.EOF) {
					t.Errorf("the handler got %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the handler goes on")
			}
			time.Sleep(10 * time.Millisecond) // until the interceptor has returned
			if logged.Len() != 0 {
				t.Errorf("%d log entries", logged.Len())
			}
		})
	}
}

// leaving waits for a caller that leaves.
type leaving struct {
	shopv1connect.UnimplementedCartHandler
	started chan struct{}
	ended   chan error
}

func (h *leaving) Haggle(_ context.Context, stream shopv1connect.CartHaggleServerStream) error {
	if err := stream.SendHeaders(); err != nil {
		return err
	}
	if _, err := stream.Receive(); err != nil {
		return err
	}
	close(h.started)
	_, err := stream.Receive()
	h.ended <- err
	return err
}

func TestServerInterceptor_malformedMessages(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	server := errmapconnect.NewServer(errmapconnect.WithGuard(logged.Guard()))
	shopv1connect.RegisterCartHandler(server, cart{fail: adaptertest.Return(nil)})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, server, connecthttp.WithReadMaxBytes(64))
	client, _ := adaptertest.Serve(t, mux)
	for name, test := range map[string]struct{ body, want string }{
		"no JSON":   {"\x00\x00\x00\x00\x07" + `{"sku":`, "invalid_argument"},
		"too large": {"\x00\x00\x00\x00\x64" + strings.Repeat(" ", 100), "resource_exhausted"},
		"cut off":   {"\x00\x00\x00\x00\x07" + `{"s`, "invalid_argument"},
		"flags":     {"\x01\x00\x00\x00\x02{}", `internal","message":"protocol error: sent compressed message without compression support`},
	} {
		resp, err := client.Post("http://shop"+shopv1connect.CartFillProcedure, "application/connect+json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !strings.Contains(string(body), `"code":"`+test.want+`"`) {
			t.Errorf("%s: got %q", name, body)
		}
	}
	if logged.Len() != 0 {
		t.Error("a caller's mistake was logged as a fault of the program")
	}
}

func TestClientInterceptor_noAnswer(t *testing.T) {
	t.Parallel()
	for protocol, opts := range overWire {
		client, _ := adaptertest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		over := connecthttp.NewTransport(client, "http://shop", opts...)
		for method, call := range methods {
			err := call(t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
			if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Local() || e.Code() == code.Code_OK {
				t.Errorf("%s, %s: got %v", protocol, method, err)
			}
		}
	}
}
