package errmap_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestField_038_mapping_tables(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]code.Code{
		400: 13, 401: 16, 403: 7, 404: 12, 408: 2, 409: 2, 412: 2, 413: 2, 415: 2, 429: 14, 431: 2, 499: 2, 500: 2, 502: 14, 503: 14, 504: 14, 505: 2,
	} {
		if e := decodeText(t, "connect", `{"message":"m"}`, status); e.Code() != want {
			t.Errorf("%d: %v, want %v", status, e.Code(), want)
		}
	}
}

func TestField_040_canceled_over_HTTP(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_CANCELLED, "m")
	if status, _ := errmap.EncodeHTTP(e); status != 499 || errmap.HTTPStatus(e.Code()) != 499 {
		t.Errorf("%d", status)
	}
	if e := decodeText(t, "connect", "", 499); e.Code() != code.Code_UNKNOWN {
		t.Errorf("an empty 499 on Connect: %v", e)
	}
	if e := decodeText(t, "http", "", 499); e.Code() != code.Code_CANCELLED {
		t.Errorf("an empty 499 on HTTP+JSON: %v", e)
	}
}

func TestField_042_status_and_delay_of_a_plain_body(t *testing.T) {
	t.Parallel()
	header := retryAfter("7", time.Unix(0, 0))
	for from, want := range map[string]code.Code{"connect": 14, "http": 8} {
		e := decodeText(t, from, "slow down", 429, header)
		if e.Code() != want || e.HTTPStatus() != 429 || e.RetryAfter() != "7" {
			t.Errorf("%s: %s", from, describe(e))
		}
	}
}

func TestField_043_body_of_HTTP_JSON_on_a_Connect_call(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad qty"}}`
	if e := decodeText(t, "connect", body, 400); e.Code() != code.Code_INTERNAL || !strings.Contains(strings.Join(e.Notes(), ""), "bad qty") {
		t.Errorf("read as Connect: %s", describe(e))
	}
	if e := decodeText(t, "http", body, 400); e.Code() != code.Code_INVALID_ARGUMENT || e.Message() != "bad qty" {
		t.Errorf("read as what it is: %s", describe(e))
	}
}

func TestField_044_JSON_of_another_shape(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{"connect": "Forbidden", "http": "Forbidden"} {
		e := decodeText(t, from, `{"message":"Forbidden"}`, 403)
		if e.Code() != code.Code_PERMISSION_DENIED || e.Message() != want {
			t.Errorf("%s: %s", from, describe(e))
		}
	}
}

func TestField_050_delay_in_detail_and_header(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "m").WithRetryDelay(1500 * time.Millisecond)
	if _, body := errmap.EncodeHTTP(e); e.RetryAfter() != "2" || !strings.Contains(string(body), `"retryDelay":"1.500s"`) {
		t.Errorf("%s %s", e.RetryAfter(), body)
	}
	now := time.Date(2026, 10, 21, 7, 27, 48, 0, time.UTC)
	for value, want := range map[string]string{"Wed, 21 Oct 2026 07:28:00 GMT": "12", "7": "7", "Wed, 21 Oct 2026 07:00:00 GMT": "0", "-5": "0"} {
		if e := decodeText(t, "http", "", 429, retryAfter(value, now)); e.RetryAfter() != want {
			t.Errorf("%q: %s", value, e.RetryAfter())
		}
	}
	if e := decodeText(t, "http", `{"error":{"code":429,"details":[`+jsonRI+`]}}`, 429, retryAfter("7", now)); e.RetryAfter() != "2" {
		t.Errorf("RetryInfo does not win: %s", describe(e))
	}
}

func TestField_056_error_inside_an_array(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `[{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}]`, 403)
	if s := difference(decodeText(t, "http", `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}`, 403), e, exactly); s != "" || e.Message() != "no" {
		t.Errorf("%s: %s", s, describe(e))
	}
}

func TestField_057_error_without_its_wrapper(t *testing.T) {
	t.Parallel()
	if e := decodeText(t, "http", `{"code":404,"status":"NOT_FOUND","message":"gone"}`, 404); e.Code() != code.Code_NOT_FOUND || e.Message() != "gone" || e.Received() != nil {
		t.Errorf("%s", describe(e))
	}
}

func TestField_058_name_and_number_that_disagree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in     string
		status int
		code   code.Code
		text   string
	}{
		{`{"error":{"code":404,"status":"FAILED_PRECONDITION","message":"m"}}`, 400, 9, "m"},
		{`{"error":{"code":409,"status":"SHELF_FULL","message":"m"}}`, 409, 10, "m"},
		{`{"error":{"code":"409","message":"m"}}`, 409, 10, "m"},
		{`{"error":"boom"}`, 404, 5, "boom"},
		{`{"error":"boom"}`, 0, 2, "boom"},
	} {
		if e := decodeText(t, "http", test.in, test.status); e.Code() != test.code || e.Message() != test.text {
			t.Errorf("%s: %s", test.in, describe(e))
		}
	}
	if r := decodeText(t, "http", `{"error":{"code":409,"status":"SHELF_FULL","message":"m"}}`, 409).Received(); len(r) != 1 || r[0].CodeText != "SHELF_FULL" {
		t.Errorf("%+v", r)
	}
}

func TestField_059_one_error_reads_the_same_from_every_surface(t *testing.T) {
	t.Parallel()
	made := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
	want := fmt.Sprint(made.Code(), made.Reason(), made.Domain(), made.ErrorInfo().GetMetadata(), made.Message())
	for _, w := range allWires {
		e, err := w.decode(w.encode(made))
		if got := fmt.Sprint(e.Code(), e.Reason(), e.Domain(), e.ErrorInfo().GetMetadata(), e.Message()); err != nil || got != want {
			t.Errorf("%s: %s, %v", w.name, got, err)
		}
	}
}

func TestField_061_status_without_ErrorInfo(t *testing.T) {
	t.Parallel()
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "gone"})
	if err != nil || e.Code() != code.Code_NOT_FOUND || e.Reason() != "" || e.Domain() != "" || e.ErrorInfo() != nil || len(e.Details()) != 0 {
		t.Errorf("%s, %v", describe(e), err)
	}
	for _, w := range allWires {
		if back, p := hop(t, e, w); back.Reason() != "" || strings.Contains(p.String(), "ErrorInfo") {
			t.Errorf("%s invents a reason: %s", w.name, p)
		}
	}
}

func TestField_062_HTTP_number_as_a_gRPC_code(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", "grpc-status: 404\ngrpc-message: m", 0)
	if e.Code() != code.Code_UNKNOWN || e.Number() != 404 {
		t.Errorf("%s", describe(e))
	}
}

func TestField_064_no_prefix_in_the_message(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", "grpc-status: 5\ngrpc-message: gone", 0).WithRemote()
	for _, w := range allWires {
		if p := w.encode(errmap.From(fmt.Errorf("w: %w", e))); strings.Contains(p.String(), "rpc error") || strings.Contains(p.String(), "w: ") || !strings.Contains(p.String(), "gone") {
			t.Errorf("%s: %s", w.name, p)
		}
	}
}

func TestField_065_problem_of_an_A2A_agent(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "problem", `{"type":"https://a2a-protocol.org/errors/version-not-supported","title":"Version not supported","status":400,"detail":"0.1 unsupported"}`, 400)
	if e.Reason() != "VERSION_NOT_SUPPORTED" || e.Domain() != "a2a-protocol.org" || e.Code() != code.Code_FAILED_PRECONDITION || e.Message() != "0.1 unsupported" {
		t.Errorf("%s", describe(e))
	}
	if got := encodeText(t, a2a, e); got != `{"code":-32009,"message":"0.1 unsupported","data":[`+infoPrefix+`VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}` {
		t.Errorf("%s", got)
	}
}

func TestField_067_reason_is_byte_equal_everywhere(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"STOCK_EMPTY", "stockEmpty", "Stock-Empty", "é", "a b", "R\xff"} {
		made := errmap.NewCode(5, "caf\xe9").WithDetail(&errdetails.ErrorInfo{Reason: reason, Domain: "shop.example.com"})
		for _, w := range allWires {
			back, err := w.decode(w.encode(made))
			if err != nil || back.Reason() != strings.ToValidUTF8(reason, "\uFFFD") || back.Message() != "caf\uFFFD" {
				t.Errorf("%s: %q became %q, %v", w.name, reason, back.Reason(), err)
			}
		}
	}
}

func TestField_068_received_reasons_pass(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"stockEmpty", "_A", "A", strings.Repeat("A", 64), "STOCK__EMPTY_"} {
		e := decodeText(t, "http", `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`+reason+`","metadata":{"`+strings.Repeat("k", 65)+`":"v"}}]}}`, 0)
		for _, w := range allWires {
			if back, _ := hop(t, e, w); back.Reason() != reason || back.Domain() != "" || back.ErrorInfo().GetMetadata()[strings.Repeat("k", 65)] != "v" {
				t.Errorf("%s: %s", w.name, describe(back))
			}
		}
	}
}

func TestField_069_violations(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_INVALID_ARGUMENT, "two mistakes").
		WithDetail(&errdetails.ErrorInfo{Reason: "INVALID_ORDER", Domain: "gw.example.com"}).
		WithDetail(&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "items[1].sku", Description: "must match", Reason: "string.pattern"}, {Field: "qty", Description: "must be greater than 0"},
		}})
	if got := encodeText(t, "problem", e); !strings.Contains(got, `"errors":[{"field":"items[1].sku","detail":"must match"},{"field":"qty","detail":"must be greater than 0"}]`) {
		t.Errorf("%s", got)
	}
	want := `{"code":-32602,"message":"two mistakes","data":[` + infoPrefix + `INVALID_ORDER","domain":"gw.example.com"},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"items[1].sku","description":"must match","reason":"string.pattern"},{"field":"qty","description":"must be greater than 0"}]}]}`
	if got := encodeText(t, generic, e); got != want {
		t.Errorf("%s", got)
	}
	for _, w := range allWires {
		back, err := w.decode(w.encode(e))
		bad, ok := errmap.Detail[*errdetails.BadRequest](back)
		if err != nil || !ok || len(bad.GetFieldViolations()) != 2 || bad.GetFieldViolations()[0].GetReason() != "string.pattern" || back.Received() != nil {
			t.Errorf("%s: %s, %v", w.name, describe(back), err)
		}
	}
}

func TestField_101_HTTP_numbers_are_no_JSONRPC_codes(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[`+jsonRI+`]}}`, 429)
	for _, p := range []string{generic, a2a, mcp} {
		if got := encodeText(t, p, e); got != `{"code":-31429,"message":"m","data":[`+jsonRI+`]}` {
			t.Errorf("%s: %s", p, got)
		}
	}
}

func TestField_109_404_that_is_no_task(t *testing.T) {
	t.Parallel()
	for _, e := range []*errmap.Error{
		decodeText(t, "http", `<html>not here</html>`, http.StatusNotFound),
		decodeText(t, "http", `{"error":{"code":404,"status":"NOT_FOUND","message":"no such route"}}`, http.StatusNotFound),
	} {
		if e.Code() != code.Code_NOT_FOUND || e.Reason() != "" || strings.Contains(encodeText(t, a2a, e), "-32001") {
			t.Errorf("%s", describe(e))
		}
	}
}
