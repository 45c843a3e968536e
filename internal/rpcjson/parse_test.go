package rpcjson_test

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/rpcjson"
)

func ExampleParseAny() {
	typeURL, value, ok := rpcjson.ParseAny([]byte(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"}`))
	fmt.Printf("%s %q %t\n", typeURL, value, ok)
	// Output: type.googleapis.com/google.rpc.ErrorInfo "\n\vSTOCK_EMPTY\x12\x10shop.example.com" true
}

const (
	infoURL  = `"@type":"type.googleapis.com/google.rpc.ErrorInfo"`
	retryURL = `"@type":"type.googleapis.com/google.rpc.RetryInfo"`
	quotaURL = `"@type":"type.googleapis.com/google.rpc.QuotaFailure"`
	badURL   = `"@type":"type.googleapis.com/google.rpc.BadRequest"`
	debugURL = `"@type":"type.googleapis.com/google.rpc.DebugInfo"`
)

// parseCases are texts and whether they are plain. Of those that are, protojson
// says the value; of the others some mean something all the same.
var parseCases = []struct {
	name, text string
	plain      bool
}{
	{"nothing but a type", `{` + infoURL + `}`, true},
	{"space everywhere", " \t\r\n{ " + infoURL + " , \"reason\" : \"R\" ,\n\"metadata\" : { \"k\" : \"v\" , \"l\" : \"w\" } } \n", true},
	{"members out of order", `{` + infoURL + `,"metadata":{"b":"2","a":"1"},"domain":"d","reason":"R"}`, true},
	{"names of the schema", `{` + retryURL + `,"retry_delay":"1s"}`, true},
	{"empty strings", `{` + infoURL + `,"reason":"","metadata":{"":""}}`, true},
	{"null members", `{` + infoURL + `,"reason":null,"metadata":null}`, true},
	{"another prefix", `{"@type":"types.example.com/google.rpc.ErrorInfo","reason":"R"}`, true},
	{"a prefix with escapes", `{"@type":"types\u002eexample.com\/google.rpc.ErrorInfo","reason":"R"}`, true},
	{"escapes", `{` + infoURL + `,"reason":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\uD83D\uDE00\ufffd","metadata":{"\u006b":"\n","\u006a":""}}`, true},
	{"escape in a name", `{` + infoURL + `,"re\u0061son":"R"}`, true},
	{"text that is not ASCII", `{` + infoURL + `,"reason":"é😀` + "\u2028" + `"}`, true},
	{"empty object and list", `{` + badURL + `,"fieldViolations":[]}`, true},
	{"nested", `{` + badURL + `,"fieldViolations":[{"localizedMessage":{"message":"m","locale":"l"},"field":"f"},{}]}`, true},
	{"null in a nested message", `{` + badURL + `,"fieldViolations":[{"localizedMessage":null,"field":"f"}]}`, true},
	{"list of strings", `{` + debugURL + `,"detail":"d","stackEntries":["a","","b"]}`, true},
	{"number", `{` + quotaURL + `,"violations":[{"quotaValue":5}]}`, false},
	{"number in quotes", `{` + quotaURL + `,"violations":[{"quotaValue":"-9223372036854775808","futureQuotaValue":"-0"}]}`, true},
	{"zero", `{` + quotaURL + `,"violations":[{"quotaValue":"0"}]}`, true},
	{"duration", `{` + retryURL + `,"retryDelay":"1.5s"}`, true},
	{"negative duration", `{` + retryURL + `,"retryDelay":"-0.5s"}`, true},
	{"negative nothing", `{` + retryURL + `,"retryDelay":"-0s"}`, true},
	{"nine digits", `{` + retryURL + `,"retryDelay":"315576000000.999999999s"}`, true},

	{"no text", ``, false},
	{"no object", `[]`, false},
	{"empty object is the empty Any", `{}`, false},
	{"type not first", `{"reason":"R",` + infoURL + `}`, false},
	{"type that is no string", `{"@type":1}`, false},
	{"type without a slash", `{"@type":"google.rpc.ErrorInfo"}`, false},
	{"other type", `{"@type":"type.googleapis.com/google.protobuf.Empty"}`, false},
	{"trailing text", `{` + infoURL + `} x`, false},
	{"second value", `{` + infoURL + `}{}`, false},
	{"open", `{` + infoURL, false},
	{"trailing comma", `{` + infoURL + `,}`, false},
	{"two commas", `{` + infoURL + `,,"reason":"R"}`, false},
	{"no comma", `{` + infoURL + `"reason":"R"}`, false},
	{"comma first", `{` + badURL + `,"fieldViolations":[,{}]}`, false},
	{"comma last", `{` + badURL + `,"fieldViolations":[{},]}`, false},
	{"comma first in a map", `{` + infoURL + `,"metadata":{,"a":"b"}}`, false},
	{"comma last in a map", `{` + infoURL + `,"metadata":{"a":"b",}}`, false},
	{"comma first in a nested message", `{` + badURL + `,"fieldViolations":[{,"field":"f"}]}`, false},
	{"unknown member", `{` + infoURL + `,"colour":"red"}`, false},
	{"type twice", `{` + infoURL + `,` + infoURL + `}`, false},
	{"member twice", `{` + infoURL + `,"reason":"R","reason":"S"}`, false},
	{"member twice, once null", `{` + infoURL + `,"reason":null,"reason":"S"}`, false},
	{"member under both names", `{` + retryURL + `,"retryDelay":"1s","retry_delay":"1s"}`, false},
	{"key twice", `{` + infoURL + `,"metadata":{"a":"1","b":"2","a":"1"}}`, false},
	{"key twice in a row", `{` + infoURL + `,"metadata":{"a":"1","a":"1"}}`, false},
	{"name in other case", `{` + infoURL + `,"Reason":"R"}`, false},
	{"number as a reason", `{` + infoURL + `,"reason":1}`, false},
	{"number in metadata", `{` + infoURL + `,"metadata":{"max":5}}`, false},
	{"null in metadata", `{` + infoURL + `,"metadata":{"x":null}}`, false},
	{"null in a list", `{` + debugURL + `,"stackEntries":[null]}`, false},
	{"null in a list of messages", `{` + badURL + `,"fieldViolations":[null]}`, false},
	{"almost null", `{` + infoURL + `,"reason":nullx}`, false},
	{"half null", `{` + infoURL + `,"reason":nul}`, false},
	{"control character", `{` + infoURL + `,"reason":"` + "\n" + `"}`, false},
	{"control character after an escape", `{` + infoURL + `,"reason":"\n` + "\n" + `"}`, false},
	{"not UTF-8", `{` + infoURL + `,"reason":"` + "\xff" + `"}`, false},
	{"not UTF-8 after an escape", `{` + infoURL + `,"reason":"\n` + "\xff" + `"}`, false},
	{"lone surrogate", `{` + infoURL + `,"reason":"\ud800"}`, false},
	{"two high surrogates", `{` + infoURL + `,"reason":"\ud800\ud800"}`, false},
	{"low surrogate", `{` + infoURL + `,"reason":"\udc00\ud800"}`, false},
	{"surrogate and a letter", `{` + infoURL + `,"reason":"\ud800\u0041"}`, false},
	{"short escape", `{` + infoURL + `,"reason":"\u00`, false},
	{"short surrogate", `{` + infoURL + `,"reason":"\ud83d\u`, false},
	{"unknown escape", `{` + infoURL + `,"reason":"\x41"}`, false},
	{"escape at the end", `{` + infoURL + `,"reason":"\`, false},
	{"escape that is no number", `{` + infoURL + `,"reason":"\u00g0"}`, false},
	{"open string", `{` + infoURL + `,"reason":"R`, false},
	{"open string after an escape", `{` + infoURL + `,"reason":"\nR`, false},
	{"fraction", `{` + quotaURL + `,"violations":[{"quotaValue":"1.0"}]}`, false},
	{"exponent", `{` + quotaURL + `,"violations":[{"quotaValue":"1e3"}]}`, false},
	{"number too large", `{` + quotaURL + `,"violations":[{"quotaValue":"9223372036854775808"}]}`, false},
	{"leading zero", `{` + quotaURL + `,"violations":[{"quotaValue":"01"}]}`, false},
	{"two signs", `{` + quotaURL + `,"violations":[{"quotaValue":"--1"}]}`, false},
	{"sign inside", `{` + quotaURL + `,"violations":[{"quotaValue":"1-1"}]}`, false},
	{"number is no string", `{` + quotaURL + `,"violations":[{"quotaValue":"\ud800"}]}`, false},
	{"number is true", `{` + quotaURL + `,"violations":[{"quotaValue":true}]}`, false},
	{"duration without a unit", `{` + retryURL + `,"retryDelay":"1"}`, false},
	{"duration of nothing", `{` + retryURL + `,"retryDelay":""}`, false},
	{"duration of a unit", `{` + retryURL + `,"retryDelay":"s"}`, false},
	{"duration of a sign", `{` + retryURL + `,"retryDelay":"-s"}`, false},
	{"duration with a plus", `{` + retryURL + `,"retryDelay":"+1s"}`, false},
	{"duration of a fraction", `{` + retryURL + `,"retryDelay":".5s"}`, false},
	{"duration with a point", `{` + retryURL + `,"retryDelay":"1.s"}`, false},
	{"duration of ten digits", `{` + retryURL + `,"retryDelay":"1.0000000000s"}`, false},
	{"duration out of range", `{` + retryURL + `,"retryDelay":"315576000001s"}`, false},
	{"duration beyond 64 bits", `{` + retryURL + `,"retryDelay":"99999999999999999999s"}`, false},
	{"duration as a number", `{` + retryURL + `,"retryDelay":1}`, false},
	{"duration with a letter", `{` + retryURL + `,"retryDelay":"1.5ms"}`, false},
	{"list for a map", `{` + infoURL + `,"metadata":[]}`, false},
	{"map for a list", `{` + badURL + `,"fieldViolations":{}}`, false},
	{"string for a message", `{` + badURL + `,"fieldViolations":[""]}`, false},
	{"number in a list of strings", `{` + debugURL + `,"stackEntries":[1]}`, false},
	{"key without a value", `{` + infoURL + `,"metadata":{"a"}}`, false},
	{"open list", `{` + debugURL + `,"stackEntries":["a"`, false},
}

func TestParseAny(t *testing.T) {
	t.Parallel()
	for _, test := range parseCases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			typeURL, value, ok := rpcjson.ParseAny([]byte(test.text))
			if ok != test.plain {
				t.Fatalf("%q, %q, %t", typeURL, value, ok)
			}
			if !ok {
				return
			}
			want := new(anypb.Any)
			if err := protojson.Unmarshal([]byte(test.text), want); err != nil {
				t.Fatal(err)
			}
			m, err := want.UnmarshalNew()
			if err != nil {
				t.Fatal(err)
			}
			if typeURL != want.GetTypeUrl() || !bytes.Equal(value, marshal(t, m)) {
				t.Errorf("%q, %q, want %q, %q", typeURL, value, want.GetTypeUrl(), marshal(t, m))
			}
		})
	}
}

// TestParseAny_samples reads what protojson writes of every sample.
func TestParseAny_samples(t *testing.T) {
	t.Parallel()
	for _, m := range samples() {
		typeURL := "type.googleapis.com/" + string(m.ProtoReflect().Descriptor().FullName())
		text, err := generic(typeURL, marshal(t, m))
		if err != nil {
			continue
		}
		url, value, ok := rpcjson.ParseAny(text)
		if !ok || url != typeURL || !bytes.Equal(value, marshal(t, m)) {
			t.Errorf("%s: %q, %q, %t", text, url, value, ok)
		}
	}
}

func TestParseAny_keeps_nothing(t *testing.T) {
	t.Parallel()
	text := []byte(`{"@type":"types.example.com/google.rpc.ErrorInfo","reason":"REASON","metadata":{"b":"2","a":"1"}}`)
	typeURL, value, ok := rpcjson.ParseAny(text)
	clear(text)
	if want := marshal(t, &errdetails.ErrorInfo{Reason: "REASON", Metadata: map[string]string{"a": "1", "b": "2"}}); !ok ||
		typeURL != "types.example.com/google.rpc.ErrorInfo" || !bytes.Equal(value, want) {
		t.Errorf("%q, %q, %t", typeURL, value, ok)
	}
}

func TestParseAny_allocations(t *testing.T) {
	text := []byte(`{` + infoURL + `,"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"attempt":"2","taskId":"t-1"}}`)
	if got := testing.AllocsPerRun(100, func() { rpcjson.ParseAny(text) }); got > 1 {
		t.Errorf("%v allocations, want that of the value", got)
	}
}

func BenchmarkParseAny(b *testing.B) {
	for _, m := range samples() {
		typeURL, value := "type.googleapis.com/"+string(m.ProtoReflect().Descriptor().FullName()), marshal(b, m)
		text, err := generic(typeURL, value)
		if err != nil || len(value) < 10 {
			continue
		}
		name := string(m.ProtoReflect().Descriptor().Name())
		b.Run("fast/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, ok := rpcjson.ParseAny(text); !ok {
					b.Fatal("declined")
				}
			}
		})
		b.Run("protojson/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := protojson.Unmarshal(text, new(anypb.Any)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestErrorInfoFields(t *testing.T) {
	t.Parallel()
	whole := string(marshal(t, &errdetails.ErrorInfo{Reason: "R", Domain: "d.example.com", Metadata: map[string]string{"a": "b"}}))
	for _, test := range []struct {
		name, value, reason, domain string
		ok                          bool
	}{
		{"whole", whole, "R", "d.example.com", true},
		{"empty", "", "", "", true},
		{"the last counts", whole + "\x0a\x01S", "S", "d.example.com", true},
		{"unknown field", whole + "\x22\x00", "", "", false},
		{"broken", whole + "\x0a", "", "", false},
		{"reason not UTF-8", whole + "\x0a\x01\xff", "", "", false},
		{"domain not UTF-8", whole + "\x12\x01\xff", "", "", false},
		{"metadata not UTF-8", whole + "\x1a\x03\x12\x01\xff", "", "", false},
		{"metadata broken", whole + "\x1a\x03\x12\x02a", "", "", false},
	} {
		r, d, ok := rpcjson.ErrorInfoFields([]byte(test.value))
		reason, domain := string(r), string(d)
		if reason != test.reason || domain != test.domain || ok != test.ok {
			t.Errorf("%s: %q, %q, %t", test.name, reason, domain, ok)
		}
	}
}

func BenchmarkErrorInfoFields(b *testing.B) {
	value := marshal(b, &errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org", Metadata: map[string]string{"taskId": "t-1", "attempt": "2"}})
	b.ReportAllocs()
	for b.Loop() {
		rpcjson.ErrorInfoFields(value)
	}
}
