package errmap_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/schema/schematest"
)

// lspSchema has the errors that the Language Server Protocol 3.17 defines, as a program
// has them in a .proto file of its own.
const lspSchema = `
syntax = "proto3";
package lsp.v1;
import "errmap/v1/error.proto";
option (errmap.v1.domain) = "microsoft.github.io/language-server-protocol";
message ServerNotInitializedError {
  option (errmap.v1.error) = { code: FAILED_PRECONDITION title: "Server not initialized" jsonrpc_code: -32002 };
}
message RequestFailedError {
  option (errmap.v1.error) = { code: INTERNAL title: "Request failed" jsonrpc_code: -32803 };
}
message ServerCancelledError {
  option (errmap.v1.error) = { code: UNAVAILABLE title: "Server cancelled" jsonrpc_code: -32802 retryable: true };
  bool retrigger_request = 1;
}
message ContentModifiedError {
  option (errmap.v1.error) = { code: ABORTED title: "Content modified" jsonrpc_code: -32801 };
}
message RequestCancelledError {
  option (errmap.v1.error) = { code: CANCELLED title: "Request cancelled" jsonrpc_code: -32800 };
}
`

// lspProfile is what that protocol says of JSON-RPC: each of its numbers has an error,
// diagnostics that a server cancels say whether to ask again, and there are no batches.
func lspProfile(catalog *errmap.Catalog) (errmap.Profile, error) {
	spec := errmap.ProfileSpec{
		Name:       "lsp",
		Domain:     "microsoft.github.io/language-server-protocol",
		ObjectData: true,
		// -32899 to -32800 are the protocol's, -32768 to -32000 are JSON-RPC's.
		Reserved: [2]int64{-32899, -32000},
		// These say no more than their codes do, which others say too; -32001,
		// UnknownErrorCode, is of those whose cause nobody knows.
		Repeats:        []int64{-32700, -32600, -32001},
		RefusesBatches: true,
		BareMethods:    true, // textDocument/hover has no service before it
	}
	for _, reason := range []string{"SERVER_NOT_INITIALIZED", "REQUEST_FAILED", "SERVER_CANCELLED", "CONTENT_MODIFIED", "REQUEST_CANCELLED"} {
		e := errmap.ProfileError{Definition: catalog.Find(spec.Domain, reason)}
		if reason == "SERVER_CANCELLED" {
			e.Data = []errmap.ProfileMember{{Name: "retriggerRequest", Empty: "false"}}
		}
		spec.Errors = append(spec.Errors, e)
	}
	return errmap.NewProfile(spec)
}

func ExampleNewProfile() {
	catalog, err := errmap.NewCatalog(schematest.Compile(panicking{}, lspSchema)) // a program has File_lsp_v1_errors_proto
	if err != nil {
		panic(err)
	}
	lsp, err := lspProfile(catalog)
	if err != nil {
		panic(err)
	}
	known := errmap.WithCatalog(catalog)
	for _, object := range []string{
		`{"code":-32802,"message":"Busy","data":{"retriggerRequest":true}}`,
		`{"code":-32800,"message":"Cancelled by the user"}`,
		`{"code":-32601,"message":"Method not found"}`,
	} {
		e, err := errmap.DecodeJSONRPC([]byte(object), lsp, known)
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Code(), e.Reason(), e.Retryable())
		_, body := errmap.EncodeProblem(e, known)
		back, err := errmap.DecodeProblem(body, known)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", errmap.EncodeJSONRPC(back, lsp, known))
	}
	// Output:
	// UNAVAILABLE SERVER_CANCELLED true
	// {"code":-32802,"message":"Busy","data":{"retriggerRequest":true}}
	// CANCELLED REQUEST_CANCELLED false
	// {"code":-32800,"message":"Cancelled by the user"}
	// UNIMPLEMENTED  false
	// {"code":-32601,"message":"Method not found"}
}

// panicking is a test's state in an example, which has none.
type panicking struct{ testing.TB }

func (panicking) Helper() {}

func (panicking) Context() context.Context { return context.Background() }

func (panicking) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func lsp(t *testing.T) (errmap.Profile, errmap.Option) {
	t.Helper()
	catalog := newCatalog(t, schematest.Compile(t, lspSchema))
	p, err := lspProfile(catalog)
	if err != nil {
		t.Fatal(err)
	}
	return p, errmap.WithCatalog(catalog)
}

// Each number of the Language Server Protocol, read and written again.
func TestNewProfile_LSP_number_by_number(t *testing.T) {
	t.Parallel()
	p, known := lsp(t)
	for _, test := range []struct {
		name   string
		number int64
		code   code.Code
		reason string
		data   string // after the message
	}{
		{"ParseError", -32700, code.Code_INVALID_ARGUMENT, "", ""},
		{"InvalidRequest", -32600, code.Code_INVALID_ARGUMENT, "", ""},
		{"MethodNotFound", -32601, code.Code_UNIMPLEMENTED, "", ""},
		{"InvalidParams", -32602, code.Code_INVALID_ARGUMENT, "", ""},
		{"InternalError", -32603, code.Code_INTERNAL, "", ""},
		{"ServerNotInitialized", -32002, code.Code_FAILED_PRECONDITION, "SERVER_NOT_INITIALIZED", ""},
		{"UnknownErrorCode", -32001, code.Code_UNKNOWN, "", ""},
		{"RequestFailed", -32803, code.Code_INTERNAL, "REQUEST_FAILED", ""},
		{"ServerCancelled", -32802, code.Code_UNAVAILABLE, "SERVER_CANCELLED", `,"data":{"retriggerRequest":true}`},
		{"ContentModified", -32801, code.Code_ABORTED, "CONTENT_MODIFIED", ""},
		{"RequestCancelled", -32800, code.Code_CANCELLED, "REQUEST_CANCELLED", ""},
		{"a program's own", 4001, code.Code_UNKNOWN, "", `,"data":{"line":5}`},
	} {
		in := fmt.Sprintf(`{"code":%d,"message":"m"%s}`, test.number, test.data)
		e, err := errmap.DecodeJSONRPC([]byte(in), p, known)
		if err != nil {
			t.Fatal(err)
		}
		if e.Code() != test.code || e.Reason() != test.reason || len(e.Notes()) > 0 {
			t.Errorf("%s: %s", test.name, describe(e))
		}
		if got := string(errmap.EncodeJSONRPC(e, p, known)); got != in || e.JSONRPCCode(p, known) != test.number {
			t.Errorf("%s: got %s, want %s", test.name, got, in)
		}
		for _, w := range allWires { // and after any other wire
			back, err := w.decode(w.encode(e, known), known)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(errmap.EncodeJSONRPC(back, p, known)); got != in {
				t.Errorf("%s through %s: got %s, want %s", test.name, w.name, got, in)
			}
		}
	}
	if !p.RefusesBatches() || !p.BareMethods() || p.RefusesNullIDs() || p.String() != "lsp" || p.HTTPStatus(-32002) != 200 {
		t.Errorf("%s", p)
	}
}

// Under a program's own profile errors of others keep clear of its numbers, and its
// errors that say more say it under details.
func TestNewProfile_LSP_errors_of_others(t *testing.T) {
	t.Parallel()
	p, known := lsp(t)
	for _, test := range []struct{ from, in, want string }{
		{a2a, `{"code":-32001,"message":"m","data":{"taskId":"t"}}`, `{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t"}}]}`},
		{generic, `{"code":-32050,"message":"m"}`, `{"code":-32603,"message":"m","data":[` + marker(2) + `,{"@type":"type.googleapis.com/errmap.v1.Carried","received":[{"wire":"WIRE_JSONRPC","number":"-32050"}],"check":"rhQn8Q=="}]}`},
		{"http", `{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVER_CANCELLED","domain":"microsoft.github.io/language-server-protocol"}]}}`, `{"code":-32802,"message":"m","data":{"retriggerRequest":false}}`},
		{"http", `{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVER_CANCELLED","domain":"microsoft.github.io/language-server-protocol"},` + jsonRI + `]}}`, `{"code":-32802,"message":"m","data":{"retriggerRequest":false,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVER_CANCELLED","domain":"microsoft.github.io/language-server-protocol"},` + jsonRI + `]}}`},
		{"http", `{"error":{"code":499,"message":"m","status":"CANCELLED"}}`, `{"code":-31499,"message":"m"}`},
	} {
		e := decodeText(t, test.from, test.in, 0, known)
		got := string(errmap.EncodeJSONRPC(e, p, known))
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.in, got, test.want)
		}
		back, err := errmap.DecodeJSONRPC([]byte(got), p, known)
		if err != nil || difference(e, back, exactly) != "" {
			t.Errorf("%s: %s, %v", got, difference(e, back, exactly), err)
		}
	}
}

// What is wrong with a profile is told all at once.
func TestNewProfile_mistakes(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, schematest.Compile(t, lspSchema))
	const domain = "microsoft.github.io/language-server-protocol"
	cancelled := catalog.Find(domain, "REQUEST_CANCELLED")
	_, err := errmap.NewProfile(errmap.ProfileSpec{
		Domain:   domain,
		Reserved: [2]int64{-1, -2},
		Errors: []errmap.ProfileError{
			{Definition: cancelled}, {Definition: catalog.Find(domain, "REQUEST_FAILED"), Number: -32800},
			{Definition: catalog.Find("a2a-protocol.org", "TASK_NOT_FOUND")},
			{Definition: cancelled, Number: -32804, Data: []errmap.ProfileMember{{Name: "a", Empty: "x"}}},
		},
	})
	if err == nil {
		t.Fatal("no mistake was found")
	}
	for _, part := range []string{
		"it has no name", "the reserved numbers end at -2", "number -32800 is that of both", "TaskNotFoundError is of domain a2a-protocol.org",
		`member "a" with the empty value "x"`, "are both reason REQUEST_CANCELLED",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in\n%v", part, err)
		}
	}
	if p, err := errmap.NewProfile(errmap.ProfileSpec{Name: "plain"}); err != nil || p.String() != "plain" {
		t.Errorf("%v, %v", p, err)
	}
}
