package errmap_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
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
