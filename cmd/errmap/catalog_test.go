package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/listing"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

const orderErrors = `syntax = "proto3";
package orders.v1;
import "errmap/v1/error.proto";
import "google/protobuf/timestamp.proto";
import "google/rpc/error_details.proto";
option (errmap.v1.domain) = "orders.example.com";

// There is no such order,
// or it is somebody else's.
message OrderNotFoundError {
  option (errmap.v1.error) = {
    code: NOT_FOUND
    title: "Order not found"
    message: "Order {order_id} not found"
    http_status: 410
    retryable: false
  };
  // The order that was asked for.
  string order_id = 1;
  google.protobuf.Timestamp at = 2;
  google.rpc.RetryInfo retry = 3;
  repeated int32 lines = 4;
  map<string, bool> flags = 5;
}

message OutOfPaperError {
  option (errmap.v1.error) = {
    code: UNAVAILABLE
    jsonrpc_code: 4100
    retryable: true
    info { metadata { key: "device" value: "printer" } }
  };
}

message GetOrderRequest {}
message Order {}
service Orders {
  rpc GetOrder(GetOrderRequest) returns (Order) {
    option (errmap.v1.errors) = "orders.v1.OrderNotFoundError";
  }
  rpc PrintOrder(GetOrderRequest) returns (Order) {
    option (errmap.v1.errors) = "orders.v1.OrderNotFoundError";
    option (errmap.v1.errors) = "orders.v1.OutOfPaperError";
  }
}
`

const orderListing = `orders.example.com

  ORDER_NOT_FOUND: Order not found
    There is no such order, or it is somebody else's.
    Code      NOT_FOUND, HTTP 410, JSON-RPC -31404
    Defined   as orders.v1.OrderNotFoundError
    Message   Order {order_id} not found
    Type      https://orders.example.com/errors/order-not-found
    Fields    string order_id, metadata orderId: The order that was asked for.
              google.protobuf.Timestamp at
              google.rpc.RetryInfo retry, a detail of its own
              repeated int32 lines
              map<string, bool> flags
    Retry     no
    From      orders.v1.Orders/GetOrder
              orders.v1.Orders/PrintOrder

  OUT_OF_PAPER: OUT_OF_PAPER
    Code      UNAVAILABLE, HTTP 503, JSON-RPC 4100
    Defined   as orders.v1.OutOfPaperError
    Type      https://orders.example.com/errors/out-of-paper
    Always    device: printer
    Retry     yes, with growing pauses
    From      orders.v1.Orders/PrintOrder
`

// orderFile writes the schema of the orders into a directory of its own.
func orderFile(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "orders.proto")
	if err := os.WriteFile(file, []byte(orderErrors), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func TestCatalog_proto_files(t *testing.T) {
	t.Parallel()
	dir, file := orderFile(t)
	for _, name := range []string{file, "orders.proto"} {
		stdout, stderr, code := runErrmap(t, "", "catalog", "-I", dir, name)
		if diff := cmp.Diff(orderListing, stdout); diff != "" || stderr != "" || code != exitOK {
			t.Errorf("exit code %d, standard error %q, (-want +got):\n%s", code, stderr, diff)
		}
	}
}

func TestCatalog_descriptors(t *testing.T) {
	t.Parallel()
	dir, _ := orderFile(t)
	set, err := compile(t.Context(), []string{dir}, []string{"orders.proto"})
	if err != nil {
		t.Fatal(err)
	}
	for name, marshal := range map[string]func(proto.Message) ([]byte, error){"set.binpb": proto.Marshal, "set.json": protojson.Marshal} {
		text, err := marshal(set)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := runErrmap(t, "", "catalog", "--descriptors", path)
		if diff := cmp.Diff(orderListing, stdout); diff != "" || stderr != "" || code != exitOK {
			t.Errorf("%s: exit code %d, standard error %q, (-want +got):\n%s", name, code, stderr, diff)
		}
	}
}

func TestCatalog_upstream(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, done := new(lines), make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"serve", "--addr", "127.0.0.1:0"}, strings.NewReader(""), out, io.Discard)
	}()
	address := out.await(t, `http://(localhost:[0-9]+)`)
	stdout, stderr, code := runErrmap(t, "", "catalog", "--upstream", "http://"+address)
	if code != exitOK || stderr != "" {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
	if got := strings.Count(stdout, "    Defined   as errmap.a2a.v1."); got != 9 || strings.Contains(stdout, "modelcontextprotocol.io") {
		t.Errorf("%d errors of A2A, want 9 and no others:\n%s", got, stdout)
	}
	cancel()
	<-done
}

func TestCatalog_built_in(t *testing.T) {
	t.Parallel()
	stdout, _, code := runErrmap(t, "", "catalog")
	a2a, mcp := strings.Count(stdout, "as errmap.a2a.v1."), strings.Count(stdout, "as errmap.mcp.v1.")
	if a2a != 9 || mcp < 4 || code != exitOK {
		t.Errorf("exit code %d, %d errors of A2A and %d of MCP, want 9 and 4 or more", code, a2a, mcp)
	}
	if strings.Count(stdout, "    Defined   ") != a2a+mcp {
		t.Errorf("others are listed too:\n%s", stdout)
	}
	stdout, _, _ = runErrmap(t, "", "catalog", "--domain", "modelcontextprotocol.io")
	if strings.Count(stdout, "    Defined   ") != 5 {
		t.Errorf("want the errors of one domain:\n%s", stdout)
	}
}

func TestCatalog_wires(t *testing.T) {
	t.Parallel()
	dir, file := orderFile(t)
	stdout, _, _ := runErrmap(t, "", "catalog", "-I", dir, "--wires", file)
	for _, want := range []string{
		"    connect, HTTP 404\n",
		"    grpc, HTTP 200\n      grpc-status: 5\n      grpc-message: Order order-id-1 not found\n",
		"    http, HTTP 410\n",
		`"metadata":{"at":"2026-01-02T03:00:00Z","lines":"[7]","orderId":"order-id-1"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}`,
		"    jsonrpc mcp, HTTP 200\n      {\"code\":4100,",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
}

func TestCatalog_json(t *testing.T) {
	t.Parallel()
	dir, file := orderFile(t)
	stdout, _, _ := runErrmap(t, "", "catalog", "-I", dir, "--format", "json", "--wires", file)
	var got struct{ Errors []listing.Entry }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for i := range got.Errors {
		if len(got.Errors[i].Wires) != 8 {
			t.Errorf("%s on %d wires, want 8", got.Errors[i].Reason, len(got.Errors[i].Wires))
		}
		got.Errors[i].Wires = nil
	}
	yes, no := true, false
	want := []listing.Entry{{
		Domain: "orders.example.com", Reason: "ORDER_NOT_FOUND", Name: "orders.v1.OrderNotFoundError", Code: "NOT_FOUND",
		Title: "Order not found", Message: "Order {order_id} not found", Comment: "There is no such order, or it is somebody else's.",
		HTTPStatus: 410, JSONRPCCode: -31404, ProblemType: "https://orders.example.com/errors/order-not-found", Retryable: &no,
		Fields: []listing.Field{
			{Name: "order_id", Type: "string", Key: "orderId", Comment: "The order that was asked for."},
			{Name: "at", Type: "google.protobuf.Timestamp", Key: "at"},
			{Name: "retry", Type: "google.rpc.RetryInfo", Detail: true},
			{Name: "lines", Type: "repeated int32", Key: "lines"},
			{Name: "flags", Type: "map<string, bool>", Key: "flags"},
		},
		ReturnedBy: []string{"orders.v1.Orders/GetOrder", "orders.v1.Orders/PrintOrder"},
	}, {
		Domain: "orders.example.com", Reason: "OUT_OF_PAPER", Name: "orders.v1.OutOfPaperError", Code: "UNAVAILABLE", Title: "OUT_OF_PAPER",
		HTTPStatus: 503, JSONRPCCode: 4100, ProblemType: "https://orders.example.com/errors/out-of-paper", Retryable: &yes,
		Metadata: map[string]string{"device": "printer"}, ReturnedBy: []string{"orders.v1.Orders/PrintOrder"},
	}}
	if diff := cmp.Diff(want, got.Errors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const mistakenErrors = `syntax = "proto3";
package orders.v1;
import "errmap/v1/error.proto";
option (errmap.v1.domain) = "orders.example.com";

message GoneError {
  option (errmap.v1.error) = {
    code: NOT_FOUND
    http_status: 200
    jsonrpc_code: 0
  };
}
message LostError {
  option (errmap.v1.error) = { code: NOT_FOUND info { reason: "GONE" } };
}
`

// What the generators refuse the catalogue does too, with the same words.
func TestCatalog_mistakes(t *testing.T) {
	t.Parallel()
	const want = `mistaken.proto:9:5: http_status 200 is not that of an error, expected 400 to 599, choose one, or leave it out for the one that the code stands for
mistaken.proto:10:5: jsonrpc_code is 0, expected the number of an error, choose another, or leave it out for the one that the code stands for
mistaken.proto:14:55: orders.v1.LostError is orders.example.com/GONE, and so is orders.v1.GoneError (mistaken.proto:6:1), expected one error for each domain and reason, set info.reason in one of them
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mistaken.proto"), []byte(mistakenErrors), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := compile(t.Context(), []string{dir}, []string{"mistaken.proto"})
	if err != nil {
		t.Fatal(err)
	}
	// A set without what is linked here, as protoc writes it without imports.
	set.File = set.File[len(set.File)-1:]
	text, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "set.binpb")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"proto files": {"-I", dir, "mistaken.proto"}, "descriptors": {"--descriptors", file}} {
		stdout, stderr, code := runErrmap(t, "", append([]string{"catalog"}, args...)...)
		if diff := cmp.Diff(want, stderr); diff != "" || stdout != "" || code != exitFailure {
			t.Errorf("%s: exit code %d, standard output %q, (-want +got):\n%s", name, code, stdout, diff)
		}
	}
}

func TestCatalog_misuse(t *testing.T) {
	t.Parallel()
	dir, file := orderFile(t)
	broken := filepath.Join(dir, "broken.proto")
	if err := os.WriteFile(broken, []byte("syntax = \"proto3\";\nmessage {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string
		code int
	}{
		{"no file", []string{"-I", dir, "nope.proto"}, "nope.proto", exitFailure},
		{"a syntax error has its place", []string{"-I", dir, broken}, "broken.proto:2:9: ", exitFailure},
		{"no descriptors", []string{"--descriptors", filepath.Join(dir, "nope")}, "nope", exitFailure},
		{"no descriptor set", []string{"--descriptors", file}, "is no descriptor set", exitFailure},
		{"nobody there", []string{"--upstream", "http://127.0.0.1:1"}, "errmap: reflection: unavailable: ", exitFailure},
		{"no URL", []string{"--upstream", "localhost:1"}, `--upstream "localhost:1": want an http:// or https:// URL`, exitUsage},
		{"a domain of nobody", []string{"--domain", "x.example.com"}, `errmap: no errors there: want messages with the option (errmap.v1.error) of the domain "x.example.com"`, exitFailure},
		{"two sources", []string{"--upstream", "http://localhost", file}, "want one of --upstream, --descriptors and proto files", exitUsage},
		{"unknown format", []string{"--format", "yaml"}, `unknown format "yaml": want text or json`, exitUsage},
		{"unknown protocol", []string{"--protocol", "soap"}, "soap", exitUsage},
		{"unknown flag", []string{"--wire"}, "unknown flag --wire: the flags are -I, --descriptors, --domain, --format, --protocol, --upstream, --wires, --help", exitUsage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, "", append([]string{"catalog"}, tt.args...)...)
			if !strings.Contains(stderr, tt.want) || stdout != "" || code != tt.code {
				t.Errorf("exit code %d, want %d, standard output %q, standard error %q, want %q", code, tt.code, stdout, stderr, tt.want)
			}
		})
	}
}
