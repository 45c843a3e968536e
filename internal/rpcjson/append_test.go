package rpcjson_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/internal/rpcjson"
)

func ExampleAppendAny() {
	value, err := proto.Marshal(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com"})
	if err != nil {
		panic(err)
	}
	text, ok := rpcjson.AppendAny(nil, "type.googleapis.com/google.rpc.ErrorInfo", value)
	fmt.Println(string(text), ok)
	// Output: {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"} true
}

// TestAppendAny_bytes pins one text of each type; the fuzz test has the rest.
func TestAppendAny_bytes(t *testing.T) {
	t.Parallel()
	for i, want := range []string{
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"":"","a":"","b":"é` + "\u2028" + `\"\\\n\u0000\u001f` + "\x7f" + `","sku":"A1"}}`,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"😀","metadata":{"a/b":"<&>"}}`,
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"-315576000000.999999999s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"-0.000001s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.000000001s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.120s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0s"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo"}`,
		``, // out of range
		``, // two signs
		`{"@type":"type.googleapis.com/google.rpc.DebugInfo","stackEntries":["a","","b"],"detail":"d"}`,
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"s","description":"d","apiService":"a","quotaMetric":"m","quotaId":"i","quotaDimensions":{"a":"1","b":"2"},"quotaValue":"-1","futureQuotaValue":"9007199254740993"},{"futureQuotaValue":"0"},{}]}`,
		`{"@type":"type.googleapis.com/google.rpc.PreconditionFailure","violations":[{"type":"TOS","subject":"s","description":"d"},{}]}`,
		`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"items[1].sku","description":"d","reason":"R","localizedMessage":{"locale":"de-CH","message":"zu viel"}},{"localizedMessage":{}}]}`,
		`{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"r","servingData":"s"}`,
		`{"@type":"type.googleapis.com/google.rpc.ResourceInfo","resourceType":"t","resourceName":"n","owner":"o","description":"d"}`,
		`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"d","url":"https://example.com/?a=1&b=2"}]}`,
		`{"@type":"type.googleapis.com/google.rpc.LocalizedMessage","locale":"de-CH","message":"zu viel"}`,
	} {
		m := samples()[i]
		typeURL := "type.googleapis.com/" + string(m.ProtoReflect().Descriptor().FullName())
		got, ok := rpcjson.AppendAny(nil, typeURL, marshal(t, m))
		if string(got) != want || ok != (want != "") {
			t.Errorf("%v:\ngot  %s, %t\nwant %s", m, got, ok, want)
		}
		if !ok {
			continue
		}
		if viaProtoJSON, err := generic(typeURL, marshal(t, m)); err != nil || string(viaProtoJSON) != want {
			t.Errorf("protojson says %s, %v", viaProtoJSON, err)
		}
	}
}

func TestAppendAny_type_URL(t *testing.T) {
	t.Parallel()
	value := []byte("\x0a\x01R")
	for _, test := range []struct{ url, want string }{
		{"types.example.com/google.rpc.ErrorInfo", `{"@type":"types.example.com/google.rpc.ErrorInfo","reason":"R"}`},
		{"/google.rpc.ErrorInfo", `{"@type":"/google.rpc.ErrorInfo","reason":"R"}`},
		{"a/b/google.rpc.ErrorInfo", `{"@type":"a/b/google.rpc.ErrorInfo","reason":"R"}`},
		{"google.rpc.ErrorInfo", ""},
		{"", ""},
		{"/", ""},
		{"type.googleapis.com/google.rpc.ErrorInfo/", ""},
		{"type.googleapis.com/google.rpc.Status", ""},
		{"type.googleapis.com/google.rpc.errorinfo", ""},
		{"a\"b/google.rpc.ErrorInfo", `{"@type":"a\"b/google.rpc.ErrorInfo","reason":"R"}`},
		{"é\x7f/google.rpc.ErrorInfo", `{"@type":"é` + "\x7f" + `/google.rpc.ErrorInfo","reason":"R"}`},
		{"\xff/google.rpc.ErrorInfo", ""},
	} {
		got, ok := rpcjson.AppendAny(nil, test.url, value)
		if string(got) != test.want || ok != (test.want != "") {
			t.Errorf("%q: %s, %t, want %s", test.url, got, ok, test.want)
		}
	}
}

// TestAppendAny_declines has bytes of which protojson would say something else
// than they hold, or nothing.
func TestAppendAny_declines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, detail, value string }{
		{"unknown field", "ErrorInfo", "\x9a\x06\x02hi"},
		{"unknown field of one byte", "ErrorInfo", "\x22\x00"},
		{"unknown field in a map entry", "ErrorInfo", "\x1a\x05\x0a\x01k\x18\x01"},
		{"unknown field in a nested message", "Help", "\x0a\x02\x18\x01"},
		{"unknown field in a duration", "RetryInfo", "\x0a\x02\x18\x01"},
		{"broken bytes", "ErrorInfo", "\x0a\xff"},
		{"length beyond the end", "ErrorInfo", "\x0a\x05a"},
		{"long length beyond the end", "ErrorInfo", "\x0a\x80\x01a"},
		{"tag alone", "ErrorInfo", "\x0a"},
		{"varint without an end", "RetryInfo", "\x0a\x02\x08\x80"},
		{"field number 0", "ErrorInfo", "\x02\x00"},
		{"wrong wire type", "ErrorInfo", "\x08\x01"},
		{"string for a number", "QuotaFailure", "\x0a\x03\x3a\x01a"},
		{"varint in a duration's place", "RetryInfo", "\x08\x01"},
		{"fixed32", "ErrorInfo", "\x0d\x00\x00\x00\x00"},
		{"group", "ErrorInfo", "\x0b\x0c"},
		{"not UTF-8", "ErrorInfo", "\x0a\x01\xff"},
		{"not UTF-8 in what is overwritten", "ErrorInfo", "\x0a\x01\xff\x0a\x01a"},
		{"not UTF-8, overwritten by nothing", "ErrorInfo", "\x0a\x01\xff\x0a\x00"},
		{"not UTF-8 in what overwrites", "ErrorInfo", "\x0a\x01a\x0a\x01\xff"},
		{"not UTF-8 in a key", "ErrorInfo", "\x1a\x03\x0a\x01\xff"},
		{"not UTF-8 in a value", "ErrorInfo", "\x1a\x03\x12\x01\xff"},
		{"not UTF-8 in a value that is overwritten", "ErrorInfo", "\x1a\x03\x12\x01\xff\x1a\x03\x12\x01a"},
		{"not UTF-8 in a list", "DebugInfo", "\x0a\x01\xff"},
		{"duration to be merged", "RetryInfo", "\x0a\x02\x08\x01\x0a\x02\x10\x01"},
		{"message to be merged", "BadRequest", "\x0a\x04\x22\x00\x22\x00"},
		{"key twice in an entry", "ErrorInfo", "\x1a\x06\x0a\x01a\x0a\x01b"},
		{"seconds out of range", "RetryInfo", string(marshal(t, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 315576000001}}))},
		{"nanos out of range", "RetryInfo", "\x0a\x06\x10\x80\x94\xeb\xdc\x03"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := rpcjson.AppendAny([]byte("kept"), "type.googleapis.com/google.rpc."+test.detail, []byte(test.value))
			if ok || string(got) != "kept" {
				t.Errorf("%q, %t", got, ok)
			}
		})
	}
}

// TestAppendAny_unusual has bytes that no encoder of ours writes and that are
// plain all the same.
func TestAppendAny_unusual(t *testing.T) {
	t.Parallel()
	many := make(map[string]string)
	for i := range 100 {
		many[fmt.Sprintf("key%02d", 99-i)] = strings.Repeat("v", i)
	}
	shuffled, err := proto.Marshal(&errdetails.ErrorInfo{Metadata: many})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, detail, value string }{
		{"fields out of order", "ErrorInfo", "\x12\x01d\x0a\x01r"},
		{"the last of two entries of a key counts", "ErrorInfo", "\x1a\x06\x0a\x01a\x12\x01x\x1a\x06\x0a\x01a\x12\x01y"},
		{"an empty reason", "ErrorInfo", "\x0a\x00\x12\x01d"},
		{"an empty domain", "ErrorInfo", "\x0a\x01r\x12\x00"},
		{"the last of two counts", "ErrorInfo", "\x0a\x01a\x12\x01d\x0a\x01b"},
		{"the last of two counts, empty", "ErrorInfo", "\x0a\x01a\x0a\x00"},
		{"map entries out of order", "ErrorInfo", "\x1a\x03\x0a\x01b\x1a\x03\x0a\x01a"},
		{"the last entry of a key counts", "ErrorInfo", "\x1a\x06\x0a\x01b\x12\x011\x1a\x03\x0a\x01a\x1a\x06\x0a\x01b\x12\x012"},
		{"value before key", "ErrorInfo", "\x1a\x06\x12\x01v\x0a\x01k"},
		{"an empty entry", "ErrorInfo", "\x1a\x00"},
		{"many entries in any order", "ErrorInfo", string(shuffled)},
		{"length in more bytes than needed", "ErrorInfo", "\x0a\x82\x00ab"},
		{"repeated field in pieces", "DebugInfo", "\x0a\x01a\x12\x01d\x0a\x01b"},
		{"number in more bytes than needed", "QuotaFailure", "\x0a\x03\x38\x81\x00"},
		{"the last number counts", "QuotaFailure", "\x0a\x04\x38\x01\x38\x00"},
		{"nanos of ten bytes", "RetryInfo", "\x0a\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{"nanos cut to 32 bits", "RetryInfo", "\x0a\x06\x10\x81\x80\x80\x80\x10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			typeURL := "type.googleapis.com/google.rpc." + test.detail
			want, err := generic(typeURL, []byte(test.value))
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := rpcjson.AppendAny(nil, typeURL, []byte(test.value)); !ok || string(got) != string(want) {
				t.Errorf("%s, %t, want %s", got, ok, want)
			}
		})
	}
}

func TestAppendAny_allocations(t *testing.T) {
	info := &errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org", Metadata: map[string]string{"taskId": "t-1", "attempt": "2"}}
	value := marshal(t, info)
	room := make([]byte, 0, 512)
	if got := testing.AllocsPerRun(100, func() { rpcjson.AppendAny(room, "type.googleapis.com/google.rpc.ErrorInfo", value) }); got > 0 {
		t.Errorf("%v allocations with room, want none", got)
	}
}

func BenchmarkAppendAny(b *testing.B) {
	for _, m := range samples() {
		typeURL, value := "type.googleapis.com/"+string(m.ProtoReflect().Descriptor().FullName()), marshal(b, m)
		if _, ok := rpcjson.AppendAny(nil, typeURL, value); !ok || len(value) < 10 {
			continue
		}
		name := string(m.ProtoReflect().Descriptor().Name())
		b.Run("fast/"+name, func(b *testing.B) {
			var room []byte
			b.ReportAllocs()
			for b.Loop() {
				room, _ = rpcjson.AppendAny(room[:0], typeURL, value)
			}
		})
		b.Run("protojson/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := protojson.Marshal(&anypb.Any{TypeUrl: typeURL, Value: value}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
