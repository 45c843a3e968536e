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

	"github.com/errmap/errmap/errmap"
)

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
