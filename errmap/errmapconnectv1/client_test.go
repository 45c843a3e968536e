package errmapconnectv1_test

import (
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"github.com/google/go-cmp/cmp"
)

// answered returns the error of a unary call that an HTTP answer makes.
func answered(t *testing.T, answer adaptertest.Answer, wrap func(http.RoundTripper) http.RoundTripper, opts ...connect.ClientOption) error {
	t.Helper()
	client, _ := adaptertest.Serve(t, answer)
	if wrap != nil {
		client.Transport = wrap(client.Transport)
	}
	cart := shopv1connectv1.NewCartClient(client, "http://shop", append(opts, errmapconnectv1.WithClient())...)
	_, err := cart.Get(t.Context(), connect.NewRequest(&shopv1.GetRequest{}))
	return err
}

func checkAnswers(t *testing.T, cases map[string]adaptertest.Case, call func(*testing.T, adaptertest.Answer) error) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := adaptertest.Tell(t, call(t, test.Answer))
			if test.Want.Message == "" {
				got.Message = "" // the library's own text
			}
			if diff := cmp.Diff(test.Want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// overGRPC are the answers to calls over gRPC. What connect leaves of them is in
// docs/interop.md.
func overGRPC() map[string]adaptertest.Case {
	cases := adaptertest.GRPC()
	limit := cases["a limit"]
	limit.Want.Types, limit.Want.Delay = nil, 0
	cases["a limit"] = limit
	return cases
}

func TestClientInterceptor_gRPC(t *testing.T) {
	t.Parallel()
	checkAnswers(t, overGRPC(), func(t *testing.T, a adaptertest.Answer) error {
		return answered(t, a, nil, connect.WithGRPC())
	})
}

func TestClientInterceptor_gRPCWeb(t *testing.T) {
	t.Parallel()
	checkAnswers(t, overGRPC(), func(t *testing.T, a adaptertest.Answer) error {
		return answered(t, a.Web(), nil, connect.WithGRPCWeb())
	})
}

// What connect leaves of the answers is in docs/interop.md.
func TestClientInterceptor_Connect(t *testing.T) {
	t.Parallel()
	cases := adaptertest.Connect()
	for name, want := range map[string]adaptertest.Told{
		"no base64":      {Code: 13, Message: "HTTP status 400 Bad Request", Local: true, HTTP: 400},
		"another code":   {Code: 12, Message: "gone"},
		"a private code": {Code: 2, Message: "gone"},
		"AIP-193":        {Code: 13},
		"of a gateway":   {Code: 7, Message: "Forbidden"},
	} {
		cases[name] = adaptertest.Case{Answer: cases[name].Answer, Want: want}
	}
	limit := cases["a limit"]
	limit.Want.Types, limit.Want.Delay = nil, 0
	cases["a limit"] = limit
	checkAnswers(t, cases, func(t *testing.T, a adaptertest.Answer) error { return answered(t, a, nil) })
}

func TestClientInterceptor_ConnectOverOurTransport(t *testing.T) {
	t.Parallel()
	checkAnswers(t, adaptertest.Connect(), func(t *testing.T, a adaptertest.Answer) error {
		return answered(t, a, func(base http.RoundTripper) http.RoundTripper {
			return errmaphttp.NewTransport(base, errmaphttp.Connect)
		})
	})
}

func TestClientInterceptor_gRPCOverOurTransport(t *testing.T) {
	t.Parallel()
	checkAnswers(t, adaptertest.GRPC(), func(t *testing.T, a adaptertest.Answer) error {
		return answered(t, a, func(base http.RoundTripper) http.RoundTripper {
			return errmaphttp.NewTransport(base, errmaphttp.Connect)
		}, connect.WithGRPC())
	})
}

func TestClientInterceptor_nothingLost(t *testing.T) {
	t.Parallel()
	for name, rich := range adaptertest.Rich(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(rich), []errmapconnectv1.ServerOption{errmapconnectv1.WithGuard(errmap.NewGuard(errmap.WithDebugInfo()))}, func(t *testing.T, err error, _ *adaptertest.Wire) {
				adaptertest.CheckSame(t, rich, err)
			})
		})
	}
}
