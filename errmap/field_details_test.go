package errmap_test

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
)

// fieldST9 is the error of several reports, as gRPC headers.
const fieldST9 = "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorST9

func TestField_001_unlinked_detail_takes_nothing_with_it(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", fieldST9, 0)
	for _, w := range allWires {
		back, p := hop(t, e, w)
		if back.Code() != code.Code_FAILED_PRECONDITION || back.Message() != "no stock" || back.ErrorInfo().GetMetadata()["sku"] != "A1" {
			t.Errorf("%s: %s", w.name, p)
		}
		mystery := back.Details()[1]
		if value, ok := mystery.Value(); !ok || mystery.TypeURL() != "type.googleapis.com/acme.v9.Mystery" || b64raw(value) != vectorMYS {
			t.Errorf("%s: %s", w.name, describe(back))
		}
	}
}

func TestField_003_unlinked_detail_in_an_HTTP_body(t *testing.T) {
	t.Parallel()
	status, body := errmap.EncodeHTTP(decodeText(t, "grpc", fieldST9, 0))
	want := `{"error":{"code":400,"message":"no stock","status":"FAILED_PRECONDITION","details":[` + jsonEI + `,` + jsonMYS + `]}}`
	if status != 400 || string(body) != want {
		t.Errorf("%d %s", status, body)
	}
}

func TestField_004_details_can_be_listed_and_forwarded(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", fieldST9, 0)
	var names []string
	for _, d := range e.Details() {
		value, ok := d.Value()
		if !ok || len(value) == 0 {
			t.Errorf("%s has no bytes", d.Name())
		}
		names = append(names, string(d.Name()))
	}
	if strings.Join(names, " ") != "google.rpc.ErrorInfo acme.v9.Mystery" {
		t.Errorf("%q", names)
	}
	if got := errmap.EncodeGRPC(e).DetailsBin; got != vectorST9 {
		t.Errorf("%s", got)
	}
}

func TestField_005_details_from_Connect_to_gRPC(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "connect", `{"code":"not_found","message":"gone","details":[{"type":"google.rpc.ErrorInfo","value":"`+vectorEI+`"}]}`, 0)
	if h := errmap.EncodeGRPC(e); h != (errmap.GRPCHeaders{Status: "5", Message: "gone", DetailsBin: vectorST5}) {
		t.Errorf("%+v", h)
	}
}

func TestField_007_debug_of_any_type(t *testing.T) {
	t.Parallel()
	for _, debug := range []string{`"1s"`, `null`, `[1]`, `5`, `{"a":1}`, `true`} {
		e := decodeText(t, "connect", `{"code":"unavailable","details":[{"type":"google.protobuf.Duration","value":"CAE","debug":`+debug+`}]}`, 0)
		d, ok := errmap.Detail[*durationpb.Duration](e)
		if !ok || d.GetSeconds() != 1 || e.Received() != nil {
			t.Errorf("%s: %s", debug, describe(e))
		}
	}
}

func TestField_010_broken_bytes_of_a_known_type(t *testing.T) {
	t.Parallel()
	for from, in := range map[string]string{
		"grpc":    "grpc-status: 9\ngrpc-message: m\ngrpc-status-details-bin: " + vectorSTM,
		"connect": `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"Cv8"}]}`,
	} {
		e := decodeText(t, from, in, 0)
		if info, ok := errmap.Detail[*errdetails.ErrorInfo](e); ok || e.ErrorInfo() != nil || e.Code() != 9 || e.Message() != "m" {
			t.Errorf("%s: %v", from, info)
		}
		if got := errmap.EncodeGRPC(e).DetailsBin; got != vectorSTM {
			t.Errorf("%s: %s", from, got)
		}
		if got, want := encodeText(t, "http", e), `{"error":{"code":400,"message":"m","status":"FAILED_PRECONDITION","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","@value":"Cv8="}]}}`; got != want {
			t.Errorf("%s: %s", from, got)
		}
	}
}

func TestField_011_empty_object_as_a_detail(t *testing.T) {
	t.Parallel()
	in := `{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{},{"no":"type"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"}]}}`
	e := decodeText(t, "http", in, 404)
	if e.Code() != code.Code_NOT_FOUND || e.Reason() != "STOCK_EMPTY" || len(e.Details()) != 3 {
		t.Errorf("%s", describe(e))
	}
	if text, ok := e.Details()[1].JSON(); !ok || string(text) != `{"no":"type"}` {
		t.Errorf("%s", describe(e))
	}
	for _, w := range allWires {
		if back, p := hop(t, e, w); back.Reason() != "STOCK_EMPTY" || difference(e, back, exactly) != "" {
			t.Errorf("%s: %s", w.name, p)
		}
	}
}

func TestField_013_one_call_from_header_to_ErrorInfo(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "grpc-status-details-bin": {vectorST5}})
	if err != nil || e.ErrorInfo().GetReason() != "STOCK_EMPTY" || e.ErrorInfo().GetMetadata()["sku"] != "A1" || e.Message() != "gone" {
		t.Errorf("%s, %v", describe(e), err)
	}
}

func TestField_014_metadata_that_is_no_string(t *testing.T) {
	t.Parallel()
	const element = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BAD_QTY","domain":"shop.example.com","metadata":{"max":5,"ok":true,"x":null}}`
	for from, in := range map[string]string{
		"http":       `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad","details":[` + element + `]}}`,
		"problem":    `{"status":400,"code":"INVALID_ARGUMENT","detail":"bad","details":[` + element + `]}`,
		"statusjson": `{"code":3,"message":"bad","details":[` + element + `]}`,
		generic:      `{"code":-32602,"message":"bad","data":[` + element + `]}`,
	} {
		e := decodeText(t, from, in, 0)
		got := e.ErrorInfo().GetMetadata()
		if e.Code() != code.Code_INVALID_ARGUMENT || e.Message() != "bad" || got["max"] != "5" || got["ok"] != "true" || len(got) != 2 {
			t.Errorf("%s: %s", from, describe(e))
		}
		if s := encodeText(t, "connect", e); !strings.Contains(s, `"metadata":{"max":"5","ok":"true"}`) {
			t.Errorf("%s writes %s", from, s)
		}
	}
}

func TestField_016_metadata_after_HTTP_and_one_hop_more(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no stock","details":[`+jsonEI+`]}}`, 400)
	for _, w := range allWires {
		if back, p := hop(t, e, w); back.ErrorInfo().GetMetadata()["sku"] != "A1" {
			t.Errorf("%s: %s", w.name, p)
		}
	}
}

func TestField_017_percent_encoding_stays_on_gRPC(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", "grpc-status: 9\ngrpc-message: no%20stock%20caf%C3%A9", 0)
	for _, w := range allWires {
		p := w.encode(e)
		if w.json && (!json.Valid(p.body) || !strings.Contains(string(p.body), `"no stock café"`)) {
			t.Errorf("%s: %s", w.name, p)
		}
	}
}

func TestField_018_typed_JSON_that_nobody_links(t *testing.T) {
	t.Parallel()
	const element = `{"@type":"type.googleapis.com/acme.v9.Mystery","n":1}`
	e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+element+`]}}`, 0)
	for _, w := range allWires {
		back, _ := hop(t, e, w)
		if text, ok := back.Details()[0].JSON(); !ok || string(text) != element || back.Code() != code.Code_NOT_FOUND {
			t.Errorf("%s: %s", w.name, describe(back))
		}
	}
	home := decodeText(t, "grpc", encodeText(t, "grpc", e), 0)
	if got := encodeText(t, "http", home); got != `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+element+`]}}` {
		t.Errorf("after gRPC: %s", got)
	}
}

func TestField_020_well_known_types_need_no_import(t *testing.T) {
	t.Parallel()
	in := "grpc-status: 5\ngrpc-message: x\ngrpc-status-details-bin: " + vectorSTE
	for name, c := range map[string]*errmap.Catalog{"linked": errmap.Linked(), "none": nil, "empty": newCatalog(t)} {
		e := decodeText(t, "grpc", in, 0, errmap.WithCatalog(c))
		want := `{"error":{"code":404,"message":"x","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.protobuf.Empty"}]}}`
		if got := encodeText(t, "http", e, errmap.WithCatalog(c)); got != want {
			t.Errorf("%s: %s", name, got)
		}
		for _, element := range []string{`{"@type":"type.googleapis.com/google.protobuf.Empty"}`, `{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}`} {
			e := decodeText(t, "http", `{"error":{"code":404,"details":[`+element+`]}}`, 0, errmap.WithCatalog(c))
			if value, ok := e.Details()[0].Value(); !ok || len(value) != 0 {
				t.Errorf("%s: %s is read as %s", name, element, describe(e))
			}
		}
		d := decodeText(t, "connect", `{"code":"unknown","details":[{"type":"google.protobuf.Duration","value":"CAEQgMq17gE"}]}`, 0, errmap.WithCatalog(c))
		if got := encodeText(t, "http", d, errmap.WithCatalog(c)); !strings.Contains(got, `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.500s"}`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
