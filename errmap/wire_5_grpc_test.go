package errmap_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

func TestWire_5_grpc_message_is_percent_encoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"gone": "gone", "line1\r\nline2 é 100%": "line1%0D%0Aline2 %C3%A9 100%25", " a b ": "%20a b%20", "~ \x7f": "~ %7F", "\x00\t": "%00%09", "%41": "%2541", "": "", " ": "%20", "  ": "%20%20",
	} {
		h := errmap.EncodeGRPC(errmap.NewCode(5, text))
		if h.Message != want || h.Status != "5" || h.DetailsBin != "" {
			t.Errorf("%q: %+v, want %q", text, h, want)
		}
		if back, err := errmap.DecodeGRPC(h.Map()); err != nil || back.Message() != text {
			t.Errorf("%q came back as %q, %v", text, back.Message(), err)
		}
	}
	for wire, want := range map[string]string{"%41": "A", "%4": "%4", "%": "%", "%zz": "%zz", "%c3%a9": "é", "%+1": "%+1", "a%": "a%", "caf%E9": "caf�", "100%25": "100%"} {
		if e := decodeText(t, "grpc", "grpc-status: 5\ngrpc-message: "+wire, 0); e.Message() != want {
			t.Errorf("%q read as %q, want %q", wire, e.Message(), want)
		}
	}
}

func TestWire_5_grpc(t *testing.T) {
	runRows(t, []row{
		{rule: "details only where there are details", from: "connect", in: `{"code":"not_found","message":"gone"}`, to: "grpc", want: "grpc-status: 5\ngrpc-message: gone"},
		{rule: "details unpadded", from: "grpc", in: "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: " + vectorST5, to: "grpc", want: "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: " + vectorST5},
		{rule: "details read padded", from: "grpc", in: "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: CAUSBGdvbmU=", to: "connect", want: `{"code":"not_found","message":"gone"}`},
		{rule: "names of any case", from: "grpc", in: "Grpc-Status: 5\nGRPC-MESSAGE: gone", to: "connect", want: `{"code":"not_found","message":"gone"}`},
		{rule: "any status that is not zero wins", from: "grpc", in: "grpc-status: 0\ngrpc-status: 5\ngrpc-status: 0\ngrpc-message: m", to: "connect", want: `{"code":"not_found","message":"m"}`, note: "\"0\" stands beside"},
		{rule: "a number wins over what is none", from: "grpc", in: "grpc-status: abc\ngrpc-status: 5\ngrpc-message: m", to: "connect", want: `{"code":"not_found","message":"m"}`, note: "\"abc\" stands beside"},
		{rule: "what is no number wins over zero", from: "grpc", in: "grpc-status: 0\ngrpc-status: abc\ngrpc-message: m", to: "", note: "is no number"},
		{rule: "grpc-status decides and keeps the details", from: "grpc", in: "grpc-status: 9\ngrpc-message: m\ngrpc-status-details-bin: " + vectorST5, to: "connect",
			want: `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `}]}`, note: "says code 5"},
		{rule: "code 0 in the details", from: "grpc", in: "grpc-status: 9\ngrpc-status-details-bin: " + vectorST0, to: "connect",
			want: `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `}]}`, note: "says code 0"},
		{rule: "the header message stands where codes differ", from: "grpc", in: "grpc-status: 9\ngrpc-message: header\ngrpc-status-details-bin: " + vectorST0, to: "",
			note: "says code 0"},
		{rule: "codes agree and the Status message stands", from: "grpc", in: "grpc-status: 5\ngrpc-message: header\ngrpc-status-details-bin: CAUSBGdvbmU", to: "connect", want: `{"code":"not_found","message":"gone"}`, note: "is not the message"},
		{rule: "unless it is empty", from: "grpc", in: "grpc-status: 5\ngrpc-message: header\ngrpc-status-details-bin: CAU", to: "connect", want: `{"code":"not_found","message":"header"}`},
		{rule: "the first of two details counts", from: "grpc", in: "grpc-status: 5\ngrpc-status-details-bin: CAUSBGdvbmU\ngrpc-status-details-bin: !", to: "connect", want: `{"code":"not_found","message":"gone"}`, note: "\"!\" stands beside"},
		{rule: "details that are no base64", from: "grpc", in: "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: !", to: "connect", want: `{"code":"not_found","message":"m"}`, note: "it is not base64"},
		{rule: "details that are no Status", from: "grpc", in: "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: CAUS", to: "connect", want: `{"code":"not_found","message":"m"}`, note: "not a google.rpc.Status"},
		{rule: "an ErrorInfo without its Status", from: "grpc", in: "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: " + vectorEI, to: "connect", want: `{"code":"not_found","message":"m"}`, note: "details dropped"},
	})
}

// A Status whose code is another, and that is malformed, loses all its details.
func TestWire_5_details_of_another_code_need_type_URLs_and_wire_types(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"a type URL without a slash": mustMarshal(t, &statuspb.Status{Code: 5, Details: append(errmap.NewCode(5, "").WithRetryDelay(1).Status().GetDetails(), anyOf("noslash", "x"))}),
		"a wrong wire type":          append(mustMarshal(t, errmap.NewCode(5, "").WithRetryDelay(1).Status()), 0x0A, 0x01, 'x'),
	} {
		e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"9"}, "grpc-message": {"m"}, "grpc-status-details-bin": {base64.RawStdEncoding.EncodeToString(b)}})
		if err != nil || e.Code() != 9 || len(e.Details()) != 0 || !strings.Contains(strings.Join(e.Notes(), ""), "details dropped") {
			t.Errorf("%s: %s, %v", name, describe(e), err)
		}
		e, err = errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "grpc-message": {"m"}, "grpc-status-details-bin": {base64.RawStdEncoding.EncodeToString(b)}})
		if err != nil || len(e.Details()) == 0 {
			t.Errorf("%s where the codes agree: %s, %v", name, describe(e), err)
		}
	}
}

func TestWire_5_status_that_is_not_UTF8_is_read_field_by_field(t *testing.T) {
	t.Parallel()
	b := append([]byte{0x08, 0x05, 0x12, 0x04, 'c', 'a', 'f', 0xE9}, mustMarshal(t, &statuspb.Status{Details: errmap.NewCode(5, "").WithRetryDelay(time.Second).Status().GetDetails()})...)
	b = append(b, 0x1A, 0x05, 0x0A, 0x03, 'a', '/', 0xFF)
	e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "grpc-status-details-bin": {base64.RawStdEncoding.EncodeToString(b)}})
	if err != nil || e.Message() != "caf\uFFFD" || len(e.Details()) != 2 || e.Details()[1].TypeURL() != "a/\uFFFD" {
		t.Fatalf("%s, %v", describe(e), err)
	}
	if delay, ok := e.RetryDelay(); !ok || delay != time.Second {
		t.Errorf("delay %v, %v", delay, ok)
	}
}

func TestWire_5_without_grpc_status(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeGRPC(nil, errmap.WithHTTPStatus(502))
	if err != nil || e.Code() != code.Code_UNAVAILABLE || e.HTTPStatus() != 502 {
		t.Errorf("%v, %v", e, err)
	}
}

// quiet keeps what a budget takes out of the log.
var quiet = errmap.WithNotes(func(string) {})

func TestWire_5_details_larger_than_the_limit(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "grpc", "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: "+vectorST5, 0, errmap.WithLimits(errmap.Limits{Body: 20}))
	if e.Message() != "m" || len(e.Details()) != 0 || !strings.Contains(strings.Join(e.Notes(), ""), "larger than the limit") {
		t.Errorf("%s", describe(e))
	}
}

// budgeted is an error with everything that a budget takes out in turn.
func budgeted(t *testing.T) *errmap.Error {
	t.Helper()
	s := errmap.NewCode(code.Code_UNAVAILABLE, strings.Repeat("é", 300)).
		WithDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"big": strings.Repeat("b", 400), "small": "s"}}).
		WithDetail(&errdetails.DebugInfo{Detail: strings.Repeat("d", 10_000)}).
		WithDetail(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: strings.Repeat("h", 300)}}}).
		WithDetail(&errdetails.LocalizedMessage{Message: strings.Repeat("l", 300)}).
		WithDetail(&errdetails.RequestInfo{RequestId: strings.Repeat("r", 200)}).
		WithDetail(&errdetails.ResourceInfo{ResourceName: strings.Repeat("n", 700)}).
		WithRetryDelay(3 * time.Second).Status()
	e, err := errmap.FromStatus(s)
	if err != nil {
		t.Fatal(err)
	}
	_, body := errmap.EncodeHTTP(e)
	e, err = errmap.DecodeHTTP([]byte(strings.Replace(string(body), `{"code":503`, `{"trace":"`+strings.Repeat("t", 500)+`","code":503`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// has tells which parts of an error are there, in the order in which a budget
// takes them.
func has(e *errmap.Error) string {
	var out []string
	add := func(name string, there bool) {
		if there {
			out = append(out, name)
		}
	}
	_, debug := errmap.Detail[*errdetails.DebugInfo](e)
	_, help := errmap.Detail[*errdetails.Help](e)
	_, localized := errmap.Detail[*errdetails.LocalizedMessage](e)
	_, resource := errmap.Detail[*errdetails.ResourceInfo](e)
	_, request := errmap.Detail[*errdetails.RequestInfo](e)
	_, retry := e.RetryDelay()
	add("carried", len(e.Received()) > 0)
	add("debug", debug)
	add("help", help)
	add("localized", localized)
	add("resource", resource)
	add("request", request)
	add("whole message", len(e.Message()) == 600)
	add("part of it", len(e.Message()) > 0 && len(e.Message()) < 600)
	add("big", e.ErrorInfo().GetMetadata()["big"] != "")
	add("small", e.ErrorInfo().GetMetadata()["small"] != "")
	add("retry", retry)
	add("identity", e.Reason() == "STOCK_EMPTY" && e.Domain() == "shop.example.com")
	return strings.Join(out, ", ")
}

func TestWire_5_budget_takes_parts_in_order(t *testing.T) {
	t.Parallel()
	e := budgeted(t)
	const tail = "big, small, retry, identity"
	for _, test := range []struct {
		budget int
		want   string
	}{
		{-1, "carried, debug, help, localized, resource, request, whole message, " + tail},
		{20_010, "carried, debug, help, localized, resource, request, whole message, " + tail},
		{20_009, "debug, help, localized, resource, request, whole message, " + tail}, // the JSON texts come last
		{19_000, "carried, help, localized, resource, request, whole message, " + tail},
		{0, "carried, help, localized, resource, request, whole message, " + tail}, // 7 KiB
		{6500, "help, localized, resource, request, whole message, " + tail},
		{5000, "resource, request, whole message, " + tail},
		{4800, "help, localized, request, whole message, " + tail}, // what does not fit is skipped
		{3900, "request, whole message, " + tail},
		{3600, "whole message, " + tail},
		{2000, "part of it, " + tail},
		{850, "big, small, retry, identity"},
		{500, "part of it, small, retry, identity"},
		{300, "small, retry, identity"},
		{280, "retry, identity"},
		{230, "small, identity"},
		{210, "identity"},
		{190, "retry"},
		{120, "part of it"},
		{80, ""},
		{12, ""},
		{1, ""},
	} {
		var notes []string
		h := errmap.EncodeGRPC(e, errmap.WithBudget(test.budget), errmap.WithNotes(func(s string) { notes = append(notes, s) }))
		size := 0
		for name, values := range h.Map() {
			size += len(name) + len(values[0]) + 32 // as HTTP/2 counts a line
		}
		limit := test.budget
		if limit == 0 {
			limit = errmap.DefaultBudget
		}
		if limit > 45 && size > limit { // the code is there at any rate
			t.Errorf("budget %d: %d bytes", test.budget, size)
		}
		back, err := errmap.DecodeGRPC(h.Map())
		if err != nil || back.Code() != code.Code_UNAVAILABLE {
			t.Fatalf("budget %d: %v, %v", test.budget, back, err)
		}
		if got := has(back); got != test.want {
			t.Errorf("budget %d: %s\n\twant %s", test.budget, got, test.want)
		}
		if whole := strings.HasPrefix(test.want, "carried, debug"); whole == (len(notes) > 0) {
			t.Errorf("budget %d: notes %q", test.budget, notes)
		}
		if strings.ContainsRune(back.Message(), '\uFFFD') {
			t.Errorf("budget %d: the message was cut inside a rune", test.budget)
		}
		if s := errmap.EncodeGRPC(e, errmap.WithBudget(test.budget), quiet); s != h {
			t.Errorf("budget %d: two encodings", test.budget)
		}
	}
}

// The message is the same in both places, whatever was cut.
func TestWire_5_budget_cuts_the_message_in_both_places(t *testing.T) {
	t.Parallel()
	e := budgeted(t)
	for budget := 40; budget < 4000; budget += 97 {
		h := errmap.EncodeGRPC(e, errmap.WithBudget(budget), quiet)
		if h.DetailsBin == "" {
			continue
		}
		b, err := base64.RawStdEncoding.DecodeString(h.DetailsBin)
		if err != nil {
			t.Fatal(err)
		}
		s := new(statuspb.Status)
		if err := proto.Unmarshal(b, s); err != nil {
			t.Fatal(err)
		}
		if got := errmap.PercentDecode(h.Message); got != s.GetMessage() {
			t.Errorf("budget %d: header %q, Status %q", budget, got, s.GetMessage())
		}
	}
}

// RetryInfo, reason and domain go last, the code never: whatever the sizes are.
func TestWire_5_budget_holds_for_random_errors(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 400) {
		g := newGenerator(seed(t)+7000, uint64(i))
		e, _, _ := g.received()
		budget := 12 + 11 + g.IntN(600)
		h := errmap.EncodeGRPC(e, errmap.WithBudget(budget), quiet)
		size := 0
		for name, values := range h.Map() {
			size += len(name) + len(values[0])
		}
		back, err := errmap.DecodeGRPC(h.Map())
		if err != nil || size > budget || back.Code() != e.Code() || !strings.HasPrefix(e.Message(), back.Message()) {
			t.Fatalf("case %d, budget %d: %d bytes, %v\n\tof  %s\n\tout %s", i, budget, size, err, describe(e), h)
		}
		if h.Status != fmt.Sprint(e.Number()) && e.Number() > 0 {
			t.Fatalf("case %d: status %s of %d", i, h.Status, e.Number())
		}
	}
}

func TestDecodeGRPC_names_that_differ_in_case(t *testing.T) {
	t.Parallel()
	for range 50 {
		e, err := errmap.DecodeGRPC(map[string][]string{"Grpc-Status": {"5"}, "GRPC-STATUS": {"7"}, "GRPC-Status": {"9"}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Number() != 7 {
			t.Fatalf("%s: the order of a map decides", describe(e))
		}
	}
}
