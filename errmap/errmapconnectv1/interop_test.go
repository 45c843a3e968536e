package errmapconnectv1_test

import (
	"errors"
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adaptertest"
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

// A status among the headers counts only where there is nothing else.
func TestClientInterceptor_statusInHeaders(t *testing.T) {
	t.Parallel()
	message := "\x00\x00\x00\x00\x00"
	headers := map[string]string{"Content-Type": "application/grpc", "grpc-status": "8", "grpc-message": "h"}
	for name, test := range map[string]struct {
		answer adaptertest.Answer
		code   int32
		remote bool
	}{
		"alone":            {adaptertest.Answer{Header: headers}, 8, true},
		"before a trailer": {adaptertest.Answer{Header: headers, Trailer: map[string]string{"grpc-status": "9", "grpc-message": "t"}}, 9, true},
		"before a message": {adaptertest.Answer{Header: headers, Body: message}, 13, false},
	} {
		err := answered(t, test.answer, nil, connect.WithGRPC())
		e, ok := errors.AsType[*errmap.Error](err)
		if !ok || e.Number() != test.code || e.Remote() != test.remote || e.Local() == test.remote {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Connect counts the messages of the one answer to a client stream after its
// interceptors.
func TestClientInterceptor_answerToClientStream(t *testing.T) {
	t.Parallel()
	const message, end = "\x00\x00\x00\x00\x00", "\x02\x00\x00\x00\x02{}"
	for body, want := range map[string]string{
		end:                     "the answer has no message",
		message + message + end: "the answer is more than one message",
	} {
		client, _ := adaptertest.Serve(t, adaptertest.Answer{Header: map[string]string{"Content-Type": "application/connect+proto"}, Body: body})
		err := methods["client stream"](t.Context(), newClient(client, nil))
		e, ok := errors.AsType[*errmap.Error](err)
		if !ok || e.Code() != code.Code_UNIMPLEMENTED || e.Message() != want || !e.Local() {
			t.Errorf("got %v, want %q", err, want)
		}
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
