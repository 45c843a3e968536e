package errmapa2a_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
)

// FuzzRecognize reads what an SDK client made of a peer's error: whatever its
// details are, the error keeps its code and message, and what it becomes is
// stable.
func FuzzRecognize(f *testing.F) {
	for _, data := range []string{
		`[]`, `null`, `[{}]`, `[null]`, `[{"a":1}]`, `[{"@type":1}]`,
		`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1","n":2}}]`,
		`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CART_EMPTY","domain":"shop.example.com"}]`,
		`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","metadata":[1]}]`,
		`[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"soon"}]`,
		`[{"@type":"type.googleapis.com/google.rpc.Status","code":5}]`,
		`[{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"value":{"value":1e400}}}]`,
		`[{"@type":"type.googleapis.com/errmap.v1.Carried","check":"AAAA"}]`,
		`[{"@type":"acme.v9.Mystery","@value":"AQ=="}]`,
	} {
		f.Add(-1, "message", []byte(data))
		f.Add(5, "", []byte(data))
	}
	f.Fuzz(func(t *testing.T, which int, message string, data []byte) {
		var typed []*errordetails.Typed
		if json.Unmarshal(data, &typed) != nil || !utf8.ValidString(message) || len(message) > errmap.DefaultMaxMessage {
			t.Skip()
		}
		c := constructors[uint(which)%uint(len(constructors))]
		sdk := a2a.NewError(c.sentinel, message).WithTypedDetails(typed...)
		e, known := errmapa2a.Recognize(sdk)
		if e == nil {
			if known || message != "" || len(typed) > 0 {
				t.Fatalf("%v is silent", sdk)
			}
			return
		}
		want := message
		if want == "" {
			want = c.message
		}
		if e.Message() != want || e.Number() == 0 {
			t.Fatalf("got %v, want %q", e, want)
		}
		once := errmap.EncodeJSONRPC(e, errmap.ProfileA2A)
		back, err := errmap.DecodeJSONRPC(once, errmap.ProfileA2A)
		if err != nil || back.Code() != e.Code() || back.Message() != e.Message() {
			t.Fatalf("%s is read as %v, %v", once, back, err)
		}
	})
}
