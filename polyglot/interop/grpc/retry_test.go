package grpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/results"
)

// retries is a service config by which grpc-go makes three attempts of a call that
// is UNAVAILABLE.
const retries = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":3,"initialBackoff":"0.001s","maxBackoff":"0.001s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// away is the request whose handler counts its calls and is UNAVAILABLE.
const away = "away"

var attempts atomic.Int64

func unavailable() error {
	attempts.Add(1)
	return errmap.NewCode(code.Code_UNAVAILABLE, "away")
}

// TestFinding_P26_retries holds how often a handler is asked that is UNAVAILABLE. A
// client of gRPC may try again only while no answer has begun, which it sees by
// headers and status coming at once (trailers only).
func TestFinding_P26_retries(t *testing.T) {
	// Not parallel: it counts.
	for _, s := range newServers(t) {
		conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(retries))
		if err != nil {
			t.Fatal(err)
		}
		attempts.Store(0)
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		err = conn.Invoke(ctx, "/"+service+"/Fail", wrapperspb.String(away), new(wrapperspb.StringValue))
		cancel()
		_ = conn.Close()
		if status.Code(err) != codes.Unavailable || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", s.name, err)
		}
		if repeats := s.name == "errmapgrpc" || strings.Contains(s.name, "TrailersOnly"); repeats && attempts.Load() != 3 {
			t.Errorf("%s: %d attempts", s.name, attempts.Load())
		}
		found.Add(results.Row{
			Peer: "grpc-go, `retryPolicy` of 3 attempts", Version: results.Go(t, "google.golang.org/grpc"), Wires: "gRPC from " + s.name, Errors: 1,
			Result: fmt.Sprintf("UNAVAILABLE after %d of 3 attempts", attempts.Load()),
		})
	}
}
