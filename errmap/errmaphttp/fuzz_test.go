package errmaphttp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// Whatever the body, an error arrives, and it is of somebody.
func FuzzReadError(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `<html>`, `{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{}]}}`,
		`[{"error":{"code":"409"}}]`, `{"error":"boom"}`, `{"message":"Forbidden"}`, `{"code":"not_found","details":[{"type":"a.B","value":"!!"}]}`,
		`{"code":"code_42"}`, `{"type":"about:blank","status":404,"detail":"gone","errors":[]}`, "\x1f\x8b", `{"code":1e9,"status":7}`,
	} {
		f.Add(404, "application/json", "", "7", body)
		f.Add(503, "application/problem+json", "gzip", "Wed, 21 Oct 2026 07:28:00 GMT", body)
		f.Add(99, "text/html", "br", "-1", body)
	}
	f.Fuzz(func(t *testing.T, status int, kind, encoding, retry, body string) {
		for _, protocol := range []errmaphttp.Protocol{errmaphttp.HTTPJSON, errmaphttp.Connect} {
			err := errmaphttp.ReadError(answer(status, body, "Content-Type", kind, "Content-Encoding", encoding, "Retry-After", retry), protocol, errmaphttp.WithLimits(errmap.Limits{Body: 1 << 16}))
			if status/100 == 2 {
				if err != nil {
					t.Fatalf("HTTP %d is an error: %v", status, err)
				}
				continue
			}
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || e.Code() == code.Code_OK || e.Local() == e.Remote() {
				t.Fatalf("HTTP %d: got %v, local %v, remote %v", status, err, e.Local(), e.Remote())
			}
		}
	})
}

// Whatever the client accepts, an error is sent that it can read back.
func FuzzWriteError(f *testing.F) {
	for _, accept := range []string{"", "*/*", "application/problem+json;q=0.5, */*", `text/x;p="a,b"`, "application/a2a+json;q=nan,;", "application/json;q=0"} {
		f.Add(accept, "gone", int32(5))
	}
	f.Fuzz(func(t *testing.T, accept, message string, number int32) {
		e := errmap.NewCode(code.Code(number), message)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		if err := errmaphttp.WriteError(w, r, e.WithCause(nil)); err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return
		}
		got, ok := errors.AsType[*errmap.Error](errmaphttp.ReadError(w.Result(), errmaphttp.HTTPJSON))
		if !ok || !got.Remote() || got.Code() != e.Code() || got.Message() != e.Message() {
			t.Fatalf("Accept %q: sent %v, got %v as %s", accept, e, got, w.Header().Get("Content-Type"))
		}
	})
}
