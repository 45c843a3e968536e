package errmapconnectv1_test

import (
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/google/go-cmp/cmp"
)

// The rows of docs/interop.md on the message that ends a stream.
func TestClientInterceptor_endOfStream(t *testing.T) {
	t.Parallel()
	for name, test := range adaptertest.EndOfStream() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := adaptertest.Serve(t, test.Answer)
			err := methods["server stream"](t.Context(), newClient(client, nil))
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
		"grpc":    answered(t, zeros, nil, connect.WithGRPC()),
		"grpcweb": answered(t, zeros.Web(), nil, connect.WithGRPCWeb()),
	} {
		if got := adaptertest.Tell(t, err); got.Code != 2 || got.Message != "m" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
