package errmap_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// X11: the order of map entries is an encoding, at every depth.
func TestFinding_X11_order_of_entries_inside(t *testing.T) {
	t.Parallel()
	info := []byte("\x0a\x01X\x1a\x06\x0a\x01b\x12\x012\x1a\x06\x0a\x01a\x12\x011") // b before a
	inside := &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: info}
	status := anys(t, &statuspb.Status{Code: 3, Details: []*anypb.Any{inside}})[0]
	for name, detail := range map[string]*anypb.Any{
		"plain":                inside,
		"in a Status":          status,
		"in an Any":            anys(t, inside)[0],
		"in a Status in a one": anys(t, &statuspb.Status{Code: 4, Details: []*anypb.Any{status}})[0],
	} {
		e, err := errmap.FromStatus(&statuspb.Status{Code: 13, Message: "m", Details: []*anypb.Any{detail}})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range allWires {
			p := w.encode(e)
			if strings.Contains(string(p.body), "@value") || carries(p) || w.json && w.name != "connect" && !strings.Contains(string(p.body), `"metadata":{"a":"1","b":"2"}`) {
				t.Errorf("%s, %s: %s", name, w.name, p)
			}
		}
	}
}

// forgedConnect is a Connect error of NOT_FOUND "m" with a Carried that says this.
func forgedConnect(t *testing.T, code string, check string, received ...*errmapv1.Received) string {
	t.Helper()
	sum, err := base64.StdEncoding.DecodeString(check)
	if err != nil {
		t.Fatal(err)
	}
	b := mustMarshal(t, &errmapv1.Carried{Check: sum, Received: received})
	return `{"code":"` + code + `","message":"m","details":[{"type":"errmap.v1.Carried","value":"` + b64raw(b) + `"}]}`
}

// X12: what a wire could not have said is not believed of it.
func TestFinding_X12_what_a_wire_could_not_have_said(t *testing.T) {
	t.Parallel()
	members := func(w errmapv1.Wire, text string) *errmapv1.Received {
		return &errmapv1.Received{Wire: w, Members: text}
	}
	for _, test := range []struct {
		received *errmapv1.Received
		kept     bool
	}{
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_JSONRPC, Number: "abc"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_JSONRPC, Number: "01"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_JSONRPC, Number: "-0"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_JSONRPC, Number: "-32050"}, true},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_CONNECT, Number: "7"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_GRPC, Number: "42"}, false}, // beside NOT_FOUND
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_HTTP, CodeText: "INTERNAL"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_HTTP, CodeText: "SHELF_FULL"}, true},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_CONNECT, CodeText: "internal"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_PROBLEM, CodeText: "SHELF_FULL"}, false},
		{&errmapv1.Received{Wire: errmapv1.Wire_WIRE_GRPC, CodeText: "5"}, false},
		{members(errmapv1.Wire_WIRE_PROBLEM, `{"Detail":"forged"}`), false},
		{members(errmapv1.Wire_WIRE_PROBLEM, `{"detail":"forged"}`), false},
		{members(errmapv1.Wire_WIRE_PROBLEM, `{"detail":5}`), true},
		{members(errmapv1.Wire_WIRE_PROBLEM, `{"type":"https://x.example/p","title":"T","errors":[1]}`), true},
		{members(errmapv1.Wire_WIRE_PROBLEM, `{"Title":"T"}`), false},
		{members(errmapv1.Wire_WIRE_CONNECT, `{"message":"forged"}`), false},
		{members(errmapv1.Wire_WIRE_CONNECT, `{"CODE":"forged"}`), false},
		{members(errmapv1.Wire_WIRE_STATUS, `{"code":5}`), false},
		{members(errmapv1.Wire_WIRE_HTTP, `{"status":"INTERNAL"}`), false},
		{members(errmapv1.Wire_WIRE_HTTP, `{"errmap":{"check":"AAAAAA=="}}`), false},
		{members(errmapv1.Wire_WIRE_HTTP, `{"errmap":1,"trace":1}`), true},
		{members(errmapv1.Wire_WIRE_JSONRPC, `{"data":1}`), false},
		{members(errmapv1.Wire_WIRE_JSONRPC, `[1]`), false},
	} {
		e := decodeText(t, "connect", forgedConnect(t, "not_found", "zyJpBA==", test.received), 404)
		if kept := len(e.Received()) > 0; kept != test.kept || kept == (len(e.Notes()) > 0) || e.Number() != 5 {
			t.Errorf("%v: %s", test.received, describe(e))
		}
	}
	e := decodeText(t, "connect", forgedConnect(t, "unknown", b64(crcOf("UNKNOWN\nm")), &errmapv1.Received{Wire: errmapv1.Wire_WIRE_GRPC, Number: "5"}), 500)
	if e.Number() != 2 || len(e.Notes()) != 1 {
		t.Errorf("a code under UNKNOWN: %s", describe(e))
	}
	e = decodeText(t, "connect", forgedConnect(t, "unknown", b64(crcOf("UNKNOWN\nm")), &errmapv1.Received{Wire: errmapv1.Wire_WIRE_GRPC, Number: "-2147483648"}), 500)
	if e.Number() != -2147483648 || len(e.Notes()) != 0 {
		t.Errorf("a private code under UNKNOWN: %s", describe(e))
	}
}

// X13: where details are typed objects, nothing else is written.
func TestFinding_X13_untyped_elements_ride(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"exception":"ValueError"}`, `"boom"`, `[1,{"a":1}]`, `{"@type":5}`, `null`, `[[` + jsonEI + `]]`} {
		e := decodeText(t, generic, `{"code":-32603,"message":"Internal error","data":`+data+`}`, 0)
		for _, to := range []string{"statusjson", "http", "problem"} {
			text := encodeText(t, to, e)
			if strings.Contains(text, `"details":[{"@type":5`) || strings.Contains(text, `"details":["`) || strings.Contains(text, `"details":[{"exception"`) {
				t.Errorf("%s of %s: %s", to, data, text)
			}
			strict := text
			if i := strings.Index(text, `,"errmap":`); i >= 0 && to == "statusjson" {
				strict = text[:i] + "}"
			}
			if to == "statusjson" {
				if err := protojson.Unmarshal([]byte(strict), new(statuspb.Status)); err != nil {
					t.Errorf("a strict reader of %s: %v", text, err)
				}
			}
			if back := encodeText(t, generic, decodeText(t, to, text, 0)); back != encodeText(t, generic, e) {
				t.Errorf("%s of %s came back as %s", to, data, back)
			}
		}
	}
}

// X14: the two HTTP+JSON forms share one received status.
func TestFinding_X14_one_status_for_both_forms(t *testing.T) {
	for status, title := range map[int]string{422: "Unprocessable Content", 413: "Content Too Large", 418: "HTTP status 418", 499: "HTTP status 499", 410: "Gone"} {
		e := decodeText(t, "http", fmt.Sprintf(`{"error":{"code":%d,"message":"m","status":"INVALID_ARGUMENT"}}`, status), status)
		want := fmt.Sprintf(`{"type":"about:blank","title":"%s","status":%d,"detail":"m","code":"INVALID_ARGUMENT"}`, title, status)
		if got := encodeText(t, "problem", e); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		back := decodeText(t, "problem", want, status)
		if s := difference(e, back, exactly); s != "" {
			t.Errorf("%d: %s", status, s)
		}
		if got := encodeText(t, "http", back); got != encodeText(t, "http", e) {
			t.Errorf("%d: %s", status, got)
		}
		for _, w := range allWires {
			if through, p := hop(t, back, w); through.HTTPStatus() != status {
				t.Errorf("%d through %s: %s", status, w.name, p)
			}
		}
	}
}

func crcOf(s string) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))) }

// X15: the revision 2025-11-25 of MCP is a profile of its own.
func TestFinding_X15_numbers_of_a_revision(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"code":-32042,"message":"URL elicitation required","data":{"elicitations":[]}}`,
		`{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","elicitationId":"7","url":"https://x.example","message":"m"}]}}`,
		`{"code":-32002,"message":"Resource not found","data":{"uri":"shop://a"}}`,
		`{"code":-32050,"message":"a server's own"}`,
		`{"code":-32602,"message":"bad","data":{"x":1}}`,
	} {
		e := decodeText(t, mcp2025, in, 0)
		if got := encodeText(t, mcp2025, e); got != in {
			t.Errorf("got %s, want %s", got, in)
		}
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if got := encodeText(t, mcp2025, back); got != in {
				t.Errorf("through %s: %s\n\tas %s", w.name, got, p)
			}
			if w.name == mcp && (strings.Contains(p.String(), `"code":-32002`) || strings.Contains(p.String(), `"code":-32042`)) {
				t.Errorf("the next revision has no such number: %s", p)
			}
		}
	}
	if e := decodeText(t, mcp2025, `{"code":-32042,"message":"m"}`, 0); e.Code() != code.Code_FAILED_PRECONDITION || e.Reason() != "URL_ELICITATION_REQUIRED" {
		t.Errorf("%s", describe(e))
	}
}

// X16: reason, domain and metadata of a problem make an ErrorInfo wherever details
// have none.
func TestFinding_X16_identity_at_the_top(t *testing.T) {
	t.Parallel()
	const top = `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}`
	received := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","trace":"t","details":[`+jsonEI+`]}}`, 404)
	text := encodeText(t, "problem", received)
	if !strings.Contains(text, `"errmap":{`) {
		t.Fatal(text)
	}
	removed := strings.Replace(text, `,"details":[`+jsonEI+`]`, "", 1)
	for name, in := range map[string]string{
		"ErrorInfo beside a Carried removed": removed,
		"details of another kind":            top + `,"details":[` + jsonRI + `]}`,
		"empty details":                      top + `,"details":[]}`,
		"no details":                         top + `}`,
		"an ErrorInfo that names nothing":    top + `,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo"}]}`,
	} {
		e := decodeText(t, "problem", in, 404)
		if e.Reason() != "STOCK_EMPTY" || e.Domain() != "shop.example.com" || e.Metadata()["sku"] != "A1" || e.Details()[0].Name() != "google.rpc.ErrorInfo" {
			t.Errorf("%s: %s", name, describe(e))
		}
		if strings.Contains(in, "retryDelay") && len(e.Details()) != 2 {
			t.Errorf("%s: %s", name, describe(e))
		}
	}
	e := decodeText(t, "problem", top[:strings.Index(top, `"metadata"`)]+`"metadata":{"n":5}}`, 404)
	if text, ok := e.Details()[0].JSON(); !ok || string(text) != `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"n":5}}` {
		t.Errorf("metadata that is no map of strings: %s", describe(e))
	}
	for _, w := range allWires {
		if back, p := hop(t, e, w); difference(e, back, exactly) != "" {
			t.Errorf("%s: %s of %s", w.name, difference(e, back, exactly), p)
		}
	}
}

// X17: codes at the ends of their range.
func TestFinding_X17_codes_at_the_ends(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"-2147483648", "2147483647", "-1", "17"} {
		e := decodeText(t, "statusjson", `{"code":`+text+`,"message":"m"}`, 0)
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if got := encodeText(t, "statusjson", back); got != `{"code":`+text+`,"message":"m"}` {
				t.Errorf("%s through %s: %s\n\tas %s", text, w.name, got, p)
			}
		}
	}
}

// X18: a type URL that ends in a slash names no type; Connect, which says the name
// alone, says none (section 9).
func TestFinding_X18_type_URL_without_a_name(t *testing.T) {
	t.Parallel()
	for _, typeURL := range []string{"acme.v1.Thing/", "/", "type.googleapis.com/"} {
		for _, value := range []string{"", "x"} {
			e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{anyOf(typeURL, value)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range allWires {
				back, p := hop(t, e, w)
				if len(back.Details()) != 1 || back.Message() != "m" {
					t.Fatalf("%s: %s of %s", w.name, describe(back), p)
				}
				got, _ := back.Details()[0].Value()
				if string(got) != value || w.name != "connect" && back.Details()[0].TypeURL() != typeURL {
					t.Errorf("%s through %s: %s of %s", typeURL, w.name, describe(back), p)
				}
			}
		}
	}
}

// X19: data that says nothing is nothing on A2A's own numbers (section 9); anywhere
// else it is what it was.
func TestFinding_X19_free_form_data_that_says_nothing(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"a":null}`, `{}`, `[]`, `null`} {
		e := decodeText(t, a2a, `{"code":-32001,"message":"m","data":`+data+`}`, 0)
		if e.Reason() != "TASK_NOT_FOUND" || len(e.Details()) != 1 || len(e.Metadata()) != 0 {
			t.Errorf("%s: %s", data, describe(e))
		}
		if data == "[]" {
			continue // an empty list of details
		}
		for _, profile := range []string{generic, a2a, mcp, mcp2025} {
			in := `{"code":-31404,"message":"m","data":` + data + `}`
			e := decodeText(t, profile, in, 0)
			if got := encodeText(t, profile, e); got != in {
				t.Errorf("%s: got %s, want %s", profile, got, in)
			}
			for _, w := range allWires {
				if back, p := hop(t, e, w); encodeText(t, profile, back) != in {
					t.Errorf("%s through %s: %s\n\tas %s", profile, w.name, encodeText(t, profile, back), p)
				}
			}
		}
	}
}

// X20: of a type of google.rpc a Carried adds nothing.
func TestFinding_X20_carried_adds_nothing_to_google_rpc(t *testing.T) {
	t.Parallel()
	const rpc = "type.googleapis.com/google.rpc."
	name := func(n string) []byte { return append(crcOf("google.rpc."+n), 0, 0, 0, 0) } // fits by type
	for _, test := range []struct {
		name, kind, plain string
		value             string
	}{
		{"an ErrorInfo with nothing in it", "ErrorInfo", `{"@type":"` + rpc + `ErrorInfo"}`, "\x0a\x01R\x12\x01d\x1a\x06\x0a\x01k\x12\x01v"},
		{"one with the reason alone", "ErrorInfo", `{"@type":"` + rpc + `ErrorInfo","reason":"R"}`, "\x0a\x01R\x12\x01d"},
		{"one that cannot be read", "ErrorInfo", `{"@type":"` + rpc + `ErrorInfo","@value":"!!"}`, "\x0a\x01R\x12\x01d"},
		{"one of the wrong type", "ErrorInfo", `{"@type":"` + rpc + `ErrorInfo","reason":5}`, "\x0a\x01R\x12\x01d"},
		{"one with a member more", "ErrorInfo", `{"@type":"` + rpc + `ErrorInfo","reason":"R","more":1}`, "\x0a\x01R\x12\x01d"},
		{"a RetryInfo without a delay", "RetryInfo", `{"@type":"` + rpc + `RetryInfo"}`, "\x0a\x02\x08\x3c"},
		{"a RetryInfo with a delay", "RetryInfo", `{"@type":"` + rpc + `RetryInfo","retryDelay":"1s"}`, "\x0a\x02\x08\x3c"},
		{"a Help without links", "Help", `{"@type":"` + rpc + `Help"}`, "\x0a\x03\x12\x01u"},
		{"a BadRequest without violations", "BadRequest", `{"@type":"` + rpc + `BadRequest"}`, "\x0a\x03\x0a\x01f"},
	} {
		carried := &errmapv1.Carried{Check: append(crcOf("NOT_FOUND\nm"), name(test.kind)...), Details: []*errmapv1.CarriedDetail{
			{Plain: true, TypeUrl: rpc + test.kind, Content: &errmapv1.CarriedDetail_Value{Value: []byte(test.value)}}}}
		text, err := protojson.Marshal(carried)
		if err != nil {
			t.Fatal(err)
		}
		asDetail := `{"@type":"type.googleapis.com/errmap.v1.Carried",` + string(text[1:])
		for from, in := range map[string]string{
			generic:      `{"code":-31404,"message":"m","data":[` + test.plain + `,` + asDetail + `]}`,
			"http":       `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + test.plain + `],"errmap":` + string(text) + `}}`,
			"http_old":   `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + test.plain + `,` + asDetail + `]}}`,
			"problem":    `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","details":[` + test.plain + `],"errmap":` + string(text) + `}`,
			"statusjson": `{"code":5,"message":"m","details":[` + test.plain + `],"errmap":` + string(text) + `}`,
		} {
			e := decodeText(t, strings.TrimSuffix(from, "_old"), in, 0)
			delay, _ := e.RetryDelay()
			if len(e.Details()) != 1 || e.Domain() != "" || len(e.Metadata()) > 0 || delay > time.Second || !strings.Contains(strings.Join(e.Notes(), "\n"), "Carried dropped") {
				t.Errorf("%s in %s: %s", test.name, from, describe(e))
			}
		}
	}
}
