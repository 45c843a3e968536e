package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/jsonrpc"
)

func FuzzParser_ParseRequests(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`,
		`[{"jsonrpc":"2.0","id":"\ud800","method":"\u006d"},{"jsonrpc":"2.0","method":"m","params":[]},5,[]]`,
		`{"jsonrpc":"2.0","id":1.50e2,"id":null,"method":2}`,
		`{"jsonrpc":"2.0",`, `[]`, `[[[[[[`, "\xEF\xBB\xBF{}", `{} x`, `"`, ``,
	} {
		f.Add([]byte(seed))
	}
	rules := jsonrpc.Rules{MaxDepth: 8, MaxItems: 5}
	f.Fuzz(func(t *testing.T, body []byte) {
		var parser jsonrpc.Parser
		requests, err := parser.ParseRequests(body, rules)
		refused, isRefused := errors.AsType[*jsonrpc.Error](err)
		if err != nil && !isRefused {
			t.Fatalf("%q: an error of another type: %v", body, err)
		}
		valid := json.Valid(body)
		if !valid && (err == nil || refused.Code != jsonrpc.CodeParseError) {
			t.Fatalf("%q is not JSON, got %v", body, err)
		}
		if err != nil {
			if !json.Valid(refused.ID) {
				t.Fatalf("%q: the id %q is not JSON", body, refused.ID)
			}
			return
		}
		var written []byte
		for i := range requests.Items {
			request := &requests.Items[i]
			if request.ID != nil && !json.Valid(request.ID) || request.Params != nil && !json.Valid(request.Params) {
				t.Fatalf("%q: id %q and params %q must be JSON", body, request.ID, request.Params)
			}
			if request.Invalid == "" && !requests.Batch {
				written = jsonrpc.AppendRequest(nil, slices.Clone(request.ID), string(request.Method), request.Params)
			}
		}
		if written == nil {
			return
		}
		want := describe(requests, nil)
		if got := describe(parser.ParseRequests(written, rules)); got != want {
			t.Fatalf("%q written as %q reads %s, want %s", body, written, got, want)
		}
	})
}

func FuzzParser_ParseResponses(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":null}`,
		`[{"id":2,"error":{"code":1,"message":"m","data":[1.0]}},{"id":2,"id":3},5]`,
		`{"id":1,"result":1,"error":null}`, `[]`, `<html>`, ``,
	} {
		f.Add([]byte(seed))
	}
	rules := jsonrpc.Rules{MaxDepth: 8, MaxItems: 5}
	f.Fuzz(func(t *testing.T, body []byte) {
		var parser jsonrpc.Parser
		responses, err := parser.ParseResponses(body, rules)
		if _, ok := errors.AsType[*jsonrpc.Error](err); err != nil && !ok {
			t.Fatalf("%q: an error of another type: %v", body, err)
		}
		if !json.Valid(body) && err == nil {
			t.Fatalf("%q is not JSON and was read", body)
		}
		for _, response := range responses.Items {
			if response.Invalid == "" && response.Result == nil && response.Error == nil {
				t.Fatalf("%q is read as an answer and says nothing", body)
			}
			for _, part := range [][]byte{response.ID, response.Result, response.Error} {
				if part != nil && !json.Valid(part) {
					t.Fatalf("%q: %q is not JSON", body, part)
				}
			}
		}
	})
}

// What stands alone reads as it does as the one element of a batch.
func FuzzParser_alone(f *testing.F) {
	for _, seed := range []string{
		` {"jsonrpc" : "2.0" , "id" : "a\u0062\n" , "method" : "s.v1.S/M" , "params" : [ ] } `,
		`{"params":{"a":[1,-0,0.5,1e9,-1.5E+3,true,null,{},[],"\ud800"]},"x":[[[]]],"method":"é","id":-1.50e2,"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m","method":1,"params":null,"params":[]}`,
		`{"id":null,"jsonrpc":"1.0","result":null,"error":{"code":1},"id":[],"more":1}`,
		`[]`, `{"jsonrpc":"2.0","method":"m","params":[[[[[[1]]]]]]}`, `{"id":01}`, `{"method":"m",}`, `1,2`, `nul`, "\xEF\xBB\xBF{}", "{\"\xff\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		batch := append(append([]byte{'['}, body...), ']')
		for _, rules := range []jsonrpc.Rules{{MaxDepth: 6, MaxItems: 1}, {MaxDepth: jsonrpc.DefaultMaxDepth, NullIDs: jsonrpc.NullIDsRefused}} {
			deeper := rules
			deeper.MaxDepth++
			var parser, other jsonrpc.Parser
			requests, err := parser.ParseRequests(body, rules)
			if err == nil && !requests.Batch {
				got, want := describe(other.ParseRequests(batch, deeper)), "["+describe(requests, nil)+"]"
				if got != want {
					t.Fatalf("%q reads %s in a batch, want %s", body, got, want)
				}
			}
			responses, err := parser.ParseResponses(body, rules)
			if err == nil && !responses.Batch {
				got, want := describeResponses(other.ParseResponses(batch, deeper)), "["+describeResponses(responses, nil)+"]"
				if got != want {
					t.Fatalf("%q reads %s in a batch, want %s", body, got, want)
				}
			}
		}
	})
}

func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\ndata: b\r\rdata: c\r\n\r\n", "event: x\ndata: a\n\n", ":\n\n", "data", "\xEF\xBB\xBFdata:\n\n", "\xEF\xBB", "{}", "\xEF\xBB\xBF{}", "\xEF\xBB\xBF\xEF\xBB\xBFdata:a\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole := readEvents(bytes.NewReader(stream), 64)
		bytewise := readEvents(iotest.OneByteReader(bytes.NewReader(stream)), 64)
		// A limit may be noticed one read earlier or later.
		if slices.Contains(append(slices.Clone(whole), bytewise...), jsonrpc.ErrEventTooLarge.Error()) {
			return
		}
		if diff := cmp.Diff(whole, bytewise); diff != "" {
			t.Fatalf("%q reads otherwise in single bytes:\n%s", stream, diff)
		}
	})
}

func FuzzAppendEvent(f *testing.F) {
	f.Add([]byte("{\"a\":\r\n1}"))
	f.Add([]byte("\r\r\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := readEvents(bytes.NewReader(jsonrpc.AppendEvent(nil, "", data)), len(data)+64)
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		if want := []string{"|" + lines, "EOF"}; !cmp.Equal(got, want) {
			t.Fatalf("%q reads %q, want %q", data, got, want)
		}
	})
}

func FuzzCompact(f *testing.F) {
	f.Add([]byte(`{"a" : [ "b \" c" , 1 ] }`))
	f.Fuzz(func(t *testing.T, value []byte) {
		if !json.Valid(value) {
			jsonrpc.Compact(value)
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, value); err != nil {
			t.Fatal(err)
		}
		if got := jsonrpc.Compact(slices.Clone(value)); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("got %q, want %q", got, want.Bytes())
		}
	})
}
