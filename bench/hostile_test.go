package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
)

// hostile is an error made to cost more than it weighs, with n parts.
type hostile struct {
	name    string
	form    form
	largest int // the most parts that the limits let through, or nearly
	input   func(n int) string
}

// members are n members with names that begin so, each after a comma.
func members(n int, prefix string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s%d":1`, prefix, i)
	}
	return b.String()
}

// carried is a Carried for NOT_FOUND "m" with n members of a wire.
func carried(n int, wire string) string {
	return fmt.Sprintf(`"received":[{"wire":"%s","members":%q}],"check":"zyJpBA=="}`, wire, "{"+members(n, "a")[1:]+"}")
}

// list is n elements of an array of JSON.
func list(n int, element string) string { return strings.Repeat(element+",", n-1) + element }

const manyInfos = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d.example.com","metadata":{"a":"1","b":"2","c":"3"}}`

var hostiles = []hostile{
	{"members beside a Carried", forms[0], 64_000, func(n int) string {
		return `{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/errmap.v1.Carried",` + carried(n, "WIRE_JSONRPC") + `]` + members(n, "b") + `}`
	}},
	{"members beside a Carried", forms[1], 64_000, func(n int) string {
		return `{"error":{"code":404,"message":"m","status":"NOT_FOUND","errmap":{` + carried(n, "WIRE_HTTP") + members(n, "b") + `}}`
	}},
	{"members", forms[2], 64_000, func(n int) string {
		return `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND"` + members(n, "b") + `}`
	}},
	{"members of a Carried again", forms[3], 64_000, func(n int) string {
		return `{"code":5,"message":"m","errmap":{` + carried(n, "WIRE_STATUS") + members(n, "a") + `}`
	}},
	{"members of one name", forms[4], 256_000, func(n int) string {
		return `{"code":"not_found","message":"m"` + strings.Repeat(`,"a":1`, n) + `}`
	}},
	{"ErrorInfos", forms[0], 1024, func(n int) string {
		return `{"code":-32001,"message":"m","data":[` + list(n, manyInfos) + `]}`
	}},
	{"values", forms[0], 1_000_000, func(n int) string {
		return `{"code":-32001,"message":"m","data":[` + list(n, "1") + `]}`
	}},
}

// Rows of n, 2n and 4n parts, by the bytes that the error came as: what grows faster
// than they do, grows faster than linearly. Each form's reader gets what its writer
// made of the error, too, by the bytes of that.
func BenchmarkHostile(b *testing.B) {
	quiet := errmap.WithNotes(func(string) {})
	all := append([]form{{
		"JSON-RPC of A2A", func(e *errmap.Error) []byte { return errmap.EncodeJSONRPC(e, errmap.ProfileA2A) },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeJSONRPC(p, errmap.ProfileA2A) },
	}}, forms...)
	for _, h := range hostiles {
		for n := h.largest / 4; n <= h.largest; n *= 2 {
			body := []byte(h.input(n))
			row := func(work string, weight int, f func()) {
				b.Run(fmt.Sprintf("%s in %s, %s/%d", h.name, h.form.name, work, n), func(b *testing.B) {
					b.SetBytes(int64(weight))
					loop(b, f)
				})
			}
			e := must(h.form.decode(body))
			row("read", len(body), func() { must(h.form.decode(body)) })
			for _, f := range all {
				row("write "+f.name, len(body), func() { f.encode(e) })
				out := f.encode(e)
				if _, err := f.decode(out); err != nil {
					continue // larger than the limits
				}
				row("read "+f.name+" again", len(out), func() { must(f.decode(out)) })
			}
			row("write gRPC in a budget", len(body), func() { errmap.EncodeGRPC(e, quiet) })
			row("write gRPC whole", len(body), func() { errmap.EncodeGRPC(e, quiet, errmap.WithBudget(-1)) })
			headers := errmap.EncodeGRPC(e, quiet, errmap.WithBudget(-1)).Map()
			if _, err := errmap.DecodeGRPC(headers); err == nil && len(headers[errmap.HeaderGRPCDetails]) == 1 {
				row("read gRPC again", len(headers[errmap.HeaderGRPCDetails][0]), func() { must(errmap.DecodeGRPC(headers)) })
			}
		}
	}
}
