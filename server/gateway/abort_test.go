package gateway_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server/gateway"
)

// filling says how the requests that it gets end.
type filling struct {
	shopv1connect.UnimplementedCartHandler
	begun chan struct{}
	ended chan error
}

func (f filling) Fill(_ context.Context, s shopv1connect.CartFillServerStream) (*shopv1.GetResponse, error) {
	for {
		_, err := s.Receive()
		if err != nil {
			f.ended <- err
			return &shopv1.GetResponse{}, nil
		}
		f.begun <- struct{}{}
	}
}

// Requests that break off never look whole to the upstream: the caller went away, or
// sent what is no message.
func TestGateway_requestsThatBreakOff(t *testing.T) {
	t.Parallel()
	const message = "\x00\x00\x00\x00\x04\x0a\x02A1"
	for name, breakOff := range map[string]func(body *io.PipeWriter, cancel func()){
		"the caller is gone": func(_ *io.PipeWriter, cancel func()) { cancel() },
		"a malformed message": func(body *io.PipeWriter, _ func()) {
			_, _ = io.WriteString(body, "\x00\x00\x00\x00\x04\x0a\x7fA1")
		},
		"a part of a message": func(body *io.PipeWriter, _ func()) {
			_, _ = io.WriteString(body, message[:7])
			_ = body.Close()
		},
	} {
		for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
			for version, serve := range map[string]func(*testing.T, http.Handler) string{"HTTP/1.1": serveHTTP1, "h2c": newServer} {
				if p == gateway.ProtocolGRPC && version == "HTTP/1.1" {
					continue
				}
				t.Run(name+"/"+p.String()+"/"+version, func(t *testing.T) {
					t.Parallel()
					f := filling{begun: make(chan struct{}, 10), ended: make(chan error, 1)}
					s := errmapconnect.NewServer()
					shopv1connect.RegisterCartHandler(s, f)
					mux := http.NewServeMux()
					connecthttp.Mount(mux, s, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
					url := before(t, gateway.NewUpstream(nil, serve(t, mux), p), gateway.WithLog(slog.New(slog.DiscardHandler)))
					for range 20 {
						ctx, cancel := context.WithCancel(t.Context())
						body, send := io.Pipe()
						r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/shop.v1.Cart/Fill", body)
						if err != nil {
							t.Fatal(err)
						}
						r.Header.Set("Content-Type", "application/grpc")
						r.Header.Set("Te", "trailers")
						status := make(chan string, 1)
						go func() {
							response, err := gateway.NewHTTPClient().Do(r)
							if err != nil {
								status <- ""
								return
							}
							defer response.Body.Close()
							_, _ = io.Copy(io.Discard, response.Body)
							status <- response.Trailer.Get("Grpc-Status")
						}()
						_, _ = io.WriteString(send, message)
						<-f.begun
						breakOff(send, cancel)
						select {
						case err := <-f.ended:
							if errors.Is(err, io.EOF) {
								t.Errorf("the upstream takes it for whole: %v", err)
							}
						case <-time.After(5 * time.Second):
							t.Fatal("the upstream is not told")
						}
						if got := <-status; got != "" && got != "3" && got != "13" && got != "14" {
							t.Errorf("the caller gets status %s", got)
						}
						cancel()
						_ = send.Close()
					}
				})
			}
		}
	}
}
