//go:build all

package grpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/results"
)

// TestFinding_P04_Java calls with grpc-java over netty, which takes 8,192 bytes of
// headers, all of them together and each with 32 more.
func TestFinding_P04_Java(t *testing.T) {
	t.Parallel()
	built, err := filepath.Abs(build + "/interop-java")
	if err != nil {
		t.Fatal(err)
	}
	classpath, err := os.ReadFile(filepath.Join(built, "classpath"))
	if err != nil {
		t.Fatalf("%v: run make interop-all", err)
	}
	servers := newServers(t)
	all := run(t, servers, "java", "java", "-cp", filepath.Join(built, "classes")+":"+strings.TrimSpace(string(classpath)), "peer.Main")
	judge(t, servers, "grpc-java, netty", results.Pinned(t, "java/pom.xml", `<grpc.version>(\S+)</grpc.version>`), all)
}

// TestFinding_P04_Rust calls with tonic.
func TestFinding_P04_Rust(t *testing.T) {
	t.Parallel()
	program, err := filepath.Abs(build + "/interop-rust/release/peer")
	if err != nil {
		t.Fatal(err)
	}
	servers := newServers(t)
	all := run(t, servers, "rust", program)
	judge(t, servers, "tonic", results.Pinned(t, "rust/Cargo.lock", `(?m)^name = "tonic"\nversion = "(\S+)"$`), all)
}
