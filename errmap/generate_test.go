package errmap_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	_ "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/errmap"
)

// generator makes random errors and random bytes that look like errors.
type generator struct {
	*rand.Rand
	// tame keeps to what a peer's own JSON and Protobuf libraries leave as it is.
	tame bool
	// known keeps to the fields that the schemas know.
	known bool
}

func newGenerator(seed, stream uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, stream))}
}

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// messageTypes are the types that generated details have.
var messageTypes = []protoreflect.FullName{
	"google.rpc.ErrorInfo", "google.rpc.ErrorInfo", "google.rpc.ErrorInfo", "google.rpc.ErrorInfo",
	"google.rpc.RetryInfo", "google.rpc.DebugInfo", "google.rpc.QuotaFailure", "google.rpc.PreconditionFailure",
	"google.rpc.BadRequest", "google.rpc.RequestInfo", "google.rpc.ResourceInfo", "google.rpc.Help", "google.rpc.LocalizedMessage",
	"google.rpc.BadRequest.FieldViolation", "google.rpc.Status",
	"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue", "google.protobuf.Any", "google.protobuf.Empty",
	"google.protobuf.Duration", "google.protobuf.Timestamp", "google.protobuf.FieldMask",
	"google.protobuf.Int64Value", "google.protobuf.BoolValue", "google.protobuf.BytesValue", "google.protobuf.StringValue",
	"google.protobuf.DoubleValue", "google.protobuf.FloatValue", "google.protobuf.UInt64Value",
	"shop.v1.Everything", "shop.v1.StockEmptyError", "errmap.a2a.v1.TaskNotFoundError", "errmap.v1.Carried", "errmap.v1.Received",
}

// text returns a string: mostly short, now and then odd.
func (g *generator) text() string {
	switch g.IntN(14) {
	case 0:
		return ""
	case 1:
		return pick(g, "é", "日本語", "👋🏽", "a\u2028b", "<b>&'\"", "line1\r\nline2", "100%", "%41", " lead", "trail ", "\\u0041", "\x00\x1f\x7f")
	case 2:
		return strings.Repeat("x", g.IntN(40))
	case 3:
		return pick(g, "null", "true", "5", "-0", "1e400", "9007199254740993", "{}", "[]", "{\"a\":1}", "\"q\"", "[1, 2]", "@type", "@value")
	}
	return pick(g, "a", "sku", "A1", "taskId", "t-1", "uri", "details", "data", "key_2", "reason")
}

// dirty returns text that may not be UTF-8.
func (g *generator) dirty() string {
	s := g.text()
	if !g.tame && g.chance(6) {
		s += pick(g, "\xff", "caf\xe9", "\xc3", "\xed\xa0\x80", "a\xffb\xfe")
	}
	return s
}

func (g *generator) domain() string {
	return pick(g, "a2a-protocol.org", "modelcontextprotocol.io", "shop.example.com", "shop.example.com", "gw.example.com", "bad domain", "")
}

func (g *generator) reason() string {
	return pick(g, "TASK_NOT_FOUND", "TASK_NOT_CANCELABLE", "VERSION_NOT_SUPPORTED", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED",
		"STOCK_EMPTY", "STOCK_EMPTY", "HEADER_MISMATCH", "MISSING_REQUIRED_CLIENT_CAPABILITY", "UNSUPPORTED_PROTOCOL_VERSION", "RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND",
		"SHELF_FULL", "stockEmpty", "_A", "")
}

func (g *generator) errorInfo() *errdetails.ErrorInfo {
	info := &errdetails.ErrorInfo{Reason: g.reason(), Domain: g.domain()}
	for range g.IntN(4) {
		if info.Metadata == nil {
			info.Metadata = map[string]string{}
		}
		info.Metadata[pick(g, g.text(), "sku", "taskId", "uri", "supported", "requested", "requiredCapabilities", "data")] = pick(g, g.text(), `["1"]`, `{"a":{}}`)
	}
	return info
}

// message returns a random message of a type.
func (g *generator) message(name protoreflect.FullName, depth int) proto.Message {
	switch name {
	case "google.rpc.ErrorInfo":
		if g.chance(80) {
			return g.errorInfo()
		}
	case "errmap.v1.Carried":
		if g.chance(50) {
			return g.carried()
		}
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		panic(err)
	}
	m := mt.New()
	g.fill(m, depth)
	return m.Interface()
}

func (g *generator) fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.ContainingOneof() != nil && m.WhichOneof(fd.ContainingOneof()) != nil || g.chance(40) && fields.Len() > 1 {
			continue
		}
		if depth <= 0 && (fd.Message() != nil) {
			continue
		}
		switch {
		case fd.IsMap():
			for range g.IntN(3) {
				key := g.scalar(fd.MapKey()).MapKey()
				if fd.MapValue().Message() != nil {
					v := m.Mutable(fd).Map().NewValue()
					g.fill(v.Message(), depth-1)
					m.Mutable(fd).Map().Set(key, v)
				} else {
					m.Mutable(fd).Map().Set(key, g.scalar(fd.MapValue()))
				}
			}
		case fd.IsList():
			for range g.IntN(3) {
				if fd.Message() != nil {
					g.fill(m.Mutable(fd).List().AppendMutable().Message(), depth-1)
				} else {
					m.Mutable(fd).List().Append(g.scalar(fd))
				}
			}
		case fd.Message() != nil:
			g.fill(m.Mutable(fd).Message(), depth-1)
		default:
			m.Set(fd, g.scalar(fd))
		}
	}
	switch m.Descriptor().FullName() {
	case "google.protobuf.Any":
		inner := g.detail(depth - 1)
		m.Set(fields.ByName("type_url"), protoreflect.ValueOfString(inner.GetTypeUrl()))
		m.Set(fields.ByName("value"), protoreflect.ValueOfBytes(inner.GetValue()))
	case "google.protobuf.Duration":
		if g.chance(80) {
			m.Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(int64(g.IntN(100))))
			m.Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(pick[int32](g, 0, 500_000_000, 1)))
		}
	case "google.protobuf.Timestamp":
		if g.chance(80) {
			m.Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(int64(g.IntN(2_000_000_000))))
			m.Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(0))
		}
	}
	if !g.known && g.chance(6) {
		m.SetUnknown(g.unknownField())
	}
}

func (g *generator) unknownField() []byte {
	n := protowire.Number(pick(g, 99, 9999, 5000))
	if g.chance(50) {
		return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), g.Uint64())
	}
	return protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), g.text())
}

func (g *generator) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := pick(g, 0, 1, -1, int64(g.IntN(1000)), math.MaxInt32, math.MinInt32)
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(g.chance(60))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(pick(g, n, math.MaxInt64, 9007199254740993))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(pick(g, uint64(n), math.MaxUint64))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(pick(g, float32(n), 0.1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(pick(g, float64(n), 0.1, 9007199254740993, 1e300, math.Copysign(0, -1), float64(g.IntN(10)), math.NaN()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(g.text()))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(pick(g, 0, 1, 2, 77)))
	}
	return protoreflect.ValueOfString(g.text())
}

// detail returns one detail: linked, unlinked or broken.
func (g *generator) detail(depth int) *anypb.Any {
	switch g.IntN(16) {
	case 0:
		return &anypb.Any{TypeUrl: g.prefix() + "acme.v9.Mystery", Value: []byte(g.text())}
	case 1:
		return &anypb.Any{}
	case 2:
		return &anypb.Any{TypeUrl: pick(g, "", "/", "noslash", "x/", "type.googleapis.com/", "type.googleapis.com/not a name", "type.googleapis.com/"+g.text()), Value: []byte(g.text())}
	case 3: // broken bytes of a linked type
		return &anypb.Any{TypeUrl: g.prefix() + string(pick(g, messageTypes...)), Value: pick(g, []byte{0x0A, 0xFF}, []byte{0x08}, []byte("\x0a\x01\xff"), []byte("\x18\x01"), []byte("\x0a\x02\xc3\x28\x12\x01a"))}
	}
	name := pick(g, messageTypes...)
	value, err := proto.MarshalOptions{AllowPartial: true}.Marshal(g.message(name, max(depth, 0)))
	if err != nil {
		value = []byte{0xFF}
	}
	if !g.tame && g.chance(3) { // text that is not UTF-8
		value = append(value, 0x0A, 0x01, 0xFF)
	}
	if !g.known && g.chance(4) {
		value = append(value, g.unknownField()...)
	}
	return &anypb.Any{TypeUrl: g.prefix() + string(name), Value: value}
}

func (g *generator) prefix() string {
	if g.chance(90) {
		return "type.googleapis.com/"
	}
	return pick(g, "types.example.com/", "types.example.com/deep/", "", "/")
}

func (g *generator) code() int32 {
	if g.chance(85) {
		return 1 + g.Int32N(16)
	}
	return pick[int32](g, 17, 42, 404, 99, math.MaxInt32, -1, -5, math.MinInt32)
}

func (g *generator) status() *statuspb.Status {
	s := &statuspb.Status{Code: g.code(), Message: g.text()}
	for range g.IntN(4) {
		s.Details = append(s.Details, g.detail(2))
	}
	if len(s.Details) > 0 && g.chance(10) {
		s.Details = append(s.Details, proto.CloneOf(pick(g, s.Details...)))
	}
	if !g.tame && g.chance(5) {
		s.ProtoReflect().SetUnknown(g.unknownField())
	}
	return s
}

// made returns an error as a handler makes it. Fields that a schema does not know
// are left out: only what was received rides along.
func (g *generator) made() *errmap.Error {
	var e *errmap.Error
	g.known = true
	switch g.IntN(4) {
	case 0:
		e = errmap.New(g.message(pick[protoreflect.FullName](g, "shop.v1.StockEmptyError", "errmap.a2a.v1.TaskNotFoundError"), 2))
	case 1:
		e = errmap.New(pick[proto.Message](g, &mcpv1.ResourceNotFoundError{Uri: g.text()}, &mcpv1.HeaderMismatchError{}, &mcpv1.UnsupportedProtocolVersionError{Supported: []string{g.text()}},
			&mcpv1.MissingRequiredClientCapabilityError{}, &a2av1.VersionNotSupportedError{}, &a2av1.TaskNotFoundError{TaskId: g.text()}))
	default:
		e = errmap.NewCode(pick(g, allCodes...), g.dirty())
	}
	for range g.IntN(3) {
		e = e.WithDetail(g.message(pick(g, messageTypes[:14]...), 2))
	}
	return e
}

// carried returns a Carried that nobody should believe.
func (g *generator) carried() proto.Message {
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: []byte{0x0A, 0x01, 'X'}}}})
	if err != nil {
		panic(err)
	}
	_, body := errmap.EncodeHTTP(e)
	back, err := errmap.DecodeHTTP(append([]byte(`{"extra":1,`), body[1:]...))
	if err != nil {
		panic(err)
	}
	details := back.Status().GetDetails()
	m, err := details[len(details)-1].UnmarshalNew()
	if err != nil {
		panic(err)
	}
	return m
}

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

func (g *generator) httpStatus() int {
	if g.chance(40) {
		return 0
	}
	return pick(g, 400, 401, 403, 404, 409, 418, 429, 499, 500, 501, 503, 504, 599, 302)
}

// input returns foreign bytes of a wire's form.
func (g *generator) input(w wire) packet {
	p := packet{status: g.httpStatus()}
	switch {
	case w.name == "connect":
		p.body = []byte(g.connectBody())
	case w.name == "http":
		p.body = []byte(g.httpBody())
	case w.name == "problem":
		p.body = []byte(g.problemBody())
	case w.name == "statusjson":
		p.body = []byte(g.statusBody())
	case strings.HasPrefix(w.name, "jsonrpc"):
		p.status, p.body = 0, []byte(g.rpcObject())
	case w.name == "status":
		b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(g.status())
		if err != nil {
			panic(err)
		}
		p = packet{body: b}
	default:
		p = packet{headers: g.grpcHeaders()}
	}
	return p
}

func (g *generator) grpcHeaders() map[string][]string {
	s := g.status()
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(s)
	if err != nil {
		panic(err)
	}
	h := map[string][]string{
		"grpc-status":  {fmt.Sprint(pick(g, s.GetCode(), s.GetCode(), s.GetCode(), g.code()))},
		"grpc-message": {pick(g, s.GetMessage(), g.dirty())},
	}
	if g.chance(5) {
		h["grpc-status"] = []string{pick(g, "abc", "-1", "", "007", "99999999999")}
	}
	if g.chance(85) {
		if !g.tame && g.chance(5) {
			b = append(b, 0x12, 0x01, 0xFF)
		}
		h["grpc-status-details-bin"] = []string{base64.StdEncoding.EncodeToString(b)}
	}
	return h
}

// received returns an error as a peer's bytes say it, with the wire it came on.
func (g *generator) received() (*errmap.Error, wire, packet) {
	for {
		w := pick(g, allWires...)
		p := g.input(w)
		if e, err := w.decode(p); err == nil {
			return e, w, p
		}
	}
}
