package errmapconnectv1_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// A caller that leaves is no fault of the program: nothing is logged.
func TestServerInterceptor_callerLeaves(t *testing.T) {
	t.Parallel()
	for protocol, opts := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			handler := &leaving{started: make(chan struct{}), ended: make(chan error, 1)}
			mux := http.NewServeMux()
			mux.Handle(shopv1connectv1.NewCartHandler(handler, errmapconnectv1.WithServer(errmapconnectv1.WithGuard(logged.Guard()))))
			client, _ := adaptertest.Serve(t, mux)
			client.Transport = adaptertest.Resetting(client.Transport)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stream := newClient(client, opts).Haggle(ctx)
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
	shopv1connectv1.UnimplementedCartHandler
	started chan struct{}
	ended   chan error
}

func (h *leaving) Haggle(_ context.Context, stream *connect.BidiStream[shopv1.GetRequest, shopv1.GetResponse]) error {
	if err := stream.Send(nil); err != nil {
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
	client, _ := serve(t, adaptertest.Return(nil), errmapconnectv1.WithServer(errmapconnectv1.WithGuard(logged.Guard())), connect.WithReadMaxBytes(64))
	for name, test := range map[string]struct{ body, want string }{
		"no JSON":   {"\x00\x00\x00\x00\x07" + `{"sku":`, "invalid_argument"},
		"too large": {"\x00\x00\x00\x00\x64" + strings.Repeat(" ", 100), "resource_exhausted"},
		"cut off":   {"\x00\x00\x00\x00\x07" + `{"s`, "invalid_argument"},
		"flags":     {"\x01\x00\x00\x00\x02{}", `internal","message":"protocol error: sent compressed message without compression support`},
	} {
		resp, err := client.Post("http://shop"+shopv1connectv1.CartFillProcedure, "application/connect+json", strings.NewReader(test.body))
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
		for method, call := range methods {
			err := call(t.Context(), newClient(client, opts))
			if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Local() || e.Code() == code.Code_OK {
				t.Errorf("%s, %s: got %v", protocol, method, err)
			}
		}
	}
}
