//go:build all

package gateway_test

import (
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/results"
)

// TestUpstream_tonic has a service of tonic, and the reflection of tonic-reflection.
func TestUpstream_tonic(t *testing.T) {
	notes := upstream{command: []string{build + "/interop-rust/release/upstream"}, protocol: "grpc"}.check(t)
	if !strings.Contains(notes, "  shop.v1.Cart: 6 methods\n") {
		t.Errorf("got %s", notes)
	}
	tell(t, "tonic, server, with tonic-reflection", results.Pinned(t, "rust/Cargo.lock", `(?m)^name = "tonic"\nversion = "(\S+)"$`), "gRPC", byReflection)
}
