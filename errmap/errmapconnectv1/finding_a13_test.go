package errmapconnectv1_test

import (
	"errors"
	"fmt"
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// What Connect's own client says of an answer that is none is hidden as what a peer sent,
// when a handler returns it.
func TestFinding_A13_plain_client(t *testing.T) {
	t.Parallel()
	guard := adaptertest.Quiet().With(errmap.WithRecognizer(errmapconnectv1.Recognize))
	for name, answer := range adaptertest.Raw() {
		for protocol, opts := range overWire {
			for _, method := range []string{"unary", "server stream"} {
				err := methods[method](t.Context(), shopv1connectv1.NewCartClient(adaptertest.Answering(answer), "http://shop", opts...))
				if err == nil {
					continue // the answer is one of that protocol
				}
				for how, err := range map[string]error{"itself": err, "in one of Connect": connect.NewError(connect.CodeInternal, fmt.Errorf("stock: %w", err)), "wrapped": fmt.Errorf("stock: %w", err), "joined": errors.Join(errors.New("stock"), err)} {
					if e := guard.Outgoing(t.Context(), err); e.Code() != code.Code_INTERNAL || e.Message() != "internal error" {
						t.Errorf("%s over %s, %s, %s: %v becomes %v", name, protocol, method, how, err, e)
					}
				}
			}
		}
	}
}

// What a program says in similar words speaks.
func TestFinding_A13_own_words(t *testing.T) {
	t.Parallel()
	guard := adaptertest.Quiet().With(errmap.WithRecognizer(errmapconnectv1.Recognize))
	for _, own := range []*connect.Error{
		connect.NewError(connect.CodeInvalidArgument, errors.New(`invalid content-type: "image/bmp"; expecting "image/png"`)),
		connect.NewError(connect.CodeNotFound, errors.New("404 Not Found")),
		connect.NewError(connect.CodeNotFound, errors.New("503 carts are not there")),
		connect.NewError(connect.CodeUnavailable, errors.New("HTTP status pages are down")),
		connect.NewError(connect.CodeInvalidArgument, errors.New("protocol error: the order of steps is wrong")),
		connect.NewError(connect.CodeResourceExhausted, errors.New("message is larger than 3 pages")),
		connect.NewError(connect.CodeInternal, errors.New("server returned invalid stock")),
	} {
		if e := guard.Outgoing(t.Context(), own); e.Message() != own.Message() || e.Code() != code.Code(own.Code()) {
			t.Errorf("%v becomes %v", own, e)
		}
	}
}
