package errmap_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

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

// X21: a strict reader of a google.rpc.Status that skips unknown members reads all
// that is standard.
func TestFinding_X21_strict_readers(t *testing.T) {
	t.Parallel()
	lenient := protojson.UnmarshalOptions{DiscardUnknown: true}
	for _, in := range []string{
		`{"code":-31404,"message":"m","data":["text",` + jsonEI + `,` + jsonRI + `]}`,
		`{"code":-32001,"message":"m","data":[` + jsonEI + `,` + jsonRI + `],"trace":1}`,
		`{"code":50,"message":"m","data":[` + jsonEI + `,{"a":1},` + jsonRI + `,5]}`,
	} {
		e := decodeText(t, generic, in, 0)
		for _, to := range []string{"http", "problem", "statusjson"} {
			text := encodeText(t, to, e)
			if !strings.Contains(text, `"errmap":{`) || strings.Contains(text, "errmap.v1.Carried") {
				t.Fatalf("%s: %s", to, text)
			}
			object := []byte(text)
			if to == "http" {
				var outer struct{ Error json.RawMessage }
				if err := json.Unmarshal(object, &outer); err != nil {
					t.Fatal(err)
				}
				object = outer.Error
			}
			if to == "problem" { // whose code is a name: of it the list alone is a Status
				var outer struct{ Details json.RawMessage }
				if err := json.Unmarshal(object, &outer); err != nil {
					t.Fatal(err)
				}
				object = []byte(`{"details":` + string(outer.Details) + `}`)
			}
			s := new(statuspb.Status)
			if err := lenient.Unmarshal(object, s); err != nil || len(s.GetDetails()) != 2 {
				t.Errorf("%s: %v, %v in %s", to, s, err, text)
			}
		}
		if err := protojson.Unmarshal(errmap.EncodeStatusJSON(e, errmap.WithoutCarried()), new(statuspb.Status)); err != nil && !strings.Contains(in, "trace") {
			t.Errorf("without a Carried: %v", err)
		}
	}
}

// X22: a RetryInfo without a delay that can be read is no delay.
func TestFinding_X22_no_delay_of_zero(t *testing.T) {
	t.Parallel()
	const kind = `{"@type":"type.googleapis.com/google.rpc.RetryInfo"`
	for _, element := range []string{kind + `}`, kind + `,"retryDelay":30}`, kind + `,"retryDelay":"30"}`, kind + `,"retryDelay":null}`, kind + `,"retryDelay":{"seconds":30}}`, kind + `,"@value":"!"}`, kind + `,"delay":"3s"}`} {
		e := decodeText(t, "http", `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[`+element+`]}}`, 429)
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if delay, ok := back.RetryDelay(); ok || back.RetryAfter() != "" {
				t.Errorf("%s through %s: %v in %s", element, w.name, delay, p)
			}
			s := back.Status()
			for _, d := range s.GetDetails() { // a reader that knows nothing of this sees no delay either
				retry := new(errdetails.RetryInfo)
				if d.MessageIs(retry) && d.UnmarshalTo(retry) == nil && retry.GetRetryDelay() != nil {
					t.Errorf("%s through %s: %v", element, w.name, s)
				}
			}
		}
		header := http.Header{"Retry-After": {"30"}}
		e, err := errmap.DecodeHTTP([]byte(`{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[`+element+`]}}`),
			errmap.WithHTTPStatus(429), errmap.WithHTTPHeader(header, time.Now()))
		if delay, ok := e.RetryDelay(); err != nil || !ok || delay != 30*time.Second {
			t.Errorf("%s beside a header: %v, %v, %v", element, delay, ok, err)
		}
	}
}

// X23: an ErrorInfo without a reason that can be read names no error.
func TestFinding_X23_no_identity_without_a_reason(t *testing.T) {
	t.Parallel()
	const kind = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo"`
	for _, element := range []string{kind + `,"reason":5,"domain":"d.example.com"}`, kind + `,"domain":"d.example.com"}`, kind + `,"reason":"","domain":"d.example.com"}`, kind + `,"reason":["R"],"domain":"d.example.com","metadata":{"a":"1"}}`} {
		e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+element+`]}}`, 404)
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if back.Reason() != "" || back.Domain() != "" || back.ErrorInfo() != nil || len(back.Metadata()) != 0 {
				t.Errorf("%s through %s: %s/%s in %s", element, w.name, back.Domain(), back.Reason(), p)
			}
			if w.name == "problem" && (strings.Contains(string(p.body), `"domain":"d.example.com","details"`) || strings.Contains(string(p.body), `"reason":5,"domain":"d.example.com","details"`)) {
				t.Errorf("%s: %s", element, p)
			}
		}
		two := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+element+`,`+jsonEI+`]}}`, 404)
		if two.Reason() != "STOCK_EMPTY" {
			t.Errorf("%s before another: %s", element, describe(two))
		}
	}
}

// X24: binary headers of gRPC are split at commas; the first value counts.
func TestFinding_X24_headers_joined_by_a_comma(t *testing.T) {
	t.Parallel()
	other := base64.RawStdEncoding.EncodeToString(mustMarshal(t, &statuspb.Status{Code: 5, Message: "other"}))
	for _, values := range [][]string{
		{vectorST5 + "," + other}, {vectorST5 + ", " + other}, {vectorST5, other}, {vectorST5 + "==," + other + "="}, {vectorST5 + "," + vectorST5}, {vectorST5 + ","},
	} {
		e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "grpc-message": {"gone"}, "grpc-status-details-bin": values})
		if err != nil || e.Reason() != "STOCK_EMPTY" || e.Message() != "gone" {
			t.Errorf("%q: %s, %v", values, describe(e), err)
		}
		if second := strings.Contains(strings.Join(values, ","), other); second && len(e.Notes()) == 0 {
			t.Errorf("%q: no note", values)
		}
	}
	// A text header is not: a message may have a comma.
	e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "grpc-message": {"gone, again"}})
	if err != nil || e.Message() != "gone, again" {
		t.Errorf("%s, %v", describe(e), err)
	}
}

// X25: Connect writes debug for peers' eyes, and nobody looks at a Carried.
func TestFinding_X25_no_debug_of_a_carried(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"code":-32001,"message":"m","data":["text",` + jsonEI + `]}`,
		`{"code":-32001,"message":"m","data":[` + jsonMYS + `,5]}`,
	} {
		body := errmap.EncodeConnect(decodeText(t, generic, in, 0))
		var parsed struct {
			Details []struct {
				Type  string
				Debug json.RawMessage
			}
		}
		if err := json.Unmarshal(body, &parsed); err != nil {
			t.Fatal(err)
		}
		last := parsed.Details[len(parsed.Details)-1]
		if last.Type != "errmap.v1.Carried" || last.Debug != nil {
			t.Errorf("%s", body)
		}
		for _, d := range parsed.Details {
			if (d.Type == "google.rpc.ErrorInfo") != (d.Debug != nil) {
				t.Errorf("debug of %s: %s", d.Type, body)
			}
		}
	}
}

// X26: a hidden error has the same text on every wire.
func TestFinding_X26_one_text_of_hidden_errors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	guard := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
	for name, e := range map[string]*errmap.Error{
		"From":     errmap.From(errors.New("secret")),
		"Outgoing": guard.Outgoing(ctx, errors.New("secret")),
		"Panicked": guard.Panicked(ctx, "secret"),
		"received": guard.Outgoing(ctx, errmap.NewCode(code.Code_NOT_FOUND, "secret").WithRemote()),
	} {
		for _, w := range allWires {
			p := w.encode(e)
			back, err := w.decode(p)
			if err != nil || back.Message() != "internal error" || back.Code() != code.Code_INTERNAL || strings.Contains(p.String(), "secret") {
				t.Errorf("%s on %s: %s", name, w.name, p)
			}
			if w.name != "grpc" && w.name != "status" && !strings.Contains(p.String(), `"internal error"`) {
				t.Errorf("%s on %s: %s", name, w.name, p)
			}
		}
	}
}

// X27: no program makes a URI in a domain whose errors it does not define.
func TestFinding_X27_no_type_in_another_domain(t *testing.T) {
	t.Parallel()
	for identity, problemType := range map[string]string{
		`"reason":"GONE","domain":"elsewhere.example.net"`:           "about:blank",
		`"reason":"STOCK_EMPTY","domain":"elsewhere.example.net"`:    "about:blank",
		`"reason":"NO_SUCH_ERROR","domain":"a2a-protocol.org"`:       "about:blank",
		`"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"`:      "https://a2a-protocol.org/errors/task-not-found",
		`"reason":"TASK_NOT_FOUND","domain":"A2A-protocol.org"`:      "about:blank",
		`"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org/../x"`: "about:blank",
	} {
		element := `{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` + identity + `}`
		for from, in := range map[string]string{
			generic:      `{"code":-31404,"message":"m","data":[` + element + `]}`,
			"http":       `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + element + `]}}`,
			"statusjson": `{"code":5,"message":"m","details":[` + element + `]}`,
		} {
			got := encodeText(t, "problem", decodeText(t, from, in, 0))
			if !strings.HasPrefix(got, `{"type":"`+problemType+`",`) || !strings.Contains(got, identity) {
				t.Errorf("%s from %s: %s", identity, from, got)
			}
			nobody := errmap.WithCatalog(nil)
			if got := encodeText(t, "problem", decodeText(t, from, in, 0, nobody), nobody); !strings.HasPrefix(got, `{"type":"about:blank",`) {
				t.Errorf("%s without a catalogue: %s", identity, got)
			}
		}
	}
}

// X28: a gateway that answers for a peer that is not there is UNAVAILABLE on every
// wire.
func TestFinding_X28_bad_gateway(t *testing.T) {
	t.Parallel()
	const page = "<html><head><title>502 Bad Gateway</title></head></html>"
	for _, from := range []string{"connect", "http", "problem", "statusjson", "grpc"} {
		for _, in := range []string{page, "", "null"} {
			if e := decodeText(t, from, in, 502); e.Code() != code.Code_UNAVAILABLE || !e.Retryable() || strings.Contains(e.Message(), "html") {
				t.Errorf("%s of %q: %s", from, in, describe(e))
			}
		}
	}
	for _, test := range [][2]string{
		{"http", `{"error":{"code":502,"message":"m"}}`}, {"http", `{"code":502,"message":"m"}`}, {"http", `{"error":"Bad Gateway"}`}, {"problem", `{"title":"Bad Gateway","status":502}`},
		{"http", `{"error":{"code":502,"message":"m","status":"BAD_GATEWAY"}}`},
	} {
		if e := decodeText(t, test[0], test[1], 502); e.Code() != code.Code_UNAVAILABLE || e.HTTPStatus() != 502 {
			t.Errorf("%s: %s", test[1], describe(e))
		}
	}
	if got := errmap.FromHTTPStatus(errmap.WireHTTP, 502).Code(); got != code.Code_UNAVAILABLE {
		t.Errorf("%s", got)
	}
}
