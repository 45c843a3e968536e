package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// runErrmap runs the program in this process.
func runErrmap(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err strings.Builder
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &err)
	return out.String(), err.String(), code
}

func TestConvert(t *testing.T) {
	t.Parallel()
	const taskNotFound = `{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`
	tests := []struct {
		name, args, stdin  string
		wantOut, wantError string
		wantCode           int
	}{
		{
			name: "A2A to Connect", args: "--from jsonrpc --to connect --profile a2a", stdin: taskNotFound,
			wantOut: `{"code":"not_found","message":"Task not found","details":[{"type":"google.rpc.ErrorInfo","value":"Cg5UQVNLX05PVF9GT1VORBIQYTJhLXByb3RvY29sLm9yZxoNCgZ0YXNrSWQSA3QtMQ","debug":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}}]}` + "\n",
		},
		{
			name: "two profiles", args: "--from jsonrpc --to jsonrpc --from-profile a2a --to-profile generic", stdin: `{"code":-32001,"message":"m"}`,
			wantOut: `{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"},{"@type":"type.googleapis.com/google.rpc.Status","code":5}]}` + "\n",
		},
		{
			name: "one profile of its own", args: "--from jsonrpc --to jsonrpc --profile mcp --to-profile a2a", stdin: `{"code":-32020,"message":"m"}`,
			wantOut: `{"code":-32602,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"HEADER_MISMATCH","domain":"modelcontextprotocol.io"}]}` + "\n",
		},
		{
			name: "header lines to a body", args: "--from grpc --to http", stdin: "Grpc-Status: 5\r\ngrpc-message: gone%21\r\n\r\n",
			wantOut: `{"error":{"code":404,"message":"gone!","status":"NOT_FOUND"}}` + "\n",
		},
		{
			name: "a body to header lines", args: "--from connect --to grpc", stdin: `{"code":"not_found","message":"é"}`,
			wantOut: "grpc-status: 5\ngrpc-message: %C3%A9\n",
		},
		{
			name: "a body of another kind", args: "--from http --to status", stdin: "<html>",
			wantError: "errmap: not an http error: invalid character '<' at offset 0, expected a value\n", wantCode: exitFailure,
		},
		{
			name: "a body of another kind with a status", args: "--from http --to status --http-status 404 --notes", stdin: "<html>",
			wantOut:   `{"code":5,"message":"HTTP status 404 Not Found"}` + "\n",
			wantError: `errmap: note: body is not an http error (invalid character '<' at offset 0, expected a value); it begins "<html>"` + "\n",
		},
		{
			name: "notes are asked for", args: "--from connect --to status", stdin: `{"code":"not_found","Message":"m"}`,
			wantOut: `{"code":5}` + "\n",
		},
		{
			name: "no error", args: "--from status --to http", stdin: `{}`,
			wantError: "errmap: the code is OK, which is no error\n", wantCode: exitFailure,
		},
		{
			name: "unknown form", args: "--from connect --to xml",
			wantError: "errmap: convert: unknown form \"xml\": want one of connect, grpc, status, http, problem, jsonrpc (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "no form", args: "--to http",
			wantError: "errmap: convert: --from is missing: want one of connect, grpc, status, http, problem, jsonrpc (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "no form of the output", args: "--from http",
			wantError: "errmap: convert: --to is missing: want one of connect, grpc, status, http, problem, jsonrpc (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "a whole response in place of its body", args: "--from http --to grpc", stdin: "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"code\":404}}",
			wantError: "errmap: not an http error: invalid character 'H' at offset 0, expected a value: this is a whole HTTP response, want its body alone and --http-status 404 (errmap explain reads it as it is)\n",
			wantCode:  exitFailure,
		},
		{
			name: "a status that is no number", args: "--from http --to grpc --http-status abc",
			wantError: "errmap: convert: --http-status \"abc\": want a number (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "a switch that is neither", args: "--from http --to grpc --notes=maybe",
			wantError: "errmap: convert: --notes \"maybe\": want true or false (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "unknown profile", args: "--from jsonrpc --to jsonrpc --profile lsp",
			wantError: "errmap: convert: unknown profile \"lsp\": want generic, a2a, mcp or mcp-2025-11-25 (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "unknown flag", args: "--form connect",
			wantError: "errmap: convert: unknown flag --form: the flags are --from, --from-profile, --http-status, --lines, --notes, --profile, --to, --to-profile, --help (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "no HTTP status", args: "--from http --to status --http-status 42",
			wantError: "errmap: convert: 42 is no HTTP status: want 100 to 999 (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "an argument", args: "--from http --to status error.json",
			wantError: "errmap: convert: unexpected argument \"error.json\": the error comes from standard input (see errmap convert --help)\n", wantCode: exitUsage,
		},
		{
			name: "unknown profile for lines", args: "--lines --profile lsp",
			wantError: "errmap: convert: unknown profile \"lsp\": want generic, a2a, mcp or mcp-2025-11-25 (see errmap convert --help)\n", wantCode: exitUsage,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.stdin, append([]string{"convert"}, strings.Fields(tt.args)...)...)
			if diff := cmp.Diff(tt.wantOut, stdout); diff != "" {
				t.Errorf("standard output (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantError, stderr); diff != "" {
				t.Errorf("standard error (-want +got):\n%s", diff)
			}
			if code != tt.wantCode {
				t.Errorf("exit code %d, want %d", code, tt.wantCode)
			}
		})
	}
}

func TestConvert_lines(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, line, want string }{
		{
			name: "an object as it is", line: `{"from":"jsonrpc","to":"jsonrpc","input":{"code":7,"message":"m","data":{"n":9007199254740993,"f":1.50}}}`,
			want: `{"output":{"code":7,"message":"m","data":{"n":9007199254740993,"f":1.50}},"http_status":200}`,
		},
		{
			name: "text in a string", line: `{"from":"jsonrpc","to":"jsonrpc","input":"{\"code\":7,\"message\":\"m\",\"data\":1.50}"}`,
			want: `{"output":{"code":7,"message":"m","data":1.50},"http_status":200}`,
		},
		{
			name: "header lines", line: `{"from":"grpc","to":"grpc","input":"grpc-status: 5\r\ngrpc-message: gone"}`,
			want: `{"output":"grpc-status: 5\ngrpc-message: gone","http_status":200}`,
		},
		{
			name: "a status is in no HTTP answer", line: `{"from":"connect","to":"status","input":{"code":"aborted"}}`,
			want: `{"output":{"code":10}}`,
		},
		{
			name: "a page with a status", line: `{"from":"connect","to":"connect","http_status":503,"input":"<p>"}`,
			want: `{"output":{"code":"unavailable","message":"HTTP status 503 Service Unavailable"},"http_status":503,"notes":["body is not a connect error (invalid character '<' at offset 0, expected a value); it begins \"<p>\""]}`,
		},
		{
			name: "profiles", line: `{"from":"jsonrpc","to":"jsonrpc","profile":"mcp","from_profile":"a2a","input":{"code":-32601,"message":"m"}}`,
			want: `{"output":{"code":-32601,"message":"m"},"http_status":404}`,
		},
		{
			name: "flags say what the line does not", args: "--from connect --to status", line: `{"input":{"code":"not_found"}}`,
			want: `{"output":{"code":5}}`,
		},
		{
			name: "a line beats the flags", args: "--from connect --to status --to-profile mcp", line: `{"to":"jsonrpc","profile":"generic","input":{"code":"unimplemented","message":"m"}}`,
			want: `{"output":{"code":-32601,"message":"m"},"http_status":200}`,
		},
		{name: "an empty line", line: ``, want: `{"error":"the line is no JSON: unexpected EOF"}`},
		{name: "no object", line: `[]`, want: `{"error":"the line is no JSON object"}`},
		{name: "two values", line: `{} {}`, want: `{"error":"the line is no JSON: invalid character '{' after top-level value after offset 3"}`},
		{
			name: "an unknown member", line: `{"form":"grpc"}`,
			want: `{"error":"unknown member \"form\": want from, to, profile, from_profile, to_profile, http_status, input"}`,
		},
		{
			name: "a member of another type", line: `{"from":1}`,
			want: `{"error":"member \"from\" is of the wrong type: want a string, or a number for http_status"}`,
		},
		{
			name: "an unknown form", line: `{"from":"soap","to":"grpc","input":"x"}`,
			want: `{"error":"unknown form \"soap\": want one of connect, grpc, status, http, problem, jsonrpc"}`,
		},
		{
			name: "no input", line: `{"from":"http","to":"grpc"}`,
			want: `{"error":"input is missing: want a string or the JSON of an error"}`,
		},
		{
			name: "header lines are a string", line: `{"from":"grpc","to":"http","input":{"grpc-status":5}}`,
			want: `{"error":"input of the form grpc is a string"}`,
		},
		{
			name: "not of the form", line: `{"from":"grpc","to":"http","input":"hello"}`,
			want: `{"error":"not a grpc error: no grpc-status"}`,
		},
		{
			name: "a lone surrogate", line: `{"from":"connect","to":"status","input":"{\"code\":\"not_found\",\"message\":\"a\ud800b\"}"}`,
			want: `{"output":{"code":5,"message":"a` + "\uFFFD" + `b"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.line+"\n", append([]string{"convert", "--lines"}, strings.Fields(tt.args)...)...)
			if stderr != "" || code != exitOK {
				t.Errorf("exit code %d, standard error %q", code, stderr)
			}
			if diff := cmp.Diff(tt.want+"\n", stdout); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConvert_lines_keeps_the_order(t *testing.T) {
	t.Parallel()
	var in, want strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&in, `{"from":"jsonrpc","to":"connect","input":{"code":-31404,"message":"m%d"}}`+"\n", i)
		fmt.Fprintf(&want, `{"output":{"code":"not_found","message":"m%d"},"http_status":404}`+"\n", i)
	}
	stdout, _, _ := runErrmap(t, in.String(), "convert", "--lines")
	if stdout != want.String() {
		t.Error("the answers are not those to the lines, in order")
	}
}

func TestConvert_lines_last_line_without_line_feed(t *testing.T) {
	t.Parallel()
	stdout, _, _ := runErrmap(t, `{"from":"connect","to":"status","input":{"code":"aborted"}}`, "convert", "--lines")
	if want := `{"output":{"code":10}}` + "\n"; stdout != want {
		t.Errorf("got %q, want %q", stdout, want)
	}
}

func TestConvert_lines_line_too_long(t *testing.T) {
	t.Parallel()
	stdout, _, code := runErrmap(t, strings.Repeat("x", maxLine+1)+"\n"+`{"from":"connect","to":"status","input":{"code":"aborted"}}`, "convert", "--lines")
	want := fmt.Sprintf(`{"error":"the line is longer than %d bytes"}`, maxLine) + "\n" + `{"output":{"code":10}}` + "\n"
	if stdout != want || code != exitOK {
		t.Errorf("got %.200q, exit code %d, want %q", stdout, code, want)
	}
}

// Whoever waits for the answer to one line before it sends the next one gets it.
func TestConvert_lines_answers_at_once(t *testing.T) {
	t.Parallel()
	stdin, send := io.Pipe()
	answers, stdout := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(context.Background(), []string{"convert", "--lines"}, stdin, stdout, io.Discard)
		_ = stdout.Close()
	}()
	in := bufio.NewReader(answers)
	for _, name := range []string{"not_found", "aborted"} {
		if _, err := io.WriteString(send, `{"from":"connect","to":"connect","input":{"code":"`+name+`"}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := in.ReadString('\n'); err != nil || !strings.Contains(got, name) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if err := send.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestConvert_broken_streams(t *testing.T) {
	t.Parallel()
	broken := iotest.ErrReader(errors.New("the disk is gone"))
	for _, args := range [][]string{{"convert", "--lines"}, {"convert", "--from", "http", "--to", "grpc"}} {
		var stderr strings.Builder
		code := run(context.Background(), args, broken, io.Discard, &stderr)
		if want := "errmap: reading standard input: the disk is gone\n"; code != exitFailure || stderr.String() != want {
			t.Errorf("%v: exit code %d, standard error %q, want %q", args, code, stderr.String(), want)
		}
		stderr.Reset()
		in := strings.NewReader(`{"from":"connect","to":"http","input":{"code":"aborted"},"code":"aborted"}`)
		code = run(context.Background(), args, in, brokenWriter{}, &stderr)
		if want := "errmap: the pipe is closed\n"; code != exitFailure || stderr.String() != want {
			t.Errorf("%v: exit code %d, standard error %q, want %q", args, code, stderr.String(), want)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }
