package jsonrpc_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/jsonrpc"
)

// describe renders what was read in one line an element, so that a table can
// hold it beside the bytes that it came from.
func describe(requests jsonrpc.Requests, err error) string {
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("%d id=%s %s", refused.Code, refused.ID, refused.Message)
	}
	if err != nil {
		return "unexpected: " + err.Error()
	}
	var lines []string
	for i := range requests.Items {
		request := &requests.Items[i]
		kind := "call"
		switch {
		case request.Invalid != "":
			kind = "invalid(" + request.Invalid + ")"
		case request.IsNotification():
			kind = "notification"
		}
		lines = append(lines, fmt.Sprintf("%s id=%s method=%s params=%s", kind, request.ID, request.Method, request.Params))
	}
	text := strings.Join(lines, "; ")
	if requests.Batch {
		return "[" + text + "]"
	}
	return text
}

func TestParser_ParseRequests(t *testing.T) {
	t.Parallel()
	mcp := jsonrpc.Rules{Batches: jsonrpc.BatchesRefused, NullIDs: jsonrpc.NullIDsRefused}
	tests := []struct {
		settles string // what the row settles, and where the standard says so
		body    string
		rules   jsonrpc.Rules
		want    string
	}{
		{
			settles: "section 4: the four members of a request",
			body:    `{"jsonrpc":"2.0","method":"m","params":{"a":[1,2]},"id":1}`,
			want:    `call id=1 method=m params={"a":[1,2]}`,
		},
		{
			settles: "RFC 8259 section 2: whitespace around any token; the parts keep theirs",
			body:    " {\t\"jsonrpc\" :\r\n\"2.0\" , \"method\": \"m\", \"params\": {\"a\" : 1 }, \"id\": 1 } \n",
			want:    `call id=1 method=m params={"a" : 1 }`,
		},
		{
			settles: "section 4: an id is a string, a number or null; it stays the token that it was",
			body: `[{"jsonrpc":"2.0","id":9007199254740993,"method":"m"},{"jsonrpc":"2.0","id":12345678901234567890123,"method":"m"},` +
				`{"jsonrpc":"2.0","id":1.0,"method":"m"},{"jsonrpc":"2.0","id":1e3,"method":"m"},{"jsonrpc":"2.0","id":"","method":"m"},` +
				`{"jsonrpc":"2.0","id":0,"method":"m"},{"jsonrpc":"2.0","id":null,"method":"m"},{"jsonrpc":"2.0","id":"\u0061\"","method":"m"}]`,
			want: `[call id=9007199254740993 method=m params=; call id=12345678901234567890123 method=m params=; ` +
				`call id=1.0 method=m params=; call id=1e3 method=m params=; call id="" method=m params=; ` +
				`call id=0 method=m params=; call id=null method=m params=; call id="\u0061\"" method=m params=]`,
		},
		{
			settles: "section 4: ids of any other type are none",
			body:    `[{"jsonrpc":"2.0","id":true,"method":"m"},{"jsonrpc":"2.0","id":[1],"method":"m"},{"jsonrpc":"2.0","id":{"a":1},"method":"m"}]`,
			want: `[invalid(the id is no string, number or null) id= method=m params=; ` +
				`invalid(the id is no string, number or null) id= method=m params=; invalid(the id is no string, number or null) id= method=m params=]`,
		},
		{
			settles: "section 4.1: a request without an id is a notification",
			body:    `{"jsonrpc":"2.0","method":"m"}`,
			want:    `notification id= method=m params=`,
		},
		{
			settles: "section 4: member names match by exact case, others are nobody's business",
			body:    `{"jsonrpc":"2.0","ID":1,"method":"m","Params":{},"x":{"id":2}}`,
			want:    `notification id= method=m params=`,
		},
		{
			settles: "RFC 8259 section 8.3: names are compared unescaped",
			body:    `{"jsonrpc":"2.0","\u0069d":1,"method":"\u006d"}`,
			want:    `call id=1 method=m params=`,
		},
		{
			settles: "section 4.2: params that are null are left out; others of the wrong type are the method's to refuse",
			body:    `[{"jsonrpc":"2.0","id":1,"method":"m","params":null},{"jsonrpc":"2.0","id":2,"method":"m","params":"x"},{"jsonrpc":"2.0","id":3,"method":"m","params":[1]}]`,
			want:    `[call id=1 method=m params=; call id=2 method=m params="x"; call id=3 method=m params=[1]]`,
		},
		{
			settles: "section 4: the version is exactly the string 2.0; the id is known all the same",
			body:    `[{"id":1,"method":"m"},{"jsonrpc":2.0,"id":2,"method":"m"},{"jsonrpc":"1.0","id":3,"method":"m"},{"jsonrpc":"2\u002e0","id":4,"method":"m"}]`,
			want: `[invalid(the member jsonrpc is not "2.0") id=1 method=m params=; invalid(the member jsonrpc is not "2.0") id=2 method=m params=; ` +
				`invalid(the member jsonrpc is not "2.0") id=3 method=m params=; call id=4 method=m params=]`,
		},
		{
			settles: "section 7, the example of an invalid request: a method that is no string is no request, so no notification either",
			body:    `{"jsonrpc":"2.0","method":1,"params":"bar"}`,
			want:    `invalid(the method is not a string) id= method= params="bar"`,
		},
		{
			settles: "section 4: a request has a method; a stray response has none",
			body:    `{"jsonrpc":"2.0","id":1,"result":{}}`,
			want:    `invalid(there is no method) id=1 method= params=`,
		},
		{
			settles: "RFC 8259 section 4: names should be unique; here they must be, for the members of the envelope",
			body: `[{"jsonrpc":"2.0","id":1,"method":"a","method":"b"},{"jsonrpc":"2.0","id":2,"id":3,"method":"a"},` +
				`{"jsonrpc":"2.0","id":4,"method":"a","params":{},"par\u0061ms":{}},{"jsonrpc":"2.0","jsonrpc":"2.0","id":5,"method":"a"},{"jsonrpc":"2.0","id":6,"method":"a","x":1,"x":2}]`,
			want: `[invalid(the member method stands twice) id=1 method=a params=; invalid(the member id stands twice) id= method=a params=; ` +
				`invalid(the member params stands twice) id=4 method=a params={}; invalid(the member jsonrpc stands twice) id=5 method=a params=; call id=6 method=a params=]`,
		},
		{
			settles: "section 6: an empty array is one invalid request",
			body:    `[]`,
			want:    `-32600 id=null Invalid Request: the batch is empty`,
		},
		{
			settles: "section 6: each element that is no object is answered",
			body:    `[1,"x",null,[{"jsonrpc":"2.0","id":1,"method":"m"}]]`,
			want: `[invalid(the request is not an object) id= method= params=; invalid(the request is not an object) id= method= params=; ` +
				`invalid(the request is not an object) id= method= params=; invalid(the request is not an object) id= method= params=]`,
		},
		{
			settles: "section 6: a batch beyond the limit is one invalid request; its first id helps the client to notice",
			body:    `[7,{"jsonrpc":"2.0","id":"a","method":"m"},{"jsonrpc":"2.0","id":"b","method":"m"}]`,
			rules:   jsonrpc.Rules{MaxItems: 2},
			want:    `-32600 id="a" Invalid Request: the batch has 3 elements, more than 2`,
		},
		{
			settles: "section 6: a batch of the limit is one",
			body:    `[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","method":"m"}]`,
			rules:   jsonrpc.Rules{MaxItems: 2},
			want:    `[notification id= method=m params=; notification id= method=m params=]`,
		},
		{
			settles: "section 6: elements beyond the limit still must be JSON",
			body:    `[1,1,x]`,
			rules:   jsonrpc.Rules{MaxItems: 1},
			want:    `-32700 id=null Parse error: invalid character 'x' at offset 5, expected a value`,
		},
		{
			settles: "section 5: the client pairs by id, so an id that stands twice answers nobody; null pairs with nothing",
			body: `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":"1","method":"b"},{"jsonrpc":"2.0","id":1.0,"method":"c"},` +
				`{"jsonrpc":"2.0","id":null,"method":"d"},{"jsonrpc":"2.0","id":null,"method":"e"}]`,
			want: `[invalid(the id stands more than once in the batch) id=1 method=a params=; call id="1" method=b params=; ` +
				`invalid(the id stands more than once in the batch) id=1.0 method=c params=; call id=null method=d params=; call id=null method=e params=]`,
		},
		{
			settles: "section 5.1: what is not JSON is a parse error, and its id is null",
			body:    `{"jsonrpc":"2.0",`,
			want:    `-32700 id=null Parse error: unexpected end at offset 17, expected a name in quotes`,
		},
		{
			settles: "section 5.1: JSON that is no request is an invalid request",
			body:    `5`,
			want:    `invalid(the request is not an object) id= method= params=`,
		},
		{
			settles: "section 5.1: an empty body is not JSON",
			body:    "",
			want:    `-32700 id=null Parse error: unexpected end at offset 0, expected a value`,
		},
		{
			settles: "RFC 8259 section 2: a text is one value",
			body:    `{"jsonrpc":"2.0","id":1,"method":"m"} x`,
			want:    `-32700 id=null Parse error: invalid character 'x' at offset 38, expected the end`,
		},
		{
			settles: "RFC 8259 section 2: a text is one value, also where another follows",
			body:    `{"jsonrpc":"2.0","id":1,"method":"m"}{"jsonrpc":"2.0","id":2,"method":"m"}`,
			want:    `-32700 id=null Parse error: invalid character '{' at offset 37, expected the end`,
		},
		{
			settles: "RFC 8259 section 8.1: no byte order mark",
			body:    "\xEF\xBB\xBF{}",
			want:    `-32700 id=null Parse error: the body begins with a byte order mark`,
		},
		{
			settles: "RFC 8259 section 8.1: the text is UTF-8",
			body:    "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"m\"}",
			want:    `-32700 id=null Parse error: the body is not UTF-8`,
		},
		{
			settles: "RFC 8259 section 8.1: bytes that are not UTF-8 come before whatever else is wrong",
			body:    "{\"\uFFFD\":\"\xed\xa0\x80\",",
			want:    `-32700 id=null Parse error: the body is not UTF-8`,
		},
		{
			settles: "RFC 8259 section 8.1: the replacement character is one like others",
			body:    "{\"jsonrpc\":\"2.0\",\"id\":\"\uFFFD\",\"method\":\"m\"}",
			want:    "call id=\"\uFFFD\" method=m params=",
		},
		{
			settles: "RFC 8259 section 8.2: an escaped lone surrogate is grammatical and stays as it is in id and params",
			body:    `{"jsonrpc":"2.0","id":"\ud800","method":"\ud800","params":{"a":"\udfff"}}`,
			want:    `call id="\ud800" method=` + "\uFFFD" + ` params={"a":"\udfff"}`,
		},
		{
			settles: "RFC 8259 section 9: a parser may limit the depth",
			body:    `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[[]]}}`,
			rules:   jsonrpc.Rules{MaxDepth: 3},
			want:    `-32700 id=null Parse error: the body nests more than 3 arrays and objects`,
		},
		{
			settles: "RFC 8259 section 9: brackets in strings are no depth",
			body:    `{"jsonrpc":"2.0","id":"[[[[\"[[","method":"m","params":{"a":[1]}}`,
			rules:   jsonrpc.Rules{MaxDepth: 3},
			want:    `call id="[[[[\"[[" method=m params={"a":[1]}`,
		},
		{
			settles: "MCP: no batches",
			body:    `[{"jsonrpc":"2.0","id":1,"method":"m"}]`,
			rules:   mcp,
			want:    `-32600 id=null Invalid Request: batches are not accepted`,
		},
		{
			settles: "MCP: no null ids",
			body:    `{"jsonrpc":"2.0","id":null,"method":"m"}`,
			rules:   mcp,
			want:    `invalid(the id is null) id= method=m params=`,
		},
	}
	for _, test := range tests {
		t.Run(test.settles, func(t *testing.T) {
			t.Parallel()
			var parser jsonrpc.Parser
			got := describe(parser.ParseRequests([]byte(test.body), test.rules))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.body, diff)
			}
		})
	}
}

func TestParser_ParseRequests_reuse(t *testing.T) {
	t.Parallel()
	var parser jsonrpc.Parser
	bodies := []string{
		`[{"jsonrpc":"2.0","id":1,"method":"a\u0062"},{"jsonrpc":"2.0","id":2,"method":"c\u0064"}]`,
		`{"jsonrpc":`,
		`{"jsonrpc":"2.0","id":3,"method":"e"}`,
	}
	want := []string{
		`[call id=1 method=ab params=; call id=2 method=cd params=]`,
		`-32700 id=null Parse error: unexpected end at offset 11, expected a value`,
		`call id=3 method=e params=`,
	}
	for round := range 3 {
		for i, body := range bodies {
			got := describe(parser.ParseRequests([]byte(body), jsonrpc.Rules{}))
			if got != want[i] {
				t.Errorf("round %d, body %d: got %s, want %s", round, i, got, want[i])
			}
		}
	}
}

func TestParser_ParseRequests_slicesOfTheBody(t *testing.T) {
	t.Parallel()
	body := []byte(`{"jsonrpc":"2.0","id":"x","method":"Get","params":{"a":1}}`)
	var parser jsonrpc.Parser
	requests, err := parser.ParseRequests(body, jsonrpc.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	request := requests.Items[0]
	for name, part := range map[string][]byte{"id": request.ID, "method": request.Method, "params": request.Params} {
		at := bytes.Index(body, part)
		if at < 0 || &body[at] != &part[0] {
			t.Errorf("%s is a copy, want a slice of the body", name)
		}
		if cap(part) != len(part) {
			t.Errorf("appending to %s would write into the body", name)
		}
	}
}

func TestParser_ParseRequests_hostile(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 5_000_000)
	million := "[" + strings.Repeat("1,", 999_999) + "1]"
	tests := map[string]struct{ body, want string }{
		"five million brackets":  {deep, `-32700 id=null Parse error: the body nests more than 100 arrays and objects`},
		"a million elements":     {million, `-32600 id=null Invalid Request: the batch has 1000000 elements, more than 1000`},
		"a string of eight MB":   {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 8<<20), `-32700 id=null Parse error: unexpected end at offset 8388642, expected the rest of a string`},
		"a quote and nothing":    {`"`, `-32700 id=null Parse error: unexpected end at offset 1, expected the rest of a string`},
		"NUL":                    {"\x00", `-32700 id=null Parse error: invalid character '\x00' at offset 0, expected a value`},
		"a name that is a value": {`{1:2}`, `-32700 id=null Parse error: invalid character '1' at offset 1, expected a name in quotes or '}'`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var parser jsonrpc.Parser
			if got := describe(parser.ParseRequests([]byte(test.body), jsonrpc.Rules{})); got != test.want {
				t.Errorf("got %.200s, want %s", got, test.want)
			}
		})
	}
}

func TestParser_ParseRequests_allocations(t *testing.T) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"id":"t-1"}}`)
	var parser jsonrpc.Parser
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := parser.ParseRequests(body, jsonrpc.Rules{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 0 {
		t.Errorf("got %v allocations for a request, want none", allocations)
	}
}
