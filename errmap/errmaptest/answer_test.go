package errmaptest_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap/errmaptest"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// A comparison that finds everything equal would pass every vector.
func TestVector_Diff(t *testing.T) {
	t.Parallel()
	answer := func(output string) errmaptest.Answer {
		return errmaptest.Answer{Output: []byte(output), HTTPStatus: 404}
	}
	noted := func(output string, notes ...string) errmaptest.Answer {
		a := answer(output)
		a.Notes = notes
		return a
	}
	// Two ErrorInfo whose map entries stand in different order.
	const ab = "CgFSGgYKAWESATEaBgoBYhIBMg"
	const ba = "CgFSGgYKAWISATIaBgoBYRIBMQ"
	const other = "CgFSGgYKAWISATMaBgoBYRIBMQ"
	status := func(info string) string {
		value, err := base64.RawStdEncoding.DecodeString(info)
		if err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(&statuspb.Status{Code: 5, Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: value}}})
		if err != nil {
			t.Fatal(err)
		}
		return "grpc-status: 5\ngrpc-status-details-bin: " + base64.RawStdEncoding.EncodeToString(b)
	}
	tests := []struct {
		name   string
		vector errmaptest.Vector
		got    errmaptest.Answer
		want   string // part of the difference
	}{
		{name: "equal", vector: errmaptest.Vector{To: "http", Output: []byte(`{"a":1,"b":[1.0]}`)}, got: answer(`{"b":[1.0],"a":1}`)},
		{name: "text", vector: errmaptest.Vector{To: "http", Output: []byte(`"{\"a\":1.50}"`)}, got: answer(`{"a":1.50}`)},
		{name: "number token", vector: errmaptest.Vector{To: "http", Output: []byte(`{"a":1.0}`)}, got: answer(`{"a":1}`), want: "1.0"},
		{name: "order of elements", vector: errmaptest.Vector{To: "http", Output: []byte(`[1,2]`)}, got: answer(`[2,1]`), want: "2"},
		{name: "missing member", vector: errmaptest.Vector{To: "http", Output: []byte(`{"a":null}`)}, got: answer(`{}`), want: "nil"},
		{name: "no JSON", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`)}, got: answer(`{`), want: "malformed"},
		{name: "two values", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`)}, got: answer(`{} {}`), want: "more than one"},
		{name: "deep", vector: errmaptest.Vector{To: "http", Output: []byte(strings.Repeat("[", 90) + strings.Repeat("]", 90))}, got: answer(strings.Repeat("[", 89) + strings.Repeat("]", 89)), want: "got [["},
		{name: "HTTP status", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`), OutputHTTPStatus: 400}, got: answer(`{}`), want: "HTTP status 404, want 400"},
		{name: "encoding of value", vector: errmaptest.Vector{To: "connect", Output: []byte(`{"details":[{"type":"google.rpc.ErrorInfo","value":"` + ab + `"}]}`)}, got: answer(`{"details":[{"type":"google.rpc.ErrorInfo","value":"` + ba + `"}]}`)},
		{name: "another value", vector: errmaptest.Vector{To: "connect", Output: []byte(`{"details":[{"type":"google.rpc.ErrorInfo","value":"` + ab + `"}]}`)}, got: answer(`{"details":[{"type":"google.rpc.ErrorInfo","value":"` + other + `"}]}`), want: "metadata"},
		{name: "bytes of an unlinked value", vector: errmaptest.Vector{To: "connect", Output: []byte(`{"details":[{"type":"acme.v9.Mystery","value":"` + ab + `"}]}`)}, got: answer(`{"details":[{"type":"acme.v9.Mystery","value":"` + ba + `"}]}`), want: "value"},
		{name: "encoding in headers", vector: errmaptest.Vector{To: "grpc", Output: []byte(`"` + strings.ReplaceAll(status(ab), "\n", `\n`) + `"`)}, got: answer(status(ba))},
		{name: "another detail in headers", vector: errmaptest.Vector{To: "grpc", Output: []byte(`"` + strings.ReplaceAll(status(ab), "\n", `\n`) + `"`)}, got: answer(status(other)), want: "metadata"},
		{name: "another line", vector: errmaptest.Vector{To: "grpc", Output: []byte(`"grpc-status: 5"`)}, got: answer("grpc-status: 5\nx: 1"), want: "unexpected line"},
		{name: "padded details", vector: errmaptest.Vector{To: "grpc", Output: []byte(`"grpc-status: 5\ngrpc-status-details-bin: CAU"`)}, got: answer("grpc-status: 5\ngrpc-status-details-bin: CAU="), want: "malformed"},
		{name: "another message", vector: errmaptest.Vector{To: "grpc", Output: []byte(`"grpc-status: 5\ngrpc-message: a"`)}, got: answer("grpc-status: 5\ngrpc-message: b"), want: "Message"},
		{name: "failed", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`)}, got: errmaptest.Answer{Err: errors.New("boom")}, want: "boom"},
		{name: "did not fail", vector: errmaptest.Vector{To: "http", Error: true}, got: answer(`{}`), want: "want a failure"},
		{name: "failed as wanted", vector: errmaptest.Vector{To: "http", Error: true}, got: errmaptest.Answer{Err: errors.New("boom")}},
		{name: "any notes", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`)}, got: noted(`{}`, "x")},
		{name: "some note", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`), Notes: &errmaptest.Notes{Some: true}}, got: answer(`{}`), want: "no note"},
		{name: "no note", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`), Notes: new(errmaptest.Notes)}, got: noted(`{}`, "x"), want: "want none"},
		{name: "parts of notes", vector: errmaptest.Vector{To: "http", Output: []byte(`{}`), Notes: &errmaptest.Notes{Some: true, Parts: []string{"b", "y"}}}, got: noted(`{}`, "a b", "c"), want: `no note with "y"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := tt.vector
			if v.OutputHTTPStatus == 0 && tt.got.HTTPStatus != 0 {
				v.OutputHTTPStatus = 404
			}
			diff := v.Diff(tt.got)
			if tt.want == "" && diff != "" || !strings.Contains(diff, tt.want) {
				t.Errorf("difference %q, want one with %q", diff, tt.want)
			}
		})
	}
}
