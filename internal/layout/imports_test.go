package layout_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/errmap/errmap"

// What packages may import from outside, by module or by path in it.
const (
	protobuf  = "google.golang.org/protobuf"
	rpc       = "google.golang.org/genproto/googleapis/rpc"
	api       = "google.golang.org/genproto/googleapis/api"
	jsonText  = "github.com/go-json-experiment/json"
	connect   = "connectrpc.com/connect/v2"
	connectV1 = "connectrpc.com/connect"
	grpcGo    = "google.golang.org/grpc"
	gateway   = "github.com/grpc-ecosystem/grpc-gateway/v2"
	reflect   = "connectrpc.com/grpcreflect"
	health    = "connectrpc.com/grpchealth"
	a2a       = "github.com/a2aproject/a2a-go/v2"
	mcp       = "github.com/modelcontextprotocol/go-sdk"
	cmp       = "github.com/google/go-cmp"
	compiler  = "github.com/bufbuild/protocompile"
)

// row says what a package may import: packages of this module and of others,
// each with all that is below it.
type row struct {
	packages []string
	inside   []string
	outside  []string
}

// table holds the rows from the bottom up. Nothing imports what stands below
// it here, and a library that an adapter is for has no other importer before
// server. The first row that has a package counts.
var table = []row{
	{packages: []string{"gen"}, inside: []string{"gen"}, outside: []string{protobuf, rpc, connect}},
	{packages: []string{"internal/cause", "internal/deadline", "internal/goexit", "internal/header", "internal/hub", "internal/inflight", "internal/inputerror", "internal/jsontree", "internal/negotiate", "internal/origin", "internal/procedure", "internal/register"}},
	{packages: []string{"internal/jsonrpc"}, inside: []string{"internal/jsontree"}},
	{packages: []string{"internal/protojson"}, inside: []string{"internal/jsontree"}, outside: []string{protobuf}},
	{packages: []string{"internal/protofield"}, outside: []string{protobuf}},
	{packages: []string{"internal/results"}},
	{packages: []string{"internal/strict"}, inside: []string{"internal/jsontree"}, outside: []string{protobuf, api}},
	{packages: []string{"internal/loglimit"}, outside: []string{"golang.org/x/time"}},
	{packages: []string{"internal/schema/schematest"}, outside: []string{compiler, protobuf}},
	{
		packages: []string{"internal/schema"},
		inside:   []string{"gen", "internal/hub", "internal/jsontree", "internal/protojson"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"internal/wire"},
		inside:   []string{"gen", "internal/hub", "internal/jsontree", "internal/protojson", "internal/schema"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"internal/plugin"},
		inside:   []string{"gen", "=internal/schema"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"internal/adapter"},
		inside:   []string{"=errmap", "internal/cause", "internal/inputerror"},
		outside:  []string{rpc},
	},
	{
		packages: []string{"errmap/errmapconnect"},
		inside:   []string{"gen", "=errmap", "internal/adapter", "internal/cause", "internal/goexit"},
		outside:  []string{connect, protobuf, rpc},
	},
	{
		packages: []string{"errmap/errmapconnectv1"},
		inside:   []string{"gen", "=errmap", "internal/adapter", "internal/cause", "internal/goexit"},
		outside:  []string{"=" + connectV1, protobuf, rpc},
	},
	{
		packages: []string{"errmap/errmapgrpc"},
		inside:   []string{"gen", "=errmap", "internal/adapter", "internal/cause", "internal/goexit"},
		outside:  []string{grpcGo, protobuf, rpc},
	},
	{
		packages: []string{"errmap/errmaphttp"},
		inside:   []string{"gen", "=errmap", "internal/adapter", "internal/cause", "internal/goexit", "internal/negotiate"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"errmap/errmapgateway"},
		inside:   []string{"gen", "=errmap", "errmap/errmapgrpc", "errmap/errmaphttp"},
		outside:  []string{gateway, grpcGo, rpc},
	},
	{
		packages: []string{"errmap/errmapa2a"},
		inside:   []string{"gen", "=errmap", "internal/adapter"},
		outside:  []string{a2a, jsonText, protobuf, rpc},
	},
	{
		packages: []string{"errmap/errmapmcp"},
		inside:   []string{"gen", "=errmap", "internal/adapter", "internal/cause", "internal/goexit", "internal/jsonrpc", "internal/jsontree"},
		outside:  []string{mcp, protobuf, rpc, "golang.org/x/sync", "golang.org/x/time"},
	},
	{
		packages: []string{"errmap/errmaptest"},
		inside:   []string{"gen", "=errmap", "internal/translate"},
		outside:  []string{cmp, jsonText, protobuf, rpc},
	},
	{
		packages: []string{"errmap"},
		inside:   []string{"gen", "internal/cause", "internal/hub", "internal/jsontree", "internal/procedure", "internal/schema", "internal/wire"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"internal/translate"},
		inside:   []string{"gen", "=errmap"},
		outside:  []string{jsonText, protobuf, rpc},
	},
	{
		packages: []string{"server/httpjson"},
		inside:   []string{"gen", "=errmap", "errmap/errmapconnect", "errmap/errmaphttp", "internal/deadline", "internal/goexit", "internal/header", "internal/inflight", "internal/inputerror", "internal/negotiate", "internal/origin", "internal/register", "internal/strict"},
		outside:  []string{connect, gateway, api, protobuf, rpc},
	},
	{
		packages: []string{"server/httpserver"},
		inside:   []string{"=errmap", "errmap/errmapconnect", "internal/deadline", "internal/inflight", "internal/loglimit", "internal/origin", "internal/protofield"},
		outside:  []string{connect, protobuf, rpc, "connectrpc.com/cors", "github.com/rs/cors"},
	},
	{
		packages: []string{"server/gateway"},
		inside:   []string{"gen", "=errmap", "errmap/errmapconnect", "errmap/errmaphttp", "internal/adapter", "internal/protofield", "=server"},
		outside:  []string{connect, reflect, protobuf, rpc, "golang.org/x/net", "golang.org/x/sync"},
	},
	{
		packages: []string{"server"},
		inside:   []string{"gen", "=errmap", "errmap/errmapconnect", "internal/deadline", "internal/goexit", "internal/header", "internal/inflight", "internal/inputerror", "internal/jsonrpc", "internal/loglimit", "internal/negotiate", "internal/origin", "internal/procedure", "internal/protojson", "internal/register", "internal/strict"},
		outside:  []string{connect, protobuf, rpc, api},
	},
	{
		packages: []string{"client"},
		inside:   []string{"gen", "=errmap", "errmap/errmapconnect", "errmap/errmaphttp", "internal/adapter", "internal/cause", "internal/goexit", "internal/jsonrpc"},
		outside:  []string{connect, protobuf, rpc},
	},
	{
		packages: []string{"internal/listing"},
		inside:   []string{"=errmap", "internal/plugin", "internal/translate"},
		outside:  []string{protobuf, rpc},
	},
	{
		packages: []string{"internal/explain"},
		inside:   []string{"=errmap", "errmap/errmapmcp", "internal/jsonrpc", "internal/listing", "internal/translate"},
		outside:  []string{mcp, jsonText, protobuf, rpc},
	},
	{
		packages: []string{"cmd/protoc-gen-errmap-doc"},
		inside:   []string{"=errmap", "internal/listing", "internal/plugin"},
		outside:  []string{protobuf},
	},
	{
		packages: []string{"cmd/protoc-gen-errmap-go", "cmd/protoc-gen-errmap-es", "cmd/protoc-gen-errmap-python"},
		inside:   []string{"internal/plugin"},
		outside:  []string{protobuf},
	},
	{
		packages: []string{"cmd/errmap"},
		inside:   []string{"gen", "errmap", "server", "client", "internal", "cmd/errmap"},
		outside:  []string{connect, grpcGo, a2a, mcp, compiler, jsonText, protobuf, rpc, api, reflect, "golang.org/x"},
	},
	{
		packages: []string{"internal/agent"},
		inside:   []string{"gen", "errmap", "server", "client", "internal"},
		outside:  []string{connect, reflect, health, grpcGo, a2a, jsonText, protobuf, rpc, api},
	},
	{
		packages: []string{"internal/testproto"},
		inside:   []string{"gen", "internal/testproto"},
		outside:  []string{connect, connectV1, grpcGo, protobuf, rpc, api},
	},
	{
		packages: []string{"internal/testserver"},
		inside:   []string{"gen", "errmap", "server", "internal/testproto"},
		outside:  []string{connect, mcp, protobuf, rpc},
	},
	{
		packages: []string{"internal/adaptertest"},
		inside:   []string{"gen", "=errmap", "errmap/errmaphttp", "internal/testproto"},
		outside:  []string{cmp, grpcGo, protobuf, rpc},
	},
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// Every import of every package stands in the table.
func TestImports(t *testing.T) {
	t.Parallel()
	count := 0
	for _, p := range list(t, "./...") {
		path, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours || len(p.Imports) == 0 {
			continue
		}
		count++
		i := slices.IndexFunc(table, func(r row) bool { return matches(r.packages, path) })
		if i < 0 {
			t.Errorf("%s stands in no row of the table: add it to one", path)
			continue
		}
		for _, imported := range p.Imports {
			if inside, ours := strings.CutPrefix(imported, module+"/"); ours {
				if !matches(table[i].inside, inside) {
					t.Errorf("%s imports %s, which the table does not allow", path, inside)
				}
			} else if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !matches(table[i].outside, imported) {
				t.Errorf("%s imports %s, which the table does not allow", path, imported)
			}
		}
	}
	if count < 5 {
		t.Errorf("go list found %d packages only", count)
	}
}

// Whoever uses the library alone gets protobuf, genproto's rpc and jsontext, and
// nothing else, by whatever way.
func TestDependencies_errmap(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./errmap") {
		if p.Standard || strings.HasPrefix(p.ImportPath, module+"/") {
			continue
		}
		if !matches([]string{protobuf, rpc, jsonText}, p.ImportPath) {
			t.Errorf("errmap depends on %s", p.ImportPath)
		}
	}
}

// Generated code must not come to depend on the library, which imports it.
func TestDependencies_gen(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./gen/errmap/...") {
		if inside, ours := strings.CutPrefix(p.ImportPath, module+"/"); ours && !matches([]string{"gen"}, inside) {
			t.Errorf("gen depends on %s", inside)
		}
	}
}

// matches tells whether path is one of patterns or below it; "=" before a
// pattern is for the path alone.
func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if exact, ok := strings.CutPrefix(pattern, "="); ok {
			return path == exact
		}
		return path == pattern || strings.HasPrefix(path, pattern+"/")
	})
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	// go test caches by what the test itself opens: without this it would not
	// see that a file changed, since only go list reads it.
	_ = filepath.WalkDir("../..", func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		return nil
	})
	// A package that does not compile is some other test's business.
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Standard,Imports"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
