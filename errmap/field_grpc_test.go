package errmap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestField_022_message_that_is_not_UTF8(t *testing.T) {
	t.Parallel()
	made := errmap.NewCode(code.Code_NOT_FOUND, "caf\xe9").
		WithDetail(&errdetails.ErrorInfo{Reason: "R\xff", Domain: "d\xff", Metadata: map[string]string{"k\xff": "v\xff"}})
	for _, w := range allWires {
		back, err := w.decode(w.encode(made))
		if err != nil || back.Code() != code.Code_NOT_FOUND || back.Message() != "caf\uFFFD" || back.Reason() != "R\uFFFD" ||
			back.Domain() != "d\uFFFD" || back.ErrorInfo().GetMetadata()["k\uFFFD"] != "v\uFFFD" {
			t.Errorf("%s: %s, %v", w.name, describe(back), err)
		}
	}
}

func TestField_023_line_breaks_in_grpc_message(t *testing.T) {
	t.Parallel()
	const text = "line1\r\nline2 é 100%"
	h := errmap.EncodeGRPC(errmap.NewCode(code.Code_NOT_FOUND, text))
	if h.Message != "line1%0D%0Aline2 %C3%A9 100%25" {
		t.Errorf("%q", h.Message)
	}
	if back, err := errmap.DecodeGRPC(h.Map()); err != nil || back.Message() != text {
		t.Errorf("%v, %v", back, err)
	}
}

func TestField_025_padded_and_unpadded_base64(t *testing.T) {
	t.Parallel()
	for _, bin := range []string{"CAUSBGdvbmU=", "CAUSBGdvbmU"} {
		if e := decodeText(t, "grpc", "grpc-status: 5\ngrpc-status-details-bin: "+bin, 0); e.Message() != "gone" || e.Notes() != nil {
			t.Errorf("%s: %s", bin, describe(e))
		}
	}
	for _, value := range []string{vectorRI, vectorRI + "=="} {
		e := decodeText(t, "connect", `{"code":"unavailable","details":[{"type":"google.rpc.RetryInfo","value":"`+value+`"}]}`, 0)
		if delay, ok := e.RetryDelay(); !ok || delay.String() != "1.5s" {
			t.Errorf("%s: %s", value, describe(e))
		}
		if s := encodeText(t, "connect", e) + errmap.EncodeGRPC(e).String(); strings.Contains(s, "==") {
			t.Errorf("%s is written padded: %s", value, s)
		}
	}
}

func TestField_028_status_that_does_not_parse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]code.Code{"abc": 2, "-1": 2, "": 2, "007": 7} {
		e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {text}, "grpc-message": {"m"}})
		if err != nil || e.Code() != want || e.Message() != "m" {
			t.Errorf("%q: %s, %v", text, describe(e), err)
		}
	}
	if e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"00"}, "grpc-message": {"m"}}); e != nil || !errors.Is(err, errmap.ErrOK) {
		t.Errorf("00: %v, %v", e, err)
	}
}

func TestField_029_private_codes(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", "grpc-status: 42\ngrpc-message: m", 0)
	if got := encodeText(t, "grpc", e); got != "grpc-status: 42\ngrpc-message: m" {
		t.Errorf("%s", got)
	}
	status, body := errmap.EncodeHTTP(e)
	if status != 500 || !strings.HasPrefix(encodeText(t, "connect", e), `{"code":"unknown"`) || !strings.Contains(string(body), `"status":"UNKNOWN"`) {
		t.Errorf("%d %s", status, body)
	}
	for _, w := range allWires {
		if back, p := hop(t, e, w); back.Number() != 42 || back.Code() != code.Code_UNKNOWN {
			t.Errorf("%s: %s", w.name, p)
		}
	}
}

func TestField_030_details_larger_than_a_header(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).WithRetryDelay(1500000000).
		WithDetail(&errdetails.DebugInfo{StackEntries: []string{strings.Repeat("s", 10_000)}}).
		WithDetail(&errdetails.LocalizedMessage{Locale: "de", Message: "Kein Bestand"})
	h := errmap.EncodeGRPC(e)
	if n := len(h.String()); n > errmap.DefaultBudget {
		t.Errorf("%d bytes", n)
	}
	back, err := errmap.DecodeGRPC(h.Map())
	if err != nil || back.Reason() != "STOCK_EMPTY" || back.ErrorInfo().GetMetadata()["sku"] != "A1" || back.RetryAfter() != "2" {
		t.Errorf("%s, %v", describe(back), err)
	}
	if _, ok := errmap.Detail[*errdetails.DebugInfo](back); ok {
		t.Error("DebugInfo stays")
	}
	if _, ok := errmap.Detail[*errdetails.LocalizedMessage](back); !ok {
		t.Error("LocalizedMessage went without need")
	}
	for _, budget := range []int{1000, 300, 200, 100, 40, 13} {
		back, err := errmap.DecodeGRPC(errmap.EncodeGRPC(e, errmap.WithBudget(budget), quiet).Map())
		if err != nil || back.Code() != code.Code_FAILED_PRECONDITION {
			t.Errorf("%d: %v, %v", budget, back, err)
		}
	}
}

func TestField_032_details_of_an_OK_status(t *testing.T) {
	t.Parallel()
	if e := errmap.NewCode(code.Code_OK, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R"}); e != nil {
		t.Errorf("%v", e)
	}
	if e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"0"}, "grpc-status-details-bin": {vectorST5}}); e != nil || !errors.Is(err, errmap.ErrOK) {
		t.Errorf("%v, %v", e, err)
	}
}

func TestField_033_nil_is_no_error(t *testing.T) {
	t.Parallel()
	var e *errmap.Error
	if e.Code() != code.Code_OK || errmap.From(nil).Code() != code.Code_OK || errmap.From(fmt.Errorf("w: %w", e)) != nil {
		t.Error("nil has a code")
	}
	if errmap.EncodeJSONRPC(nil, errmap.ProfileA2A) != nil || errmap.EncodeConnect(e) != nil || errmap.EncodeGRPC(e).String() != "" || e.Status() != nil {
		t.Error("nil is written")
	}
}

func TestField_035_error_in_the_headers(t *testing.T) {
	t.Parallel()
	h := headerLines(fieldST9)
	h["content-type"] = []string{"application/grpc"}
	e, err := errmap.DecodeGRPC(h, errmap.WithHTTPStatus(200))
	if err != nil || e.Code() != 9 || len(e.Details()) != 2 {
		t.Errorf("%s, %v", describe(e), err)
	}
	if e, err = errmap.DecodeGRPC(h, errmap.WithHTTPStatus(503)); err != nil || e.Code() != 9 {
		t.Errorf("the HTTP status wins: %v, %v", e, err)
	}
}

func TestField_037_page_of_a_proxy_in_a_gRPC_call(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeGRPC(map[string][]string{"content-type": {"text/html"}}, errmap.WithHTTPStatus(502))
	if err != nil || e.Code() != code.Code_UNAVAILABLE || e.Message() != "HTTP status 502 Bad Gateway" {
		t.Errorf("%s, %v", describe(e), err)
	}
	const page = `<html><h1>bad gateway</h1>upstream 10.0.0.7</html>`
	for _, from := range []string{"connect", "http", "problem", "statusjson"} {
		e := decodeText(t, from, page, 502)
		for _, w := range allWires {
			if p := w.encode(e); strings.Contains(p.String(), "10.0.0.7") {
				t.Errorf("%s to %s: %s", from, w.name, p)
			}
		}
		if notes := strings.Join(e.Notes(), ""); !strings.Contains(notes, "bad gateway") || len(notes) > 600 {
			t.Errorf("%s: %q", from, notes)
		}
	}
}
