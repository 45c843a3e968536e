package errmap_test

import (
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

// What fuzzers found, brought down to what matters in it: read by every form, whether
// it is one of it or not, and written again.
func TestDecoders_what_fuzzers_found(t *testing.T) {
	t.Parallel()
	element := func(s string) string {
		return `{"code":5,"message":"m","details":[` + s + `],"data":[` + s + `]}`
	}
	for name, body := range map[string]string{
		"a number alone":                      `0`,
		"a number and more":                   `0.A`,
		"a string that does not end":          "\"\xa2",
		"space and no error":                  "{  ",
		"control characters":                  "\a\a\a",
		"a name that does not end":            `{"code":5,"\u0`,
		"a name in which an escape is broken": `{"code":5,"\uX000":1}`,
		"a name that is half a pair":          `{"code":5,"message":"m","\ud800":1}`,
		"a name that is not UTF-8":            "{\"code\":5,\"message\":\"m\",\"\xff\xd5\":1}",
		"two such names":                      "{\"code\":5,\"message\":\"m\",\"\xff\":1,\"\xd5\":2,\"\ufffd\":3}",
		"an empty name":                       `{"code":5,"message":"m","":{"":[]}}`,
		"a name of escapes":                   `{"code":5,"message":"m","\b\b\b\b":"\/"}`,
		"a value after which nothing fits":    `{"code":5,"message":"m"}  0000`,
		"a value that ends early":             `{"details":[{"debug":{"":[null,t`,
		"a text that is not UTF-8":            "{\"code\":5,\"message\":\"a\xc5\x00\x7fz\"}",
		"characters that are not seen":        "{\"code\":5,\"message\":\"\u061c\ue2cb\u05bd\"}",
		"a code with an exponent":             `{"code":50e1,"message":"m"}`,
		"a small code with an exponent":       `{"code":1e0,"message":"m"}`,
		"a code that is a code's name":        `{"code":"code_-5","message":"m"}`,
		"a code that names no code":           `{"code":"NONTFO_UD","message":"m","status":404}`,
		"a type without a slash":              element(`{"@type":"google.rpc."}`),
		"a type after a slash alone":          element(`{"@type":"/google.rpc.RetryInfo"}`),
		"a type that is a part of one":        element(`{"@type":"type.googleapis.com/google.rpc.Err"}`),
		"a type that is not UTF-8":            element("{\"@type\":\"t\xd1pe.googleapis.com/google.rpc.BadRequest\",\"added\":true}"),
		"bytes with a character too few":      element(`{"@type":"type.googleapis.com/google.protobuf.StringValue","@value":"0MDA="}`),
		"a marker after others":               element(`{"@type":"type.googleapis.com/google.rpc.DebugInfo"},{"@type":"type.googleapis.com/google.rpc.Status","code":9}`),
		"a violation in a violation":          element(`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{},{"localizedMessage":{"locale":""}}]}`),
		"a list of empty texts":               element(`{"@type":"type.googleapis.com/google.rpc.DebugInfo","stackEntries":["",""]}`),
		"members in a type's place":           element(`{"@type":{"@type":[]}}`),
		"a list in a list":                    element(`[[],[{}]]`),
		"a detail of Connect without a type":  `{"code":"aborted","message":"m","details":[{"type":"","value":"EgQKAgg0"},{"value":"GAE"}]}`,
		"a detail of Connect with a URL":      `{"code":"aborted","message":"m","details":[{"value":"GAE","type":"type.googleapis.com/google.rpc.QuotaFailure"}]}`,
		"a Carried of nothing":                `{"code":"unknown","message":"uri","details":[{"type":"errmap.v1.Carried","value":"CgcIAhIDNDg0GgTSJuk8"}]}`,
	} {
		for _, w := range allWires {
			if !w.json {
				continue
			}
			for _, status := range []int{0, 500} {
				e, err := w.decode(packet{status: status, body: []byte(body)})
				t.Run(strings.ReplaceAll(name+" "+w.name, " ", "_"), func(t *testing.T) { checkRead(t, e, err, w) })
			}
		}
	}
}

// The same for bytes of a Status.
func TestFromStatus_what_fuzzers_found(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]string{
		"fields of an Any that it does not have": "\x08\x09\x1a\x0a\x0a\x03a/b\x12\x01x\x18\x01",
		"a type after a space":                   "\x08\x09\x1a\x13\x0a\x11a/ google.rpc.Hel",
		"an Any of later fields alone":           "\x08\x09\x1a\x03\xd8\x01\x01",
		"a code twice":                           "\x08\x09\x08\x0a\x12\x01m",
		"a code beyond 32 bits":                  "\x08\xfa\xff\xff\xff\xff\x01\x12\x01m",
		"a message twice":                        "\x08\x09\x12\x01a\x12\x01b",
		"fields of a Status to come":             "\x08\x09\x32\x01x\x9d\x06\x00\x00\x00\x00",
		"a value twice":                          "\x08\x09\x1a\x0b\x0a\x03a/b\x12\x01x\x12\x01y",
		"an ErrorInfo with a zero byte in a key": "\x08\x05\x12\x01a\x1a\x38\x0a\x28type.googleapis.com/google.rpc.ErrorInfo\x12\x0c\x0a\x01R\x1a\x07\x0a\x02\x00k\x12\x01v",
		"an entry without a key":                 "\x08\x05\x12\x01a\x1a\x33\x0a\x28type.googleapis.com/google.rpc.ErrorInfo\x12\x07\x0a\x01R\x1a\x02\x12\x00",
		"a float with bits to spare":             "\x08\x03\x12\x01m\x1a\x37\x0a\x2etype.googleapis.com/google.protobuf.FloatValue\x12\x05\x0d\x00\x23\x80\x7f",
		"a type beyond a slash or two":           "\x08\x03\x1a\x13\x0a\x0ea/b/google.rpc\x12\x01x",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := new(statuspb.Status)
			if err := proto.Unmarshal([]byte(b), s); err != nil {
				t.Fatal(err)
			}
			e, err := errmap.FromStatus(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range allWires {
				checkRead(t, e, err, w)
			}
		})
	}
}
