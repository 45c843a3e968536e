package rpcjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/internal/rpcjson"
)

// detailTypes are the types that the fast path knows; their order is part of
// the fuzz corpus.
var detailTypes = []proto.Message{
	new(errdetails.ErrorInfo), new(errdetails.RetryInfo), new(errdetails.DebugInfo), new(errdetails.QuotaFailure),
	new(errdetails.PreconditionFailure), new(errdetails.BadRequest), new(errdetails.RequestInfo), new(errdetails.ResourceInfo),
	new(errdetails.Help), new(errdetails.LocalizedMessage),
}

var deterministic = proto.MarshalOptions{Deterministic: true}

// samples are messages with everything that the types can say.
func samples() []proto.Message {
	localized := &errdetails.LocalizedMessage{Locale: "de-CH", Message: "zu viel"}
	return []proto.Message{
		&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A1", "": "", "b": "é\u2028\"\\\n\x00\x1f\x7f", "a": ""}},
		&errdetails.ErrorInfo{Reason: "\U0001F600", Metadata: map[string]string{"a/b": "<&>"}},
		new(errdetails.ErrorInfo),
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1, Nanos: 500000000}},
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: -315576000000, Nanos: -999999999}},
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Nanos: -1000}},
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Nanos: 1}},
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Nanos: 120000000}},
		&errdetails.RetryInfo{RetryDelay: new(durationpb.Duration)},
		new(errdetails.RetryInfo),
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1 << 50}},
		&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1, Nanos: -1}},
		&errdetails.DebugInfo{StackEntries: []string{"a", "", "b"}, Detail: "d"},
		&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{
			{Subject: "s", Description: "d", ApiService: "a", QuotaMetric: "m", QuotaId: "i", QuotaDimensions: map[string]string{"b": "2", "a": "1"}, QuotaValue: -1, FutureQuotaValue: proto.Int64(9007199254740993)},
			{FutureQuotaValue: proto.Int64(0)}, {},
		}},
		&errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{{Type: "TOS", Subject: "s", Description: "d"}, {}}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "items[1].sku", Description: "d", Reason: "R", LocalizedMessage: localized}, {LocalizedMessage: new(errdetails.LocalizedMessage)},
		}},
		&errdetails.RequestInfo{RequestId: "r", ServingData: "s"},
		&errdetails.ResourceInfo{ResourceType: "t", ResourceName: "n", Owner: "o", Description: "d"},
		&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "d", Url: "https://example.com/?a=1&b=2"}}},
		localized,
	}
}

func typeIndex(m proto.Message) int {
	for i, other := range detailTypes {
		if other.ProtoReflect().Descriptor() == m.ProtoReflect().Descriptor() {
			return i
		}
	}
	return -1
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := deterministic.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// generic is what protojson makes of an Any, compact.
func generic(typeURL string, value []byte) ([]byte, error) {
	text, err := protojson.Marshal(&anypb.Any{TypeUrl: typeURL, Value: value})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Compact(&out, text)
	return out.Bytes(), err
}

// FuzzAppendAny holds what is written to protojson, and what is declined to
// what protojson cannot say or only says of unusual bytes. It also reads back
// what was written.
func FuzzAppendAny(f *testing.F) {
	for _, m := range samples() {
		f.Add(uint8(typeIndex(m)), marshal(f, m))
	}
	f.Add(uint8(0), []byte("\x0a\x01a\x0a\x01b\x1a\x00\x1a\x02\x0a\x00"))
	f.Add(uint8(0), []byte("\x9a\x06\x02hi"))
	f.Add(uint8(0), []byte("\x0a\x82\x00ab"))
	f.Add(uint8(1), []byte("\x0a\x02\x08\x01\x0a\x02\x10\x01"))
	f.Fuzz(func(t *testing.T, index uint8, value []byte) {
		m := detailTypes[int(index)%len(detailTypes)].ProtoReflect().New().Interface()
		typeURL := "type.googleapis.com/" + string(m.ProtoReflect().Descriptor().FullName())
		got, ok := rpcjson.AppendAny([]byte("x"), typeURL, value)
		want, err := generic(typeURL, value)
		if !ok {
			if string(got) != "x" {
				t.Fatalf("declined, yet appended %q", got)
			}
			if err == nil && proto.Unmarshal(value, m) == nil && bytes.Equal(marshal(t, m), value) && !hasUnknown(m) {
				t.Fatalf("declined the usual bytes %q of %s", value, want)
			}
			return
		}
		if err != nil {
			t.Fatalf("wrote %s where protojson fails: %v", got, err)
		}
		if string(got) != "x"+string(want) {
			t.Fatalf("wrote %s\nwant   x%s", got, want)
		}
		if err := proto.Unmarshal(value, m); err != nil || hasUnknown(m) {
			t.Fatalf("wrote %s for bytes that hold more: %v", got, err)
		}
		alone, ok := rpcjson.AppendMessage([]byte("x"), typeURL, value)
		if members, _ := bytes.CutPrefix(want, []byte(`{"@type":"`+typeURL+`"`)); !ok || string(alone) != "x{"+strings.TrimPrefix(string(members), ",") {
			t.Fatalf("alone it is %s, %t", alone, ok)
		}
		url, back, ok := rpcjson.ParseAny(want)
		if !ok || url != typeURL || !bytes.Equal(back, marshal(t, m)) {
			t.Fatalf("%s reads as %q, %q, %t", want, url, back, ok)
		}
	})
}

// FuzzParseAny holds what is read to protojson.
func FuzzParseAny(f *testing.F) {
	for _, m := range samples() {
		text, err := generic("type.googleapis.com/"+string(m.ProtoReflect().Descriptor().FullName()), marshal(f, m))
		if err == nil {
			f.Add(text)
		}
	}
	for _, seed := range parseCases {
		f.Add([]byte(seed.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		typeURL, value, ok := rpcjson.ParseAny(text)
		if !bytes.Equal(before, text) {
			t.Fatalf("the input was changed to %q", text)
		}
		if !ok {
			return
		}
		want := new(anypb.Any)
		if err := protojson.Unmarshal(text, want); err != nil {
			t.Fatalf("read %q where protojson fails: %v", text, err)
		}
		if typeURL != want.GetTypeUrl() {
			t.Fatalf("type URL %q, want %q", typeURL, want.GetTypeUrl())
		}
		m, err := want.UnmarshalNew()
		if err != nil {
			t.Fatal(err)
		}
		if canonical := marshal(t, m); !bytes.Equal(value, canonical) {
			t.Fatalf("%s reads as %q, want %q", text, value, canonical)
		}
		if _, ok := rpcjson.AppendAny(nil, typeURL, value); !ok {
			t.Fatalf("%q does not write again", text)
		}
	})
}

// FuzzErrorInfoFields holds the scan to proto.Unmarshal.
func FuzzErrorInfoFields(f *testing.F) {
	for _, m := range samples() {
		f.Add(marshal(f, m))
	}
	f.Add([]byte("\x0a\x01a\x0a\x01b\x1a\x00"))
	f.Fuzz(func(t *testing.T, value []byte) {
		r, d, ok := rpcjson.ErrorInfoFields(value)
		reason, domain := string(r), string(d)
		info := new(errdetails.ErrorInfo)
		err := proto.Unmarshal(value, info)
		if !ok {
			if err == nil && !hasUnknown(info) && bytes.Equal(marshal(t, info), value) {
				t.Fatalf("declined the usual bytes %q", value)
			}
			return
		}
		if err != nil || reason != info.GetReason() || domain != info.GetDomain() || hasUnknown(info) {
			t.Fatalf("%q, %q, want %v, %v", reason, domain, info, err)
		}
		if r, d := rpcjson.ErrorInfoNames(value); string(r) != reason || string(d) != domain {
			t.Fatalf("names %q, %q, want %v", r, d, info)
		}
		for key, want := range info.GetMetadata() {
			if text, ok := rpcjson.ErrorInfoValue(value, key); !ok || string(text) != want {
				t.Fatalf("%q is %q, %t, want %q", key, text, ok, want)
			}
		}
		if _, ok := rpcjson.ErrorInfoValue(value, "no such key"); ok != (info.GetMetadata()["no such key"] != "") {
			t.Fatalf("a key that is not there: %v", info)
		}
	})
}

// hasUnknown tells whether m holds unknown fields at any depth.
func hasUnknown(m proto.Message) bool { return unknown(m.ProtoReflect()) }

func unknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil || fd.IsMap():
		case fd.IsList():
			for i := range v.List().Len() {
				found = found || unknown(v.List().Get(i).Message())
			}
		default:
			found = found || unknown(v.Message())
		}
		return !found
	})
	return found
}
