package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runErrmap(t, `{"code":"not_found","message":"gone"}`, "explain")
	want := `This is an error of the Connect protocol (recognized by a code that is a name).

  What      NOT_FOUND: what was asked for does not exist, or the caller may not see it
  Message   gone
  Whose     nobody's in particular: it has no ErrorInfo, so the code is all there is to act on
  Retry     no: the same call fails again until something else changes

  On the other wires
    grpc, HTTP 200
      grpc-status: 5
      grpc-message: gone
    status
      {"code":5,"message":"gone"}
    http, HTTP 404
      {"error":{"code":404,"message":"gone","status":"NOT_FOUND"}}
    problem, HTTP 404
      {"type":"about:blank","title":"Not Found","status":404,"detail":"gone","code":"NOT_FOUND"}
    jsonrpc, every profile, HTTP 200
      {"code":-31404,"message":"gone"}
`
	if diff := cmp.Diff(want, stdout); diff != "" || stderr != "" || code != exitOK {
		t.Errorf("exit code %d, standard error %q, (-want +got):\n%s", code, stderr, diff)
	}
}

func TestExplain_words(t *testing.T) {
	t.Parallel()
	const rpc = "type.googleapis.com/google.rpc."
	tests := []struct {
		name, stdin, args string
		want              []string
		absent            string
	}{
		{
			name: "an error of A2A", stdin: `{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`,
			want: []string{
				"Under the profiles generic and mcp\n\n  What      UNKNOWN:",
				"  Details   JSON of no type: {\"taskId\":\"t-1\"}\n",
				"  Received  jsonrpc: the number was -32001\n",
				"Under the profile a2a\n\n  What      NOT_FOUND:",
				"  Whose     TASK_NOT_FOUND of a2a-protocol.org: Task not found\n            defined as errmap.a2a.v1.TaskNotFoundError\n",
				"  Fields    task_id = \"t-1\"\n",
				"    jsonrpc, a2a, HTTP 200\n      {\"code\":-32001,",
			},
		},
		{
			name: "one meaning", stdin: `{"code":-32700,"message":"m"}`,
			want: []string{"\nUnder every profile\n", "    jsonrpc, mcp, HTTP 400\n"},
		},
		{
			name: "the details of google.rpc", stdin: `{"code":8,"message":"m","details":[
				{"@type":"` + rpc + `RetryInfo","retryDelay":"1.5s"},
				{"@type":"` + rpc + `BadRequest","fieldViolations":[{"field":"qty","description":"must be above 0"}]},
				{"@type":"` + rpc + `QuotaFailure","violations":[{"subject":"project:p","description":"too many"},{"subject":"project:q","description":"too many"}]},
				{"@type":"` + rpc + `PreconditionFailure","violations":[{"type":"TOS","subject":"me","description":"not accepted"}]},
				{"@type":"` + rpc + `ResourceInfo","resourceType":"sku","resourceName":"A1","owner":"me"},
				{"@type":"` + rpc + `RequestInfo","requestId":"r-1","servingData":"s"},
				{"@type":"` + rpc + `Help","links":[{"description":"stock","url":"https://store.example.com"}]},
				{"@type":"` + rpc + `LocalizedMessage","locale":"de","message":"Ausverkauft"},
				{"@type":"` + rpc + `DebugInfo","detail":"boom","stackEntries":["main.go:7"]},
				{"@type":"` + rpc + `ErrorInfo","reason":"STOCK_EMPTY","domain":"store.example.com","metadata":{"sku":"A1"}},
				{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"},
				{}]}`,
			want: []string{`  Whose     STOCK_EMPTY of store.example.com, a domain that this program does not know: -I, --descriptors or --upstream tell it
  Retry     yes, after 1.5s (RetryInfo)
  Details   RetryInfo: wait 1.5s before the next try
            BadRequest: 1 field of the request
              qty: must be above 0
            QuotaFailure: 2 quotas
              project:p: too many
              project:q: too many
            PreconditionFailure: 1 precondition
              TOS of me: not accepted
            ResourceInfo: sku A1
              owner: me
            RequestInfo: the request is r-1 in the server's log
              serving data: s
            Help: 1 link
              stock: https://store.example.com
            LocalizedMessage in de: Ausverkauft
            DebugInfo: boom
              main.go:7
            ErrorInfo: STOCK_EMPTY of store.example.com
              sku: A1
            google.protobuf.Duration: "1s"
            an empty detail
`},
		},
		{
			name: "what it cannot read", stdin: "grpc-status: 42\ngrpc-message: m\ngrpc-status-details-bin: CCoSAW0aLQojdHlwZS5nb29nbGVhcGlzLmNvbS9hY21lLnY5Lk15c3RlcnkSBgiWARIBeA",
			want: []string{"  What      UNKNOWN, private number 42: ", "  Details   acme.v9.Mystery: 6 bytes that this program cannot read\n"},
		},
		{
			name: "JSON that it cannot read", stdin: `{"error":{"code":404,"status":"SHELF_FULL","details":[{"@type":"x/acme.v9.Mystery","n":1}],"traceId":"t"}}`,
			want: []string{
				`  Details   acme.v9.Mystery, a type that this program does not read as it stands: {"@type":"x/acme.v9.Mystery","n":1}`,
				"  Received  http: in the place of the code stood \"SHELF_FULL\"\n            http: other members were {\"traceId\":\"t\"}\n",
				"  Notes     status \"SHELF_FULL\" names no code: NOT_FOUND\n",
				"  Message   (none)\n",
			},
		},
		{
			name: "a domain without that reason", stdin: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"CgNORVcSEGEyYS1wcm90b2NvbC5vcmc"}]}`,
			want: []string{"  Whose     NEW of a2a-protocol.org, which that domain does not define here\n"},
		},
		{
			name: "a response", stdin: "HTTP/2 429\r\ncontent-type: application/json\r\nretry-after: 7\r\n\r\n{\"error\":{\"code\":429,\"message\":\"slow\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n",
			want: []string{
				"This is an error of HTTP+JSON after AIP-193 (recognized by the member error around it), received with HTTP status 429.\n",
				"  Retry     yes, after 7s (RetryInfo)\n",
			},
		},
		{
			name: "a page with a status", stdin: "<html>", args: "--from connect --http-status 503",
			want: []string{"received with HTTP status 503.\n", "  What      UNAVAILABLE: ", "  Retry     yes, with growing pauses\n", `it begins "<html>"`},
		},
		{
			name: "a page with nothing but a status", stdin: "<html>", args: "--http-status 503",
			want: []string{"(recognized by the flag --http-status alone), received with HTTP status 503.\n", "  What      UNAVAILABLE: ", `it begins "<html>"`},
		},
		{
			name: "a log of gRPC", stdin: "10:02 WARN get: rpc error: code = NotFound desc = no 50% \"book\"\n10:03 INFO done",
			want: []string{"This is an error of gRPC (recognized by the words of gRPC, without details).\n", "  What      NOT_FOUND: ", "  Message   no 50% \"book\"\n"},
		},
		{name: "a log of gRPC, spelled like Go", stdin: "rpc error: code = Canceled desc = context canceled", want: []string{"  What      CANCELLED: "}},
		{name: "a log of gRPC, private number", stdin: "rpc error: code = Code(42) desc = m", want: []string{"  What      UNKNOWN, private number 42: "}},
		{
			name: "a status beside what was recognized", stdin: `{"code":"shelf_full"}`, args: "--http-status 404",
			want: []string{"  What      UNIMPLEMENTED: ", "the HTTP status was 404"},
		},
		{
			name: "text that would steer the terminal", stdin: `{"code":"aborted","message":"a\u001b[31mb\nc\u009b"}`,
			want: []string{`  Message   a\x1b[31mb\nc\u009b` + "\n", "begin again with the read"}, absent: "\x1b",
		},
		{
			name: "fields of a status", stdin: "grpc-status: 5\ngrpc-status-details-bin: CAWaBgJoaQ",
			want: []string{"  Received  grpc: the Status held 5 bytes of fields that are not known here\n"},
		},
		{name: "retry at once", stdin: `{"code":14,"details":[{"@type":"` + rpc + `RetryInfo","retryDelay":"0s"}]}`, want: []string{"yes, at once (RetryInfo)"}},
		{name: "a RetryInfo without a delay", stdin: `{"code":14,"details":[{"@type":"` + rpc + `RetryInfo"}]}`, want: []string{"yes, with growing pauses", "RetryInfo: no delay"}},
		{name: "retry of RESOURCE_EXHAUSTED", stdin: `{"code":8}`, want: []string{"perhaps later"}},
		{name: "retry of DEADLINE_EXCEEDED", stdin: `{"code":4}`, want: []string{"only if it does no harm"}},
		{name: "retry of UNAUTHENTICATED", stdin: `{"code":16}`, want: []string{"with fresh credentials"}},
		{name: "retry of INTERNAL", stdin: `{"code":13}`, want: []string{"nothing says that it would help"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.stdin, append([]string{"explain"}, strings.Fields(tt.args)...)...)
			if stderr != "" || code != exitOK {
				t.Fatalf("exit code %d, standard error %q", code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in:\n%s", want, stdout)
				}
			}
			if tt.absent != "" && strings.Contains(stdout, tt.absent) {
				t.Errorf("%q in:\n%q", tt.absent, stdout)
			}
		})
	}
}

func TestExplain_misuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin, args, want string
		code                    int
	}{
		{
			name: "unknown text", stdin: "boom", code: exitUnknown,
			want: "errmap: this is no error in a form known here: want header lines with grpc-status, a whole HTTP response, what a client or a log prints of an error, or the JSON of connect, grpc, status, http, problem, jsonrpc (of another body tell the status: --http-status 503)\n",
		},
		{
			name: "unknown JSON", stdin: `{"a":1}`, code: exitUnknown,
			want: "errmap: this is no error in a form known here: it has none of code, error, type, title, detail and details (--from says which one it is meant to be)\n",
		},
		{name: "nothing", stdin: " \n", code: exitFailure, want: "errmap: there is nothing: want the text of an error, such as from curl -si URL\n"},
		{name: "broken JSON", stdin: `{broken`, code: exitUnknown, want: "errmap: this is no error in a form known here: this is invalid JSON: invalid character 'b' at start of string (expecting '\"') after offset 1\n"},
		{name: "JSON that ends", stdin: `{"code":"not_found"`, code: exitUnknown, want: "errmap: this is no error in a form known here: this is invalid JSON: unexpected EOF after offset 19\n"},
		{name: "two values", stdin: `{"a":5} {}`, code: exitUnknown, want: "errmap: this is no error in a form known here: 2 values of JSON, none of which is an error\n"},
		{
			name: "a success", stdin: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"ok\":true}", code: exitSuccess,
			want: "errmap: this is a success, and no error: an HTTP response with the status 200 and no error in it\n",
		},
		{
			name: "a success without JSON", stdin: "HTTP/1.1 204 No Content\r\n", code: exitSuccess,
			want: "errmap: this is a success, and no error: an HTTP response with the status 204 and no error in it\n",
		},
		{
			name: "a result", stdin: `{"jsonrpc":"2.0","id":1,"result":null}`, code: exitSuccess,
			want: "errmap: this is a success, and no error: a JSON-RPC response without the member error\n",
		},
		{
			name: "a result in spite of a status", stdin: `{"jsonrpc":"2.0","id":1,"result":{}}`, args: "--http-status 200", code: exitSuccess,
			want: "errmap: this is a success, and no error: a JSON-RPC response without the member error\n",
		},
		{name: "no error", stdin: `{"code":0}`, code: exitSuccess, want: "errmap: the code is OK, which is no error\n"},
		{
			name: "unknown form", args: "--from soap", code: exitUsage,
			want: "errmap: explain: unknown form \"soap\": want one of connect, grpc, status, http, problem, jsonrpc (see errmap explain --help)\n",
		},
		{
			name: "unknown flag", args: "--profile a2a", code: exitUsage,
			want: "errmap: explain: unknown flag --profile: the flags are -I, --descriptors, --format, --from, --http-status, --protocol, --upstream, --help (see errmap explain --help)\n",
		},
		{
			name: "no HTTP status", args: "--http-status 7", code: exitUsage,
			want: "errmap: explain: 7 is no HTTP status: want 100 to 999 (see errmap explain --help)\n",
		},
		{
			name: "an argument", args: "x", code: exitFailure,
			want: "errmap: open x: no such file or directory\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.stdin, append([]string{"explain"}, strings.Fields(tt.args)...)...)
			if diff := cmp.Diff(tt.want, stderr); diff != "" || stdout != "" || code != tt.code {
				t.Errorf("exit code %d, want %d, standard output %q, (-want +got):\n%s", code, tt.code, stdout, diff)
			}
		})
	}
}

func TestExplain_broken_streams(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	if code := run(context.Background(), []string{"explain"}, iotest.ErrReader(errors.New("gone")), io.Discard, &stderr); code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	if code := run(context.Background(), []string{"explain"}, strings.NewReader(`{"code":"aborted"}`), brokenWriter{}, &stderr); code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	if want := "errmap: reading standard input: gone\nerrmap: the pipe is closed\n"; stderr.String() != want {
		t.Errorf("standard error %q, want %q", stderr.String(), want)
	}
}
