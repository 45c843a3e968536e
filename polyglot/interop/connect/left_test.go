package connect_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
)

// What Connect decides before an adapter sees it; docs/interop.md has each.

// Connect v1 answers a GET whose message is no base64 itself, before any
// interceptor.
func TestFinding_P10_v1_answers_by_itself(t *testing.T) {
	t.Parallel()
	log := new(bytes.Buffer)
	response, body := get(t, handlers(log)["v1"], "encoding=proto&base64=1&message=%25%25")
	if response.StatusCode != http.StatusInternalServerError || !strings.HasPrefix(body, `{"code":"unknown","message":"read message: illegal base64`) || log.Len() > 0 {
		t.Errorf("HTTP %d, %s, logged %q", response.StatusCode, body, log)
	}
}

// Of an answer in an encoding that nobody asked for, v1 tells nobody the status.
// Over our transport it is read before Connect does.
func TestFinding_P29_v1_without_a_status(t *testing.T) {
	t.Parallel()
	a := answer{status: http.StatusNotFound, body: []byte("\x0b\x02\x80{}\x03"), header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}}
	with := func(next http.RoundTripper) http.RoundTripper {
		return errmaphttp.NewTransport(next, errmaphttp.Connect)
	}
	for client, err := range a.calls(t, with, connect.ProtocolNameConnect) {
		e, ok := errors.AsType[*errmap.Error](err)
		if !ok || e.Code() != code.Code_UNIMPLEMENTED || !e.Local() {
			t.Errorf("%s: %v", client, err)
		}
	}
	without := a.calls(t, nil, connect.ProtocolNameConnect)["v1"]
	e, ok := errors.AsType[*errmap.Error](without)
	if !ok || e.Code() != code.Code_INTERNAL || !e.Local() || strings.Contains(without.Error(), "404") {
		t.Errorf("v1 without it: %v", without)
	}
}
