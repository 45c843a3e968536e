package errmap_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func TestWire_8_value_form(t *testing.T) {
	any := func(m proto.Message) *anypb.Any {
		a, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	inner := any(&durationpb.Duration{Seconds: 1})
	inner.TypeUrl = "type.googleapis.com/acme.v9.Mystery"
	for name, detail := range map[string]*anypb.Any{
		"a type that is not linked":   anyOf("type.googleapis.com/acme.v9.Mystery", "\x08\x96\x01\x12\x01x"),
		"bytes that do not parse":     anyOf("type.googleapis.com/google.rpc.ErrorInfo", "\x0A\xFF"),
		"NaN in a Value":              any(structpb.NewNumberValue(math.NaN())),
		"a Value of no kind":          any(new(structpb.Value)),
		"a Duration out of range":     any(&durationpb.Duration{Seconds: 1 << 50}),
		"the same inside a RetryInfo": any(&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1 << 50}}),
		"an Any that is not linked":   any(inner),
		"text that is not UTF-8":      anyOf("type.googleapis.com/google.rpc.ErrorInfo", "\x0A\x01\xFF"),
		"a type URL without a type":   anyOf("type.googleapis.com/", "x"),
		"no type URL":                 anyOf("", "x"),
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{detail}})
			if err != nil {
				t.Fatal(err)
			}
			element := fmt.Sprintf(`{"@type":%s,"@value":%s}`, quote(detail.GetTypeUrl()), quote(b64(detail.GetValue())))
			for to, want := range map[string]string{
				"http":       `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + element + `]}}`,
				"problem":    `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","details":[` + element + `]}`,
				"statusjson": `{"code":5,"message":"m","details":[` + element + `]}`,
				generic:      `{"code":-31404,"message":"m","data":[` + element + `]}`,
				a2a:          `{"code":-31404,"message":"m","data":[` + element + `]}`,
				mcp:          `{"code":-31404,"message":"m","data":[` + element + `]}`,
			} {
				got := encodeText(t, to, e)
				if got != want {
					t.Errorf("%s: got %s, want %s", to, got, want)
				}
				if s := difference(e, decodeText(t, to, got, 0), exactly); s != "" {
					t.Errorf("%s: %s", to, s)
				}
			}
		})
	}
}

func TestWire_8_value_of_any_other_shape_is_ordinary_JSON(t *testing.T) {
	t.Parallel()
	for element, stands := range map[string]bool{
		`{"@type":"type.googleapis.com/acme.v9.Mystery","@value":"AA==","more":1}`: true,
		`{"@type":"type.googleapis.com/acme.v9.Mystery","@value":5}`:               true,
		`{"@type":"type.googleapis.com/acme.v9.Mystery","@value":"!"}`:             true,
		`{"@value":"AA=="}`:           false, // without a string as type it rides along
		`{"@type":5,"@value":"AA=="}`: false,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","@value":"AA==","reason":"R"}`: true,
	} {
		e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+element+`]}}`, 0)
		if text, ok := e.Details()[0].JSON(); !ok || string(text) != element {
			t.Errorf("%s: %s", element, describe(e))
		}
		want := `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + element + `]}}`
		if !stands {
			want = `{"error":{"code":404,"message":"m","status":"NOT_FOUND","errmap":{"details":[{"json":` + quote(element) + `}],"check":"zyJpBA=="}}}`
		}
		if got := encodeText(t, "http", e); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, padding := range []string{"CJYBEgF4", "CJYBEgF4eA==", "CJYBEgF4eA", "-_8"} {
		e := decodeText(t, "http", `{"error":{"code":404,"details":[{"@value":"`+padding+`","@type":"a.B"}]}}`, 0)
		if _, ok := e.Details()[0].Value(); !ok {
			t.Errorf("%s: %s", padding, describe(e))
		}
	}
}

// Fields that a schema does not know ride in Carried, the ProtoJSON is plain.
func TestWire_8_unknown_fields_of_a_linked_detail(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "connect", `{"code":"not_found","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"`+vectorEIX+`"}]}`, 0)
	carried := decodeCarried(t, encodeText(t, "http", e))
	if len(carried.GetDetails()) != 1 || len(carried.GetReceived()) != 0 {
		t.Fatalf("%v", carried)
	}
	d := carried.GetDetails()[0]
	if b64raw(d.GetValue()) != vectorEIX || !d.GetPlain() || d.GetPlace() != 0 || d.GetTypeUrl() != "type.googleapis.com/google.rpc.ErrorInfo" {
		t.Errorf("%v", d)
	}
	for _, w := range allWires {
		back, p := hop(t, e, w)
		if got, _ := back.Details()[0].Value(); b64raw(got) != vectorEIX {
			t.Errorf("%s: %x in %s", w.name, got, p)
		}
	}
}

// The check, made here without the code that makes it there.
func TestWire_8_check(t *testing.T) {
	t.Parallel()
	sum := func(s string) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))) }
	e := decodeText(t, "http", `{"error":{"code":404,"message":"mé","status":"NOT_FOUND","extra":1,"details":[`+jsonEI+`,`+jsonMYS+`,{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.5s"},{}]}}`, 0)
	var want []byte
	for _, s := range []string{
		"NOT_FOUND\nmé",
		"google.rpc.ErrorInfo", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"shop.example.com","metadata":{"sku":"A1"},"reason":"STOCK_EMPTY"}`,
		"acme.v9.Mystery", "",
		"google.protobuf.Duration", `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.500s"}`,
		"", `{}`,
	} {
		switch {
		case s == "" && len(want) == 16:
			want = append(want, 0, 0, 0, 0) // the writer cannot say it
		default:
			want = append(want, sum(s)...)
		}
	}
	for _, to := range []string{"statusjson", generic, "problem"} {
		if got := decodeCarried(t, encodeText(t, to, e)).GetCheck(); string(got) != string(want) {
			t.Errorf("%s: %x, want %x", to, got, want)
		}
	}
	if got := carriedOf(t, e.Status()).GetCheck(); string(got) != string(want) {
		t.Errorf("status: %x, want %x", got, want)
	}
}

// A number that no double is, a lone surrogate, a name twice: RFC 8785 cannot say
// them, so the check is 0 and the detail agrees by type.
func TestWire_8_check_of_what_has_no_canonical_form(t *testing.T) {
	t.Parallel()
	sum := func(s string) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))) }
	zero := []byte{0, 0, 0, 0}
	for element, want := range map[string][]byte{
		`9007199254740993`: zero, `12345678901234567890123`: zero, `1e400`: zero, `-0`: zero, `"\ud800"`: zero, `{"a":1,"a":1}`: zero, `0.1000000000000000055511`: zero,
		`1.0`: sum(`1`), `0.1`: sum(`0.1`), `0`: sum(`0`), `1E2`: sum(`100`), `{"b":1,"a":"\u00e9"}`: sum(`{"a":"é","b":1}`), `"x"`: sum(`"x"`), `1e-400`: zero,
	} {
		e := decodeText(t, generic, `{"code":-32001,"message":"m","data":[`+element+`,`+jsonRI+`]}`, 0) // a number that MCP may not repeat
		check := decodeCarried(t, encodeText(t, mcp, e.WithMessage("n"))).GetCheck()
		if len(check) != 20 || string(check[8:12]) != string(want) {
			t.Errorf("%s: %x, want %x", element, check, want)
		}
	}
}

func TestWire_8_carried_holds_the_difference_only(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "problem", `{"type":"https://x.example.com/p","title":"T","status":410,"detail":"m","code":"NOT_FOUND","instance":"/a/1","details":["text",`+jsonEI+`]}`, 410)
	if c := decodeCarried(t, encodeText(t, "problem", e)); len(c.GetReceived()) != 0 || len(c.GetDetails()) != 1 {
		t.Errorf("on its own wire: %v", c) // only the element that no problem shows
	}
	if c := carriedOf(t, e.Status()); len(c.GetDetails()) != 1 || c.GetDetails()[0].GetJson() != `"text"` || len(c.GetReceived()) != 2 ||
		c.GetReceived()[0].GetWire() != errmapv1.Wire_WIRE_HTTP || c.GetReceived()[0].GetHttpStatus() != 410 ||
		c.GetReceived()[1].GetMembers() != `{"instance":"/a/1","title":"T","type":"https://x.example.com/p"}` {
		t.Errorf("on another: %v", c)
	}
	shelf := decodeText(t, "http", `{"error":{"code":409,"message":"m","status":"SHELF_FULL","details":["x"]}}`, 409)
	text := encodeText(t, "http", shelf)
	if c := decodeCarried(t, text); !strings.Contains(text, `"status":"SHELF_FULL"`) || len(c.GetReceived()) != 0 || len(c.GetDetails()) != 1 {
		t.Errorf("a name that stands again: %s", text)
	}
	plain := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[`+jsonEI+`]}}`, 404)
	for _, w := range allWires {
		if _, p := hop(t, plain, w); carries(p) {
			t.Errorf("%s carries nothing new: %s", w.name, p)
		}
	}
}

func TestWire_8_carried_among_appended_details(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","extra":1,"details":[`+jsonEI+`]}}`, 0)
	s := e.Status()
	s.Details = append(s.Details, anyOf("type.googleapis.com/google.rpc.Help", ""))
	back, err := errmap.FromStatus(s)
	if err != nil || len(back.Details()) != 2 || back.Details()[1].Name() != "google.rpc.Help" || len(back.Received()) != 1 {
		t.Errorf("%s, %v", describe(back), err)
	}
}

func TestWire_8_prefixes_are_not_compared(t *testing.T) {
	t.Parallel()
	s := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","extra":1,"details":[`+jsonEI+`]}}`, 0).Status()
	s.Details[0].TypeUrl = "types.example.com/google.rpc.ErrorInfo"
	s.Details[1].TypeUrl = "types.example.com/errmap.v1.Carried"
	if back, err := errmap.FromStatus(s); err != nil || len(back.Received()) != 1 || len(back.Notes()) != 0 {
		t.Errorf("%s, %v", describe(back), err)
	}
}

// A reader that does not link a type takes its detail by type.
func TestWire_8_details_that_the_reader_cannot_render_agree_by_type(t *testing.T) {
	t.Parallel()
	tea := newCatalog(t, schematest.Compile(t, teaSchema))
	e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","extra":1,"details":[{"@type":"type.googleapis.com/tea.v1.TeapotError","pot":"p"}]}}`, 0, errmap.WithCatalog(tea))
	s := e.Status(errmap.WithCatalog(tea))
	if back, err := errmap.FromStatus(s, errmap.WithCatalog(nil)); err != nil || len(back.Received()) != 1 {
		t.Errorf("%s, %v", describe(back), err)
	}
	s.Details[0].Value = []byte("\x0a\x05other")
	if back, err := errmap.FromStatus(s, errmap.WithCatalog(nil)); err != nil || len(back.Received()) != 1 {
		t.Errorf("by type: %s, %v", describe(back), err)
	}
	if back, err := errmap.FromStatus(s, errmap.WithCatalog(tea)); err != nil || len(back.Received()) != 0 || len(back.Notes()) == 0 {
		t.Errorf("linked: %s, %v", describe(back), err)
	}
}

// Each way in which a Carried is not to be believed is told in a note.
func TestWire_8_carried_that_is_dropped(t *testing.T) {
	t.Parallel()
	head := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("NOT_FOUND\nm")))
	info := anyOf("type.googleapis.com/google.rpc.ErrorInfo", "\x0a\x01R")
	withInfo := append(append([]byte{}, head...), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("google.rpc.ErrorInfo"))),
		crc32.ChecksumIEEE([]byte(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}`)))...)
	detail := func(place uint32, plain bool, d *errmapv1.CarriedDetail) []*errmapv1.CarriedDetail {
		d.Place, d.Plain = place, plain
		return []*errmapv1.CarriedDetail{d}
	}
	bytesOf := func(typeURL, value string) *errmapv1.CarriedDetail {
		return &errmapv1.CarriedDetail{TypeUrl: typeURL, Content: &errmapv1.CarriedDetail_Value{Value: []byte(value)}}
	}
	jsonOf := func(text string) *errmapv1.CarriedDetail {
		return &errmapv1.CarriedDetail{Content: &errmapv1.CarriedDetail_Json{Json: text}}
	}
	const rpcInfo = "type.googleapis.com/google.rpc.ErrorInfo"
	for _, test := range []struct {
		name    string
		carried *errmapv1.Carried
		plain   []*anypb.Any
		dropped bool
	}{
		{"one that agrees", &errmapv1.Carried{Check: withInfo}, []*anypb.Any{info}, false},
		{"an empty check", &errmapv1.Carried{}, nil, true},
		{"a check of another length", &errmapv1.Carried{Check: head}, []*anypb.Any{info}, true},
		{"a longer unknown field in the plain one", &errmapv1.Carried{Check: withInfo, Details: detail(0, true, bytesOf(rpcInfo, "\x0a\x01R\x9a\x06\x02hi"))}, []*anypb.Any{info}, false},
		{"a type that nobody links", &errmapv1.Carried{Check: append(append(append([]byte{}, head...), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("b.C")))...), 0, 0, 0, 0)}, []*anypb.Any{anyOf("a/b.C", "x")}, false},
		{"another type that nobody links", &errmapv1.Carried{Check: append(append(append([]byte{}, head...), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("b.C")))...), 0, 0, 0, 0)}, []*anypb.Any{anyOf("a/b.D", "x")}, true},
		{"another value than the plain one", &errmapv1.Carried{Check: withInfo, Details: detail(0, true, bytesOf(rpcInfo, "\x0a\x01X"))}, []*anypb.Any{info}, true},
		{"a value that lacks what the plain one says", &errmapv1.Carried{Check: withInfo, Details: detail(0, true, bytesOf(rpcInfo, "\x12\x01d"))}, []*anypb.Any{info}, true},
		{"another type than the plain one", &errmapv1.Carried{Check: withInfo, Details: detail(0, true, bytesOf("a/google.rpc.Help", ""))}, []*anypb.Any{info}, true},
		{"a detail of google.rpc that stands for none", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, bytesOf(rpcInfo, "\x0a\x01X"))}, []*anypb.Any{info}, true},
		{"the same as JSON", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, jsonOf(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"X","extra":1}`))}, []*anypb.Any{info}, true},
		{"bytes that could be plain", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, bytesOf("a/b.C", ""))}, []*anypb.Any{info}, true},
		{"JSON that a Status cannot show", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, jsonOf(`[1]`))}, []*anypb.Any{info}, false},
		{"JSON that is none", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, jsonOf(`{`))}, []*anypb.Any{info}, true},
		{"a place beyond the list", &errmapv1.Carried{Check: withInfo, Details: detail(5, false, jsonOf(`1`))}, []*anypb.Any{info}, true},
		{"a place for which no plain one stands", &errmapv1.Carried{Check: withInfo, Details: detail(1, true, jsonOf(`1`))}, []*anypb.Any{info}, true},
		{"a detail without content", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, &errmapv1.CarriedDetail{})}, []*anypb.Any{info}, true},
		{"a detail without content that stands for one without value", &errmapv1.Carried{Check: append(append(append([]byte{}, head...), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("b.C")))...), 0, 0, 0, 0), Details: detail(0, true, &errmapv1.CarriedDetail{TypeUrl: "a/b.C"})}, []*anypb.Any{anyOf("a/b.C", "")}, true}, // A21
		{"places that go back", &errmapv1.Carried{Check: withInfo, Details: append(detail(1, false, jsonOf(`1`)), detail(0, false, jsonOf(`1`))...)}, []*anypb.Any{info}, true},
		{"a Carried in it", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, bytesOf("a/errmap.v1.Carried", ""))}, []*anypb.Any{info}, true},
		{"a Carried in it as JSON", &errmapv1.Carried{Check: withInfo, Details: detail(1, false, jsonOf(`{"@type":"a/errmap.v1.Carried","x":1}`))}, []*anypb.Any{info}, true},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			a, err := anypb.New(test.carried)
			if err != nil {
				t.Fatal(err)
			}
			e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: append(append([]*anypb.Any{}, test.plain...), a)})
			if err != nil {
				t.Fatal(err)
			}
			if dropped := strings.Contains(strings.Join(e.Notes(), ""), "errmap.v1.Carried dropped"); dropped != test.dropped {
				t.Errorf("%s", describe(e))
			}
			if test.dropped && len(e.Details()) != len(test.plain) {
				t.Errorf("%s", describe(e))
			}
		})
	}
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{anyOf("a/errmap.v1.Carried", "\xff")}})
	if err != nil || len(e.Details()) != 0 || len(e.Notes()) != 1 {
		t.Errorf("broken bytes: %s, %v", describe(e), err)
	}
}

// What a later reader finds new on its wire is added; where both say something,
// Carried's stands.
func TestWire_8_received_is_added_to(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","trace":"old"}}`, 410)
	body := strings.Replace(encodeText(t, "statusjson", e), `{"code":5`, `{"new":1,"code":5`, 1)
	back := decodeText(t, "statusjson", body, 0)
	if r := back.Received(); len(r) != 2 || string(r[0].Members) != `{"new":1}` || string(r[1].Members) != `{"trace":"old"}` {
		t.Errorf("%s", describe(back))
	}
	_, member, _ := strings.Cut(encodeText(t, "statusjson", back), `"errmap":`)
	again := `{"error":{"trace":"newer","added":2,"code":404,"message":"m","status":"NOT_FOUND","errmap":` + member + `}`
	last := decodeText(t, "http", again, 0)
	if r := last.Received(); len(r) != 1 || string(r[0].Members) != `{"added":2,"trace":"old"}` || len(last.Notes()) != 1 {
		t.Errorf("%s\n\tof %s", describe(last), again)
	}
	// On its own wire a member stands again, and stands alone.
	own := strings.Replace(encodeText(t, "http", back), `{"code":404`, `{"added":2,"code":404`, 1)
	if strings.Count(own, "trace") != 1 || strings.Contains(own, `\"trace`) {
		t.Errorf("%s", own)
	}
	last = decodeText(t, "http", own, 0)
	if r := last.Received(); len(r) != 2 || string(r[0].Members) != `{"new":1}` || string(r[1].Members) != `{"added":2,"trace":"old"}` || len(last.Notes()) != 0 {
		t.Errorf("%s\n\tof %s", describe(last), own)
	}
}

// What a Carried says of other wires is no more than they could have said.
func TestWire_8_received_that_no_wire_said(t *testing.T) {
	t.Parallel()
	check := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("NOT_FOUND\nm")))
	carried := &errmapv1.Carried{Check: check, Received: []*errmapv1.Received{
		{Wire: errmapv1.Wire_WIRE_UNSPECIFIED, Number: "1"},
		{Wire: errmapv1.Wire_WIRE_HTTP, HttpStatus: -1, Members: `{"x":`},
		{Wire: errmapv1.Wire_WIRE_PROBLEM, HttpStatus: 99999},
		{Wire: errmapv1.Wire_WIRE_STATUS, UnknownFields: []byte{0x08, 0x07}},
		{Wire: errmapv1.Wire_WIRE_GRPC, UnknownFields: []byte{0xFF}, Number: "42"},
		{Wire: errmapv1.Wire_WIRE_CONNECT, CodeText: "first"},
		{Wire: errmapv1.Wire_WIRE_CONNECT, CodeText: "second"},
		{Wire: 77, Number: "of a wire to come"},
	}}
	for range 50_000 {
		carried.Received = append(carried.Received, &errmapv1.Received{Wire: errmapv1.Wire(len(carried.Received)), Number: "1"})
	}
	a, err := anypb.New(carried)
	if err != nil {
		t.Fatal(err)
	}
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{a}})
	if err != nil || e.Number() != 5 || e.HTTPStatus() != 404 {
		t.Fatalf("%v, %v", e, err)
	}
	r := e.Received()
	if len(r) < 50_000 || r[0].CodeText != "first" || r[1].Wire == errmap.WireGRPC || slices.ContainsFunc(r, func(r errmap.Received) bool { return r.Wire == errmap.WireStatus }) {
		t.Errorf("%d: %+v", len(r), r[:3])
	}
}

func TestWire_8_JSON_elements_on_binary_wires(t *testing.T) {
	t.Parallel()
	e := decodeText(t, generic, `{"code":-31404,"message":"m","data":["text",{"@type":"type.googleapis.com/acme.v9.Mystery","n":1},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","metadata":{"n":5,"ok":true,"x":null,"o":{"a":1.0}},"extra":1}]}`, 0)
	s := e.Status()
	if len(s.GetDetails()) != 2 {
		t.Fatalf("%v", s)
	}
	info := new(errdetails.ErrorInfo)
	if err := s.GetDetails()[0].UnmarshalTo(info); err != nil || info.GetReason() != "R" || info.GetDomain() != "d" ||
		len(info.GetMetadata()) != 3 || info.GetMetadata()["n"] != "5" || info.GetMetadata()["ok"] != "true" || info.GetMetadata()["o"] != `{"a":1.0}` {
		t.Errorf("%v, %v", info, err)
	}
	if c := carriedOf(t, s); len(c.GetDetails()) != 3 || c.GetDetails()[0].GetPlain() || c.GetDetails()[1].GetPlain() || !c.GetDetails()[2].GetPlain() {
		t.Errorf("%v", c)
	}
	if e.Reason() != "R" || e.ErrorInfo().GetMetadata()["n"] != "5" {
		t.Errorf("typed look-up: %v", e.ErrorInfo())
	}
}

// ProtoJSON that changes a number is not the message.
func TestWire_8_numbers_must_come_back(t *testing.T) {
	t.Parallel()
	for element, message := range map[string]bool{
		`{"@type":"type.googleapis.com/google.protobuf.Value","value":1.0}`:                           true,
		`{"@type":"type.googleapis.com/google.protobuf.Value","value":9007199254740993}`:              false,
		`{"@type":"type.googleapis.com/google.protobuf.Value","value":12345678901234567890}`:          false,
		`{"@type":"type.googleapis.com/google.protobuf.Value","value":0.1}`:                           true,
		`{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":[1e2,0,-0]}}`:             true,
		`{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":3.14159265358979323846}}`: false,
		`{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9007199254740993"}`:       true,
		`{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":9007199254740993}`:         true,
		`{"@type":"type.googleapis.com/google.protobuf.FloatValue","value":0.1}`:                      true,
		`{"@type":"type.googleapis.com/google.protobuf.FloatValue","value":0.12345678901}`:            false,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","extra":1}`:                 false,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":5}`:                             false,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":null}`:                          true,
	} {
		e := decodeText(t, "statusjson", `{"code":5,"details":[`+element+`]}`, 0)
		if _, ok := e.Details()[0].Value(); ok != message {
			t.Errorf("%s: a message: %v", element, ok)
		}
	}
}

func TestWithoutCarried(t *testing.T) {
	t.Parallel()
	seen := 0
	for i := range cases(t, 300) {
		g := newGenerator(seed(t)+9000, uint64(i))
		e, _, _ := g.received()
		if slices.ContainsFunc(e.Details(), func(d errmap.RawDetail) bool {
			value, _ := d.Value()
			text, _ := d.JSON()
			return bytes.Contains(append(value, text...), []byte("errmap.v1.Carried"))
		}) {
			continue // one inside a detail is the detail's own
		}
		for _, w := range allWires {
			var notes []string
			p := w.encode(e, errmap.WithoutCarried(), errmap.WithNotes(func(s string) { notes = append(notes, s) }))
			if carries(p) || w.json && !validJSON(p.body) {
				t.Fatalf("case %d, %s: %s", i, w.name, p)
			}
			back, err := w.decode(p)
			if err != nil || back.Code() != e.Code() || back.Message() != e.Message() {
				t.Fatalf("case %d, %s: %s, %v of %s", i, w.name, describe(back), err, p)
			}
			lost := difference(e, back, exactly)
			if lost != "" {
				seen++
			}
			// A number that the writer chose itself may be news to the reader.
			if less := difference(e, back, acrossCatalogs); less != "" && notes == nil {
				t.Fatalf("case %d, %s: lost %q, notes %q\n\t%s", i, w.name, lost, notes, p)
			}
			if with := w.encode(e); w.json && lost == "" && !carries(with) && with.String() != p.String() {
				t.Fatalf("case %d, %s: another form\n\t%s\n\t%s", i, w.name, with, p)
			}
		}
	}
	if seen == 0 {
		t.Error("nothing rode along")
	}
	s := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","extra":1,"details":[`+jsonEI+`]}}`, 0).Status(errmap.WithoutCarried())
	if b, err := protojson.Marshal(s); err != nil || strings.Contains(string(b), "Carried") {
		t.Errorf("%s, %v", b, err)
	}
}

// decodeCarried finds the Carried in a JSON body: the member errmap, or the last
// detail.
func decodeCarried(t testing.TB, body string) *errmapv1.Carried {
	t.Helper()
	i, c := strings.Index(body, `"errmap":{`)+len(`"errmap":`), new(errmapv1.Carried)
	if i < len(`"errmap":`) {
		if i = strings.Index(body, `{"@type":"type.googleapis.com/errmap.v1.Carried"`); i < 0 {
			t.Fatalf("no Carried in %s", body)
		}
		c = nil
	}
	depth := 0
	for j := i; j < len(body); j++ {
		switch body[j] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			if c != nil {
				if err := protojson.Unmarshal([]byte(body[i:j+1]), c); err == nil {
					return c
				}
				continue
			}
			a := new(anypb.Any)
			if err := protojson.Unmarshal([]byte(body[i:j+1]), a); err == nil {
				c = new(errmapv1.Carried)
				if err := a.UnmarshalTo(c); err != nil {
					t.Fatal(err)
				}
				return c
			}
		}
	}
	t.Fatalf("no Carried in %s", body)
	return nil
}

func carriedOf(t testing.TB, s *statuspb.Status) *errmapv1.Carried {
	t.Helper()
	place := carriedPlace(s)
	if place != len(s.GetDetails())-1 || place < 0 {
		t.Fatalf("the Carried is at %d of %v", place, s)
	}
	c := new(errmapv1.Carried)
	if err := s.GetDetails()[place].UnmarshalTo(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// carries tells whether a Carried stands in what was written.
func carries(p packet) bool {
	return strings.Contains(p.String(), "errmap.v1.Carried") || bytes.Contains(p.body, []byte(`"errmap":{`))
}
