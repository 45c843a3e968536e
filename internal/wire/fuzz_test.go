package wire

import (
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
)

func FuzzParseStatus(f *testing.F) {
	for _, s := range []string{
		"", "\x08\x05\x12\x01m", "\x12\x02\xC3\x28", "\x1A\x03\x0A\x01\xFF", "\x08\x05\x08\x06", "\x1a\x07\x0a\x03a/b\x12\x00", "\x1a\x02\x18\x01", "\x22\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var notes hub.Notes
		got, err := parseStatus(b, 1<<20, &notes)
		want := new(statuspb.Status)
		if proto.Unmarshal(b, want) != nil {
			return // text that is not UTF-8, which parseStatus repairs, or no Status at all
		}
		if err != nil {
			t.Fatalf("%v where proto.Unmarshal reads %v", err, want)
		}
		for _, detail := range want.GetDetails() {
			if len(detail.ProtoReflect().GetUnknown()) > 0 && len(notes) == 0 {
				t.Fatalf("no note of the fields of an Any in %v", want)
			}
			detail.ProtoReflect().SetUnknown(nil)
		}
		s := message(got.code, got.message, got.details)
		s.ProtoReflect().SetUnknown(got.unknown)
		if !proto.Equal(want, s) {
			t.Fatalf("%v where proto.Unmarshal reads %v", s, want)
		}
	})
}

func FuzzPercentCodec(f *testing.F) {
	for _, s := range []string{"", "line1\r\nline2 é 100%", "%41", "%zz", "%", "%4", " a ", " ", "caf\xe9", "\x00\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		wire := PercentEncode(s)
		for i := range len(wire) {
			if wire[i] < ' ' || wire[i] > '~' {
				t.Fatalf("%q encoded %q", s, wire)
			}
		}
		if strings.TrimSpace(wire) != wire {
			t.Fatalf("%q encoded %q, which HTTP trims", s, wire)
		}
		if back := PercentDecode(wire); back != s {
			t.Fatalf("%q encoded %q, decoded %q", s, wire, back)
		}
		if len(PercentDecode(s)) > len(s) {
			t.Fatalf("%q decodes to more than it is", s)
		}
	})
}
