package jsonrpc_test

import (
	"testing"

	"github.com/errmap/errmap/internal/jsonrpc"
)

func TestBeginResult(t *testing.T) {
	t.Parallel()
	got := string(jsonrpc.End(append(jsonrpc.BeginResult(nil, jsonrpc.ID(`1e3`)), `{}`...)))
	if want := `{"jsonrpc":"2.0","id":1e3,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppendError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id      jsonrpc.ID
		message string
		want    string
	}{
		{jsonrpc.NullID(), "m", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`},
		{nil, "a\"b\n\xff", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"a\"b\n` + "\uFFFD" + `"}}`},
	}
	for _, test := range tests {
		if got := string(jsonrpc.AppendError(nil, test.id, jsonrpc.CodeInvalidRequest, test.message)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestAppendRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id     jsonrpc.ID
		params string
		want   string
	}{
		{jsonrpc.ID(`7`), `{"a":1}`, `x{"jsonrpc":"2.0","id":7,"method":"a/\"b","params":{"a":1}}`},
		{nil, "", `x{"jsonrpc":"2.0","method":"a/\"b"}`},
	}
	for _, test := range tests {
		var params []byte
		if test.params != "" {
			params = []byte(test.params)
		}
		if got := string(jsonrpc.AppendRequest([]byte("x"), test.id, `a/"b`, params)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"a": 1,  "b c" :[ 1,` + "\t\r\n" + `2 ] }`: `{"a":1,"b c":[1,2]}`,
		` "a \" b" `:     `"a \" b"`,
		`{"\\" : "\\" }`: `{"\\":"\\"}`,
		``:               ``,
		`  `:             ``,
		`"x`:             `"x`,
		`"x\`:            `"x\`,
	}
	for value, want := range tests {
		if got := string(jsonrpc.Compact([]byte(value))); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}
