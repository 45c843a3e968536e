// Package connect_test holds connect-go, both majors, with the adapters of errmap
// against requests and answers that others make: a cache, a proxy, a browser.
package connect_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
)

const procedure = "/errmap.interop.v1.Failures/Get"

// gone is the error of every handler.
func gone() error { return errmap.NewCode(code.Code_NOT_FOUND, "gone") }

// handlers returns a method without side effects, which is called by GET too, of
// each major version. It says to caches that its answer may be kept, and fails.
func handlers(log *bytes.Buffer) map[string]http.Handler {
	report := errmap.WithLog(func(_ context.Context, r errmap.Report) { log.WriteString(r.Err.Error() + "\n") })
	set := func(h interface{ Set(key, value string) }) {
		h.Set("Cache-Control", "public, max-age=600")
		h.Set("ETag", `"x"`)
		h.Set("X-Kept", "yes")
	}
	s := errmapconnect.NewServer(errmapconnect.WithGuard(errmap.NewGuard(report)))
	s.Register(connect.Method{
		Spec: connect.Spec{Procedure: procedure, IdempotencyLevel: connect.IdempotencyNoSideEffects},
		Handler: func(ctx context.Context, _ connect.Spec, stream connect.ServerStream) error {
			if err := stream.Receive(new(wrapperspb.StringValue)); err != nil {
				return err
			}
			if info, ok := connect.CallInfoForServerContext(ctx); ok {
				set(info.ResponseHeader())
			}
			return gone()
		},
	})
	v2, v1 := http.NewServeMux(), http.NewServeMux()
	connecthttp.Mount(v2, s)
	v1.Handle(procedure, connectv1.NewUnaryHandler(procedure, func(ctx context.Context, _ *connectv1.Request[wrapperspb.StringValue]) (*connectv1.Response[wrapperspb.StringValue], error) {
		if info, ok := connectv1.CallInfoForHandlerContext(ctx); ok {
			set(info.ResponseHeader())
		}
		return nil, gone()
	}, connectv1.WithIdempotency(connectv1.IdempotencyNoSideEffects), errmapconnectv1.WithServer(errmapconnectv1.WithGuard(errmap.NewGuard(report)))))
	return map[string]http.Handler{"v1": v1, "v2": v2}
}

// get makes a GET of Connect.
func get(t *testing.T, h http.Handler, query string) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+procedure+"?connect=v1&"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// answer is what a server of others sends to any request.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	trailer http.Header
}

func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for key, values := range a.header {
		w.Header()[key] = values
	}
	w.WriteHeader(a.status)
	if _, err := w.Write(a.body); err != nil {
		slog.Error("the client is gone", "error", err)
	}
	for key, values := range a.trailer {
		w.Header()[http.TrailerPrefix+key] = values
	}
}

// calls are a unary call and a stream of each major version, which return the
// error that ends them.
func (a answer) calls(t *testing.T, transport func(http.RoundTripper) http.RoundTripper, protocol string) map[string]error {
	t.Helper()
	server := httptest.NewUnstartedServer(a)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	hc := server.Client()
	if transport != nil {
		hc = &http.Client{Transport: transport(hc.Transport)}
	}
	var v1 []connectv1.ClientOption
	var v2 []connecthttp.Option
	switch protocol {
	case connect.ProtocolNameGRPC:
		v1, v2 = append(v1, connectv1.WithGRPC()), append(v2, connecthttp.WithGRPC())
	case connect.ProtocolNameGRPCWeb:
		v1, v2 = append(v1, connectv1.WithGRPCWeb()), append(v2, connecthttp.WithGRPCWeb())
	}
	errs := make(map[string]error)
	client := errmapconnect.NewClient(connecthttp.NewTransport(hc, server.URL, v2...))
	errs["v2"] = client.CallUnary(t.Context(), connect.Spec{Procedure: procedure}, wrapperspb.String("a"), new(wrapperspb.StringValue))
	stream, err := client.CallServerStream(t.Context(), connect.Spec{Procedure: procedure, StreamType: connect.StreamTypeServer}, wrapperspb.String("a"))
	for err == nil {
		err = stream.Receive(new(wrapperspb.StringValue))
	}
	errs["v2, a stream"] = err
	old := connectv1.NewClient[wrapperspb.StringValue, wrapperspb.StringValue](hc, server.URL+procedure, append(v1, errmapconnectv1.WithClient())...)
	_, errs["v1"] = old.CallUnary(t.Context(), connectv1.NewRequest(wrapperspb.String("a")))
	oldStream, err := old.CallServerStream(t.Context(), connectv1.NewRequest(wrapperspb.String("a")))
	if err == nil {
		for oldStream.Receive() {
		}
		err = oldStream.Err()
	}
	errs["v1, a stream"] = err
	return errs
}
