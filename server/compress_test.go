package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/errmap/errmap/server"
)

func compressed(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func uncompressed(t testing.TB, text string) string {
	t.Helper()
	reader, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestHandler_compression(t *testing.T) {
	t.Parallel()
	sku := strings.Repeat("s", 2000)
	body := `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"` + sku + `"}}`
	want := `{"jsonrpc":"2.0","id":1,"result":{"sku":"` + sku + `"}}`
	small := `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Ping"}`
	tests := map[string]struct {
		opts    []server.Option
		body    string
		headers []string
		want    string
		packed  bool
	}{
		"a request":                {nil, compressed(t, body), []string{"Content-Encoding", "gzip"}, want, false},
		"a request, in capitals":   {nil, compressed(t, body), []string{"Content-Encoding", "GZIP"}, want, false},
		"both ways":                {nil, compressed(t, body), []string{"Content-Encoding", "gzip", "Accept-Encoding", "gzip"}, want, true},
		"any encoding":             {nil, body, []string{"Accept-Encoding", "br;q=1, *;q=0.5"}, want, true},
		"not gzip":                 {nil, body, []string{"Accept-Encoding", "gzip;q=0, *"}, want, false},
		"nothing said":             {nil, body, nil, want, false},
		"too small to be worth it": {nil, small, []string{"Accept-Encoding", "gzip"}, `{"jsonrpc":"2.0","id":1,"result":{}}`, false},
		"from one byte":            {[]server.Option{server.WithCompressMinBytes(1)}, small, []string{"Accept-Encoding", "gzip"}, `{"jsonrpc":"2.0","id":1,"result":{}}`, true},
		"switched off":             {[]server.Option{server.WithCompressors()}, body, []string{"Accept-Encoding", "gzip"}, want, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := post(t, newHandler(t, new(cart), test.opts...), test.body, test.headers...)
			packed := got.header.Get("Content-Encoding") == "gzip"
			if packed {
				got.body = uncompressed(t, got.body)
			}
			if packed != test.packed || got.body != test.want {
				t.Errorf("compressed %t, want %t; got %.300s, want %.300s", packed, test.packed, got.body, test.want)
			}
		})
	}
}
