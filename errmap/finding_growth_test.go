package errmap_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

// hostileShape is an error made to cost more than it weighs, with n parts.
type hostileShape struct {
	name, from string
	largest    int // the most parts that the limits let through
	input      func(n int) packet
}

func bodyOf(text string) packet { return packet{body: []byte(text)} }

// manyMembers are n members with names that begin so, each after a comma.
func manyMembers(n int, prefix string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s%d":1`, prefix, i)
	}
	return b.String()
}

// carriedMembers is a Carried for NOT_FOUND "m" with n members of a wire.
func carriedMembers(n int, wire string) string {
	return `{"received":[{"wire":"` + wire + `","members":` + quote("{"+manyMembers(n, "a")[1:]+"}") + `}],"check":"zyJpBA=="}`
}

// hostileShapes are one input of each kind for every reader.
var hostileShapes = []hostileShape{
	{"A03 members beside a Carried", generic, 8000, func(n int) packet {
		return bodyOf(`{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/errmap.v1.Carried",` + carriedMembers(n, "WIRE_JSONRPC")[1:] + `]` + manyMembers(n, "b") + `}`)
	}},
	{"A03 members beside a Carried", "http", 8000, func(n int) packet {
		return bodyOf(`{"error":{"code":404,"message":"m","status":"NOT_FOUND","errmap":` + carriedMembers(n, "WIRE_HTTP") + manyMembers(n, "b") + `}}`)
	}},
	{"A03 the same members in a Carried", "statusjson", 8000, func(n int) packet {
		return bodyOf(`{"code":5,"message":"m","errmap":` + carriedMembers(n, "WIRE_STATUS") + manyMembers(n, "a") + `}`)
	}},
	{"A03 members of a problem", "problem", 16000, func(n int) packet {
		return bodyOf(`{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND"` + manyMembers(n, "b") + `}`)
	}},
	{"A03 members around an error that has them", "http", 8000, func(n int) packet {
		return bodyOf(`{"error":{"code":404,"message":"m","status":"NOT_FOUND"` + manyMembers(n, "a") + `}` + manyMembers(n, "a") + `}`)
	}},
	{"A03 members of one name", "connect", 16000, func(n int) packet {
		return bodyOf(`{"code":"not_found","message":"m"` + strings.Repeat(`,"a":1`, n) + `}`)
	}},
	{"A03 members of details", "connect", 1000, func(n int) packet {
		return bodyOf(`{"code":"not_found","message":"m","details":[` + strings.Repeat(`{"type":"a.B","value":"AA","t":1},`, n-1) + `{"type":"a.B","value":"AA"` + manyMembers(n, "t") + `}]}`)
	}},
	{"A04 ErrorInfos", generic, 1024, func(n int) packet {
		return bodyOf(`{"code":-32001,"message":"m","data":[` + strings.Repeat(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d.example.com","metadata":{"a":"1","b":"2","c":"3"}},`, n-1) + `{}]}`)
	}},
	{"A04 ErrorInfos that say more", "http", 1024, func(n int) packet {
		return bodyOf(`{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + strings.Repeat(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d.example.com","more":1},`, n-1) + `{}]}}`)
	}},
	{"A04 entries of one ErrorInfo", "problem", 16000, func(n int) packet {
		return bodyOf(`{"title":"m","status":404,"reason":"R","domain":"d","metadata":{` + strings.ReplaceAll(manyMembers(n, "k"), ":1", `:"v"`)[1:] + `}}`)
	}},
	{"A06 Any in Any", "status", 100, func(n int) packet {
		detail := &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.RetryInfo"}
		for range 80 {
			value, err := proto.Marshal(detail)
			if err != nil {
				panic(err)
			}
			detail = &anypb.Any{TypeUrl: "type.googleapis.com/google.protobuf.Any", Value: value}
		}
		s := &statuspb.Status{Code: 5, Message: "m"}
		for range n {
			s.Details = append(s.Details, detail)
		}
		body, err := proto.Marshal(s)
		if err != nil {
			panic(err)
		}
		return packet{body: body}
	}},
	{"A06 Any in Any as JSON", "statusjson", 100, func(n int) packet {
		element := strings.Repeat(`{"@type":"type.googleapis.com/google.protobuf.Any","value":`, 80) + `{"@type":"type.googleapis.com/google.rpc.RetryInfo"}` + strings.Repeat("}", 80)
		return bodyOf(`{"code":5,"message":"m","details":[` + strings.Repeat(element+",", n-1) + element + `]}`)
	}},
	{"A07 values on a profile's own number", generic, 32000, func(n int) packet {
		return bodyOf(`{"code":-32001,"message":"m","data":[` + strings.Repeat("1,", n-1) + `1]}`)
	}},
	{"A07 values under the profile", a2a, 32000, func(n int) packet {
		return bodyOf(`{"code":-32001,"message":"m","data":[` + strings.Repeat("1,", n-1) + `1]}`)
	}},
	{"A07 members under the profile", a2a, 16000, func(n int) packet {
		return bodyOf(`{"code":-32001,"message":"m","data":{` + manyMembers(n, "a")[1:] + `}}`)
	}},
	{"A07 values in one of MCP's objects", mcp, 32000, func(n int) packet {
		return bodyOf(`{"code":-32022,"message":"m","data":{"supported":[` + strings.Repeat(`"1",`, n-1) + `"1"],"requested":"2"}}`)
	}},
}

// allocated returns how many bytes and objects f allocates.
func allocated(f func()) (bytes, objects int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc), int(after.Mallocs - before.Mallocs)
}

func (p packet) size() int {
	n := len(p.body)
	for name, values := range p.headers {
		n += len(name) + len(values[0])
	}
	return n
}

// Whatever an error is made of, each reader and each writer allocates in proportion
// to what it weighs, at every size up to the limits. It is not run beside other
// tests: what they allocate would count.
func TestGrowth_readers_and_writers(t *testing.T) {
	within := errmap.WithBudget(2000)
	for _, shape := range hostileShapes {
		for n := shape.largest / 4; n <= shape.largest; n *= 2 {
			in := shape.input(n)
			check := func(what string, weight int, f func()) {
				b, objects := allocated(f)
				if b > 64*weight+64<<10 || objects > weight/2+500 {
					t.Errorf("%s, %d parts, %s: %d bytes in %d objects for %d", shape.name, n, what, b, objects, weight)
				}
			}
			from := wireNamed(t, shape.from)
			var e *errmap.Error
			check("read "+from.name, in.size(), func() {
				var err error
				if e, err = from.decode(in); err != nil {
					t.Fatal(err)
				}
			})
			for _, w := range allWires {
				var p packet
				check("write "+w.name, in.size(), func() { p = w.encode(e) })
				check("read again "+w.name, p.size(), func() {
					if _, err := w.decode(p); err != nil {
						t.Fatal(err)
					}
				})
			}
			check("write within a budget", in.size(), func() { errmap.EncodeGRPC(e, within, quiet) })
		}
	}
}
