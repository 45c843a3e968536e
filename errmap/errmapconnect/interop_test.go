package errmapconnect_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// The rows of docs/interop.md on the message that ends a stream.
func TestClientInterceptor_endOfStream(t *testing.T) {
	t.Parallel()
	for name, test := range adaptertest.EndOfStream() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := adaptertest.Serve(t, test.Answer)
			over := connecthttp.NewTransport(client, "http://shop")
			err := methods["server stream"](t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
			got := adaptertest.Tell(t, err)
			if test.Want.Message == "" {
				got.Message = "" // the library's own text
			}
			if diff := cmp.Diff(test.Want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Connect takes this status for an error of code 0. What it hands on must not be
// one of code OK.
func TestField_028_status_of_zeros(t *testing.T) {
	t.Parallel()
	zeros := adaptertest.Answer{
		Header:  map[string]string{"Content-Type": "application/grpc"},
		Trailer: map[string]string{"grpc-status": "00", "grpc-message": "m"},
	}
	for name, err := range map[string]error{
		"grpc":    answered(t, zeros, nil, connecthttp.WithGRPC()),
		"grpcweb": answered(t, zeros.Web(), nil, connecthttp.WithGRPCWeb()),
	} {
		if got := adaptertest.Tell(t, err); got.Code != 2 || got.Message != "m" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// Of several values the first counts for connect, which would take an error for a
// success.
func TestClientInterceptor_severalStatuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values []string
		body   string
		want   code.Code
	}{
		"zero first":                    {[]string{"0", "5"}, "\x00\x00\x00\x00\x00", 5},
		"zero first, without a message": {[]string{"0", "5"}, "", 5},
		"zero last":                     {[]string{"5", "0"}, "\x00\x00\x00\x00\x00", 5},
	} {
		client, _ := adaptertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			_, _ = io.WriteString(w, test.body)
			w.(http.Flusher).Flush()
			w.Header()[http.TrailerPrefix+"Grpc-Status"] = test.values
		}))
		over := connecthttp.NewTransport(client, "http://shop", connecthttp.WithGRPC())
		err := methods["unary"](t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
		if e, _ := errors.AsType[*errmap.Error](err); e.Code() != test.want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
