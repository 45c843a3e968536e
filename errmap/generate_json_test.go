package errmap_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
)

// value returns JSON text of any kind.
func (g *generator) value(depth int) string {
	switch n := g.IntN(10); {
	case n < 2:
		return g.number()
	case n < 5 || depth <= 0:
		return g.quoted()
	case n == 5:
		return pick(g, "null", "true", "false", "{}", "[]", `""`)
	case n == 6:
		return g.array(depth, g.value)
	}
	return g.object(depth)
}

func (g *generator) array(depth int, element func(int) string) string {
	parts := make([]string, g.IntN(4))
	for i := range parts {
		parts[i] = element(depth - 1)
	}
	return "[" + g.space() + strings.Join(parts, g.space()+",") + "]"
}

func (g *generator) object(depth int) string {
	var members []string
	for range g.IntN(4) {
		members = append(members, g.member(pick(g, g.text(), "a", "b", "n"), g.value(depth-1)))
	}
	return g.join(members)
}

func (g *generator) member(name, value string) string {
	return quote(name) + g.space() + ":" + g.space() + value
}

// join makes an object of members, now and then with one of them twice.
func (g *generator) join(members []string) string {
	if len(members) > 0 && !g.tame {
		if g.chance(4) {
			members = append(members, pick(g, members...))
		}
		if g.chance(3) {
			name, value, _ := strings.Cut(pick(g, members...), ":")
			members = append(members, pick(g, strings.ToUpper(name), strings.ToUpper(name[:2])+name[2:])+":"+value)
		}
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	if g.tame { // a name twice would not survive a peer's own decoder
		seen := map[string]bool{}
		kept := members[:0]
		for _, m := range members {
			name, _, _ := strings.Cut(m, ":")
			if name = strings.TrimSpace(name); !seen[name] {
				seen[name] = true
				kept = append(kept, m)
			}
		}
		members = kept
	}
	return "{" + strings.Join(members, g.space()+",") + g.space() + "}"
}

func (g *generator) space() string {
	if g.chance(90) {
		return ""
	}
	return pick(g, " ", "\n", "\t ", "\r\n")
}

func (g *generator) number() string {
	if g.tame {
		return pick(g, "0", "5", "-7", "0.5", "1e3", "9007199254740991")
	}
	return pick(g, "0", "5", "-7", "-0", "0.0", "1.0", "0.1", "1e3", "1E+2", "1e400", "-1e-400", "9007199254740993", "12345678901234567890123", "1.10", "3.14159265358979323846", "1e999999999999")
}

func (g *generator) quoted() string {
	if !g.tame && g.chance(8) {
		return pick(g, `"\ud800"`, `"a\uDFFFb"`, "\"\xff\"", "\"caf\xe9\"", `"\u00e9"`, `"\/"`, `"\ud83d\ude00"`, `"\u0000"`, "\"\u007f\u2029\"")
	}
	return quote(g.text())
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// element returns an element of a list of details in JSON.
func (g *generator) element(depth int) string {
	switch g.IntN(14) {
	case 0:
		return g.value(depth)
	case 1:
		return g.object(depth)
	case 2:
		return "{}"
	case 3:
		return g.join([]string{g.member("@type", quote("type.googleapis.com/acme.v9.Mystery")), g.member("n", g.value(depth-1)), g.member("s", g.value(depth-1))})
	case 4:
		members := []string{g.member("@type", quote(g.prefix()+string(pick(g, messageTypes...)))), g.member("@value", quote(base64.StdEncoding.EncodeToString([]byte(g.text()))))}
		if g.chance(20) {
			members = append(members, g.member("more", g.value(1)))
		}
		return g.join(members)
	case 5:
		return g.join([]string{g.member("@type", quote("type.googleapis.com/google.rpc.Status")), g.member("code", pick(g, "1", "5", "16", "17", "0", `"5"`, "5.0", g.number()))})
	case 6: // ErrorInfo that ProtoJSON refuses or that says more
		return g.join([]string{
			g.member("@type", quote("type.googleapis.com/google.rpc.ErrorInfo")), g.member("reason", pick(g, quote(g.reason()), g.value(1))),
			g.member("domain", quote(g.domain())), g.member("metadata", g.object(depth)), g.member(pick(g, "extra", "Reason"), g.value(1)),
		})
	case 7: // a linked type with values of other types
		return g.join([]string{g.member("@type", quote(g.prefix()+string(pick(g, messageTypes...)))), g.member(pick(g, "value", "retryDelay", "links", "fieldViolations", "detail", "n"), g.value(depth))})
	case 8:
		return g.join([]string{g.member("@type", g.value(1)), g.member("n", g.value(1))})
	}
	d := g.detail(2)
	text, err := protojson.Marshal(d)
	if err != nil {
		return g.join([]string{g.member("@type", quote(d.GetTypeUrl())), g.member("@value", quote(base64.StdEncoding.EncodeToString(d.GetValue())))})
	}
	if g.chance(15) {
		return strings.Replace(string(text), "}", `,"added":`+g.value(1)+"}", 1)
	}
	return string(text)
}

func (g *generator) elements() string {
	return g.array(3, g.element)
}

// odd returns text, or now and then a value of another type.
func (g *generator) odd(text string) string {
	if g.chance(8) {
		return g.value(1)
	}
	return text
}

func (g *generator) extras(members []string) []string {
	for g.chance(15) {
		members = append(members, g.member(pick(g, "extra", "trace", "x-a", "instance", "errors", "jsonrpc", "error", "id", g.text()), g.value(2)))
	}
	return members
}

func (g *generator) maybe(percent int, members []string, name, value string) []string {
	if g.chance(percent) {
		return append(members, g.member(name, value))
	}
	return members
}

// rpcObject returns an error object of JSON-RPC.
func (g *generator) rpcObject() string {
	number := fmt.Sprint(pick(g, -32001, -32002, -32009, -32020, -32021, -32022, -32042, -32602, -32603, -32601, -32600, -32700, -32000, -31404, -31409, 4010, 1, 0, -31000-pick(g, 400, 403, 499), g.IntN(100000)-50000))
	var members []string
	members = g.maybe(95, members, "code", g.odd(pick(g, number, number, number, number+".0", quote(number), number+"e0", "1e2")))
	members = g.maybe(95, members, "message", g.odd(g.quoted()))
	members = g.maybe(85, members, "data", pick(g, g.elements, g.elements, func() string { return g.value(3) }, func() string { return g.element(2) }, g.mcpData)())
	s := g.join(g.extras(members))
	if g.chance(8) {
		s = `{"jsonrpc":"2.0","id":1,"error":` + s + `}`
	}
	return s
}

func (g *generator) mcpData() string {
	var members []string
	members = g.maybe(50, members, "uri", g.odd(quote(g.text())))
	members = g.maybe(40, members, "supported", g.odd(`["1","2"]`))
	members = g.maybe(40, members, "requested", g.odd(quote(g.text())))
	members = g.maybe(40, members, "requiredCapabilities", g.odd(`{"sampling":{}}`))
	members = g.maybe(40, members, "details", g.odd(g.elements()))
	return g.join(g.extras(members))
}

func (g *generator) httpBody() string {
	var members []string
	members = g.maybe(85, members, "code", g.odd(pick(g, "400", "404", "409", "429", "500", "503", "200", "99", "5", "16", "17", `"409"`, "404.0", "1000", "418")))
	members = g.maybe(90, members, "message", g.odd(g.quoted()))
	members = g.maybe(80, members, "status", g.odd(quote(pick(g, "NOT_FOUND", "FAILED_PRECONDITION", "UNKNOWN", "SHELF_FULL", "OK", "", "CANCELLED", "not_found"))))
	members = g.maybe(75, members, "details", g.odd(g.elements()))
	s := g.join(g.extras(members))
	switch g.IntN(10) {
	case 0:
		return s
	case 1:
		return `[{"error":` + s + `}]`
	case 2:
		return g.join(g.extras([]string{g.member("error", s)}))
	case 3:
		return g.join(g.extras([]string{g.member("error", g.quoted())}))
	}
	return `{"error":` + s + `}`
}

func (g *generator) problemBody() string {
	var members []string
	members = g.maybe(70, members, "type", g.odd(quote(pick(g, "about:blank", "https://a2a-protocol.org/errors/version-not-supported", "https://shop.example.com/errors/stock-empty", "https://x.example.com/p", ""))))
	members = g.maybe(60, members, "title", g.odd(pick(g, g.quoted(), `"Not Found"`, `"The stock is empty"`)))
	members = g.maybe(70, members, "status", g.odd(pick(g, "400", "404", "409", "499", "503", "200", `"404"`, "404.0", "99", "1000")))
	members = g.maybe(80, members, "detail", g.odd(g.quoted()))
	members = g.maybe(60, members, "code", g.odd(quote(pick(g, "NOT_FOUND", "FAILED_PRECONDITION", "UNKNOWN", "SHELF_FULL", "OK", ""))))
	members = g.maybe(40, members, "reason", g.odd(quote(g.reason())))
	members = g.maybe(40, members, "domain", g.odd(quote(g.domain())))
	members = g.maybe(40, members, "metadata", g.object(2))
	members = g.maybe(50, members, "details", g.odd(g.elements()))
	members = g.maybe(15, members, "errors", g.value(2))
	members = g.maybe(15, members, "instance", g.value(1))
	return g.join(g.extras(members))
}

func (g *generator) connectBody() string {
	var members []string
	members = g.maybe(90, members, "code", g.odd(quote(pick(g, "not_found", "failed_precondition", "canceled", "unknown", "ok", "NOT_FOUND", "code_42", "code_-5", "code_0", "shelf_full", ""))))
	members = g.maybe(90, members, "message", g.odd(g.quoted()))
	members = g.maybe(80, members, "details", g.odd(g.array(2, func(int) string {
		d := g.detail(2)
		inner := []string{g.member("type", g.odd(quote(pick(g, d.GetTypeUrl(), string(d.MessageName()))))), g.member("value", g.odd(quote(base64.RawStdEncoding.EncodeToString(d.GetValue()))))}
		inner = g.maybe(30, inner, "debug", g.value(2))
		inner = g.maybe(10, inner, "more", g.value(2))
		return g.odd(g.join(inner))
	})))
	return g.join(g.extras(members))
}

func (g *generator) statusBody() string {
	var members []string
	members = g.maybe(95, members, "code", g.odd(pick(g, fmt.Sprint(g.code()), quote("NOT_FOUND"), `"5"`, "5.0")))
	members = g.maybe(90, members, "message", g.odd(g.quoted()))
	members = g.maybe(80, members, "details", g.odd(g.elements()))
	return g.join(g.extras(members))
}
