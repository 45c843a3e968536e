package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The line by which an empty repository uses a clone is copied from the documents and run:
// after it the repository has what it takes to define, generate and catch an error.
func TestClone(t *testing.T) {
	t.Parallel()
	line := ""
	for _, page := range []string{"README.md", "docs/release.md"} {
		for l := range strings.Lines(read(t, absolute(t, page))) {
			if l = strings.TrimSpace(l); line == "" && strings.HasPrefix(l, "make -C ../errmap ") {
				line, _, _ = strings.Cut(l, " #")
			}
		}
	}
	const clone = "../errmap"
	if line == "" {
		t.Fatalf("neither README.md nor docs/release.md has a line that begins with make -C %s", clone)
	}
	c := command{dir: filepath.Join(t.TempDir(), "shop")}
	c.write(t, "proto/shop/v1/shop.proto", `syntax = "proto3";

package shop.v1;

import "errmap/v1/error.proto";
import "google/rpc/error_details.proto";

option go_package = "example.com/shop/gen/shop/v1;shopv1";
option (errmap.v1.domain) = "shop.example.com";

message StockEmptyError {
  option (errmap.v1.error) = {
    code: FAILED_PRECONDITION
    message: "No {sku} left"
  };
  string sku = 1;
  google.rpc.RetryInfo retry = 2;
}
`)
	c.run(t, "git", "init", "--quiet")
	c.run(t, "bash", "-euc", strings.ReplaceAll(line, clone, absolute(t)))
	c.run(t, "bin/buf", "lint")
	c.run(t, "bin/buf", "generate")
	c.write(t, "main.go", `package main

import (
	"errors"
	"fmt"

	"github.com/errmap/errmap/errmap"

	shopv1 "example.com/shop/gen/shop/v1"
)

func main() {
	_, body := errmap.EncodeHTTP(errmap.From(&shopv1.StockEmptyError{Sku: "A1"}))
	received, err := errmap.DecodeHTTP(body)
	if err != nil {
		panic(err)
	}
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](received); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
}
`)
	c.run(t, "go", "mod", "tidy")
	if got, want := c.run(t, "go", "run", "."), "sold out: A1\n"; got != want {
		t.Errorf("the error that went over a wire says %q, want %q", got, want)
	}

	// Again, now that there is TypeScript and Python: what was there stays.
	c.write(t, "buf.gen.yaml", read(t, filepath.Join(c.dir, "buf.gen.yaml"))+"# mine\n")
	c.write(t, "package.json", `{"private": true, "type": "module"}`)
	c.run(t, "python3", "-m", "venv", ".venv")
	c.run(t, "bash", "-euc", strings.ReplaceAll(line, clone, absolute(t)))
	c.run(t, "node", "-e", `import("@errmap/errmap").then((m) => m.createCatalog())`)
	c.run(t, ".venv/bin/python", "-c", "import errmap_rpc")
	if !strings.HasSuffix(read(t, filepath.Join(c.dir, "buf.gen.yaml")), "# mine\n") {
		t.Error("buf.gen.yaml was written again")
	}
	c.run(t, "bin/buf", "generate")
	c.run(t, "go", "build", "./...")
}
