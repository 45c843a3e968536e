package explain_test

import (
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/internal/translate"
)

func TestRecognize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       translate.Form
	}{
		{"connect", `{"code":"not_found","message":"m"}`, translate.Connect},
		{"connect, unknown code", `{"code":"shelf_full"}`, translate.Connect},
		{"connect, details alone", `{"details":[]}`, translate.Connect},
		{"status", `{"code":5,"message":"m"}`, translate.Status},
		{"status, private number", `{"code":4001,"details":[{"@type":"x/y"}]}`, translate.Status},
		{"http", `{"error":{"code":404}}`, translate.HTTP},
		{"http, a string", `{"error":"boom"}`, translate.HTTP},
		{"http, in an array", `[{"error":{"code":404}}]`, translate.HTTP},
		{"http, without wrapper", `{"code":404,"message":"m"}`, translate.HTTP},
		{"http, name", `{"code":"404","status":"NOT_FOUND"}`, translate.HTTP},
		{"http, name alone", `{"status":"NOT_FOUND"}`, translate.HTTP},
		{"http, number and name", `{"code":5,"status":"NOT_FOUND"}`, translate.HTTP},
		{"problem", `{"type":"about:blank","title":"Not Found","status":404}`, translate.Problem},
		{"problem, instance", `{"instance":"/x"}`, translate.Problem},
		{"problem with a code", `{"title":"x","code":"NOT_FOUND"}`, translate.Problem},
		{"jsonrpc", `{"code":-32001,"message":"m"}`, translate.JSONRPC},
		{"jsonrpc, a small number with data", `{"code":7,"message":"m","data":1}`, translate.JSONRPC},
		{"jsonrpc, a large number", `{"code":4001,"message":"m"}`, translate.JSONRPC},
		{"jsonrpc, a number far too large", `{"code":1e999}`, translate.JSONRPC},
		{"jsonrpc response", ` {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, translate.JSONRPC},
		{"null is absent", `{"code":"not_found","status":null}`, translate.Connect},
		{"the first of duplicates", `{"code":"not_found","code":5}`, translate.Connect},
		{"grpc", "Grpc-Status: 5\r\ngrpc-message: m\r\n", translate.GRPC},
		{"grpc beside others", "content-type: application/grpc\ngrpc-status: 5", translate.GRPC},
		{"response, grpc", "HTTP/2 200\r\ncontent-type: application/grpc\r\ngrpc-status: 5\r\n\r\n", translate.GRPC},
		{"response, grpc without a status", "HTTP/2 502\r\ncontent-type: application/grpc+proto\r\n\r\n", translate.GRPC},
		{"response, problem", "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json; charset=utf-8\r\n\r\n{}", translate.Problem},
		{"response, a2a", "HTTP/1.1 404 Not Found\nContent-Type: application/a2a+json\n\n{}", translate.HTTP},
		{"response, connect", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"code\":\"not_found\"}", translate.Connect},
		{"response after interim ones", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\n\r\n{}", translate.Problem},
		{"response, other JSON", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"oops\":1}", translate.HTTP},
		{"response, a page", "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>", ""},
		{"response, nothing", "HTTP/1.1 503 Service Unavailable\r\n", translate.HTTP},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := explain.Recognize([]byte(tt.text))
			if err != nil || got.Form != tt.want || got.Why == "" {
				t.Errorf("got %q by %q, %v, want %q", got.Form, got.Why, err, tt.want)
			}
		})
	}
}

func TestRecognize_nothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "boom", "<html>", "{", "[", "[]", "[1]", "[{},{}]", "{}", `{"message":"m"}`, `{"code":null}`, "content-type: text/html", "HTTP/9", "rpc error: code = OK desc = m", "rpc error: code = Code(0) desc = m", "rpc error: code = Lost desc = m", "rpc error: code = Code(99999999999) desc = m"} {
		if got, err := explain.Recognize([]byte(text)); err == nil {
			t.Errorf("%q is %s by %s", text, got.Form, got.Why)
		}
	}
}

func TestFound_Report_date(t *testing.T) {
	t.Parallel()
	f, err := explain.Recognize([]byte("HTTP/1.1 503 Service Unavailable\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := f.Report(errmap.Linked(), time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC))
	if want := "yes, after 1m0s (RetryInfo)"; err != nil || report.Readings[0].Retry.Advice != want {
		t.Errorf("%v, want %q: %v", report, want, err)
	}
}
