package jsonrpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/jsonrpc"
)

func describeResponses(responses jsonrpc.Responses, err error) string {
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("%d %s", refused.Code, refused.Message)
	}
	if err != nil {
		return "unexpected: " + err.Error()
	}
	var lines []string
	for _, response := range responses.Items {
		line := fmt.Sprintf("id=%s", response.ID)
		switch {
		case response.Invalid != "":
			line += " invalid=" + response.Invalid
		case response.Error != nil:
			line += fmt.Sprintf(" error=%s", response.Error)
		default:
			line += fmt.Sprintf(" result=%s", response.Result)
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "; ")
	if responses.Batch {
		return "[" + text + "]"
	}
	return text
}

func TestParser_ParseResponses(t *testing.T) {
	t.Parallel()
	tests := []struct{ settles, body, want string }{
		{"section 5: a result", `{"jsonrpc":"2.0","id":1,"result":{"a": 1.0}}`, `id=1 result={"a": 1.0}`},
		{"section 5: an error, of whatever type", `{"jsonrpc":"2.0","id":"a","error":"boom"}`, `id="a" error="boom"`},
		{
			"section 5.1: the error object stays the bytes that it was",
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":[{"n":9007199254740993}]}}`,
			`id=1 error={"code":-32000,"message":"m","data":[{"n":9007199254740993}]}`,
		},
		{"section 5: an error without a readable id", `{"jsonrpc":"2.0","id":null,"error":{}}`, `id=null error={}`},
		{"MCP: the id of such an error may be absent", `{"jsonrpc":"2.0","error":{}}`, `id= error={}`},
		{"section 5: an id of another type is none", `{"jsonrpc":"2.0","id":[1],"error":{}}`, `id= error={}`},
		{"section 5: a member twice is no answer", `{"jsonrpc":"2.0","id":1,"result":1,"result":2}`, `id=1 invalid=a member of the response stands twice`},
		{"section 5: an id twice is no id", `{"jsonrpc":"2.0","id":1,"id":2,"result":1}`, `id= invalid=a member of the response stands twice`},
		{"version 1.0: both members, and no version", `{"id":1,"result":null,"error":{"code":1}}`, `id=1 error={"code":1}`},
		{"section 6: answers in any order", `[{"jsonrpc":"2.0","id":2,"result":1},{"jsonrpc":"2.0","id":1,"error":{}},5]`, `[id=2 result=1; id=1 error={}; id= invalid=the response is not an object]`},
		{"section 6: no empty batch", `[]`, `-32600 the batch of responses is empty`},
		{"section 5: not JSON", `<html>`, `-32700 Parse error: invalid character '<' at offset 0, expected a value`},
		{"section 5: bytes after the answer", `{"id":1,"result":1}{}`, `-32700 Parse error: invalid character '{' at offset 19, expected the end`},
	}
	for _, test := range tests {
		t.Run(test.settles, func(t *testing.T) {
			t.Parallel()
			var parser jsonrpc.Parser
			got := describeResponses(parser.ParseResponses([]byte(test.body), jsonrpc.Rules{}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.body, diff)
			}
		})
	}
}

func TestParser_ParseResponses_whole(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		`{"jsonrpc":"2.0","id":1,"error":{}}`:                              false,
		`{"id":1,"result":null,"error":{}}`:                                false,
		`{"id":1,"result":1}`:                                              false,
		`{"id":1,"result":0,"error":{}}`:                                   true,
		`{"id":1,"error":{},"x":1}`:                                        true,
		`{"id":1,"error":{},"\u0065rror":{}}`:                              true,
		`{"id":1,"error":{},"id":1}`:                                       true,
		`{"id":1,"result":null,"error":{},"result":null}`:                  true,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":1},"data":null}`: true,
	}
	for body, want := range tests {
		var parser jsonrpc.Parser
		responses, err := parser.ParseResponses([]byte("[5, "+body+" ]"), jsonrpc.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		wanted := ""
		if want {
			wanted = body
		}
		if got := string(responses.Items[1].Whole); got != wanted {
			t.Errorf("%s: got %q, want %q", body, got, wanted)
		}
	}
}

func TestParser_ParseResponses_limit(t *testing.T) {
	t.Parallel()
	var parser jsonrpc.Parser
	body := []byte(`[{"id":1,"result":1},{"id":2,"result":1},{"id":3,"result":1}]`)
	got := describeResponses(parser.ParseResponses(body, jsonrpc.Rules{MaxItems: 2}))
	if want := `-32600 the batch has more than 2 responses`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestField_099_result_and_error_members(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":null}`, `id=1 result=null`},
		{`{"jsonrpc":"2.0","id":1,"result":5,"error":null}`, `id=1 result=5`},
		{`{"jsonrpc":"2.0","id":1}`, `id=1 invalid=the response has neither a result nor an error`},
		{`{"jsonrpc":"2.0","id":1,"error":null}`, `id=1 invalid=the response has neither a result nor an error`},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`, `id=1 error={"code":1,"message":"m"}`},
	}
	for _, test := range tests {
		var parser jsonrpc.Parser
		got := describeResponses(parser.ParseResponses([]byte(test.body), jsonrpc.Rules{}))
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.body, got, test.want)
		}
	}
}

func TestField_116_a_failure_inside_a_result_is_a_result(t *testing.T) {
	t.Parallel()
	var parser jsonrpc.Parser
	body := []byte(`{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32001,"message":"x"}}}`)
	got := describeResponses(parser.ParseResponses(body, jsonrpc.Rules{}))
	if want := `id=1 result={"error":{"code":-32001,"message":"x"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
