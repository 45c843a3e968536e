package protojson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	_ "google.golang.org/genproto/googleapis/rpc/status"
	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	_ "github.com/errmap/errmap/gen/errmap/a2a/v1"
	_ "github.com/errmap/errmap/gen/errmap/mcp/v1"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/hybrid2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/mixed2024"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/names"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/open2023"
	_ "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// edges are values at the bounds of their kinds.
var (
	edgeInts   = []int64{0, 1, -1, 127, 128, -128, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 53}
	edgeFloats = []float64{
		0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.9e-7, 1e20, 1e21, 0.1, 9007199254740993, math.MaxFloat32, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, math.NaN(), math.Inf(1), math.Inf(-1),
	}
	edgeTexts = []string{
		"", "a", "b", "é€😀", "\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028<>&", "\ufffd", strings.Repeat("x", 126), strings.Repeat("y", 128),
		strings.Repeat("ü", 90), "aZ_", "1", "true",
	}
	edgePaths = []string{"a", "a_b", "a.b_c", "_a", "a1.b2"}
)

// generator makes random messages.
type generator struct {
	*rand.Rand
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // it is to be the same each time
}

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

// fill sets some of the fields of a message, to values at their bounds.
func (g *generator) fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	if name := m.Descriptor().FullName(); strings.HasPrefix(string(name), "google.protobuf.") && g.IntN(20) > 0 {
		if g.wellKnown(m, name, depth) {
			return
		}
	}
	for i := range fields.Len() {
		fd := fields.Get(i)
		if g.IntN(3) == 0 {
			continue
		}
		switch {
		case fd.IsMap():
			entries := m.Mutable(fd).Map()
			for range g.IntN(4) {
				if fd.MapValue().Message() == nil {
					entries.Set(g.scalar(fd.MapKey()).MapKey(), g.scalar(fd.MapValue()))
				} else if v := entries.NewValue(); depth > 0 {
					g.fill(v.Message(), depth-1)
					entries.Set(g.scalar(fd.MapKey()).MapKey(), v)
				}
			}
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range g.IntN(4) {
				if fd.Message() == nil {
					list.Append(g.scalar(fd))
				} else if v := list.NewElement(); depth > 0 {
					g.fill(v.Message(), depth-1)
					list.Append(v)
				}
			}
		case fd.Message() != nil:
			if depth > 0 {
				g.fill(m.Mutable(fd).Message(), depth-1)
			}
		default:
			m.Set(fd, g.scalar(fd))
		}
	}
}

// wellKnown fills a message of google.protobuf with what ProtoJSON says; it is false
// for others.
func (g *generator) wellKnown(m protoreflect.Message, name protoreflect.FullName, depth int) bool {
	fields := m.Descriptor().Fields()
	switch name {
	case "google.protobuf.Any":
		inner := pick(g, messageTypes()).New()
		if depth > 0 && g.IntN(8) > 0 {
			g.fill(inner, depth-1)
			value, _ := proto.MarshalOptions{AllowPartial: true}.Marshal(inner.Interface())
			prefix := "type.googleapis.com/"
			if g.IntN(9) == 0 {
				prefix = "example.com/é\"/"
			}
			m.Set(fields.ByNumber(1), protoreflect.ValueOfString(prefix+string(inner.Descriptor().FullName())))
			m.Set(fields.ByNumber(2), protoreflect.ValueOfBytes(value))
		}
	case "google.protobuf.Timestamp":
		m.Set(fields.ByNumber(1), protoreflect.ValueOfInt64(pick(g, []int64{0, 1, -1, 1700000000, -62135596800, 253402300799})))
		m.Set(fields.ByNumber(2), protoreflect.ValueOfInt32(pick(g, []int32{0, 1, 1000, 120000, 999999999, 500000000})))
	case "google.protobuf.Duration":
		m.Set(fields.ByNumber(1), protoreflect.ValueOfInt64(pick(g, []int64{0, 1, 60, 315576000000})))
		m.Set(fields.ByNumber(2), protoreflect.ValueOfInt32(pick(g, []int32{0, 1, 1000, 120000, 999999999, 500000000})))
	case "google.protobuf.FieldMask":
		for range g.IntN(4) {
			m.Mutable(fields.ByNumber(1)).List().Append(protoreflect.ValueOfString(pick(g, edgePaths)))
		}
	case "google.protobuf.Value":
		fd := fields.Get(g.IntN(6))
		switch {
		case fd.Message() != nil && depth > 0:
			g.fill(m.Mutable(fd).Message(), depth-1)
		case fd.Kind() == protoreflect.DoubleKind:
			m.Set(fd, protoreflect.ValueOfFloat64(pick(g, []float64{0, 1, -1.5, 1e21, 9007199254740993, 0.1})))
		case fd.Kind() == protoreflect.EnumKind || fd.Message() != nil:
			m.Set(fields.ByNumber(1), protoreflect.ValueOfEnum(0))
		default:
			m.Set(fd, g.scalar(fd))
		}
	default:
		return false
	}
	return true
}

func (g *generator) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	whole := pick(g, edgeInts)
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(whole > 0)
	case protoreflect.EnumKind:
		if values := fd.Enum().Values(); g.IntN(2) == 0 || fd.Enum().IsClosed() || fd.Enum().FullName() == "google.protobuf.NullValue" && g.IntN(9) > 0 {
			return protoreflect.ValueOfEnum(values.Get(g.IntN(values.Len())).Number())
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(whole))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(whole))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(whole)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(whole))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(whole))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(pick(g, edgeFloats)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(pick(g, edgeFloats))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(pick(g, edgeTexts)))
	}
	return protoreflect.ValueOfString(pick(g, edgeTexts))
}

// messageTypes are the types of the tests.
var messageTypes = sync.OnceValue(func() []protoreflect.MessageType {
	var types []protoreflect.MessageType
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		name := string(mt.Descriptor().FullName())
		file := mt.Descriptor().ParentFile().Path()
		if !strings.HasPrefix(file, "google/api/") && file != "google/protobuf/descriptor.proto" && !strings.HasPrefix(name, "grpc.") {
			types = append(types, mt)
		}
		return true
	})
	slices.SortFunc(types, func(a, b protoreflect.MessageType) int {
		return strings.Compare(string(a.Descriptor().FullName()), string(b.Descriptor().FullName()))
	})
	for range 10 {
		types = append(types, (*errdetails.ErrorInfo)(nil).ProtoReflect().Type(), (*shopv1.Everything)(nil).ProtoReflect().Type())
	}
	return types
})

// disturb writes the fields of a message otherwise: in another order, twice, with
// unknown ones between.
func (g *generator) disturb(wire []byte) []byte {
	var parts [][]byte
	for rest := wire; len(rest) > 0; {
		_, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			return wire
		}
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	if len(parts) == 0 {
		return wire
	}
	for range 1 + g.IntN(3) {
		switch i, j := g.IntN(len(parts)), g.IntN(len(parts)); g.IntN(6) {
		case 0, 1:
			parts[i], parts[j] = parts[j], parts[i]
		case 2:
			parts = append(parts, parts[i])
		case 3: // within
			if number, kind, n := protowire.ConsumeTag(parts[i]); kind == protowire.BytesType {
				content, _ := protowire.ConsumeBytes(parts[i][n:])
				parts[i] = protowire.AppendBytes(protowire.AppendTag(nil, number, kind), g.disturb(content))
			}
		case 4: // another value, perhaps of another wire type
			number, _, _ := protowire.ConsumeTag(parts[i])
			parts = slices.Insert(parts, j, pick(g, [][]byte{
				protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(g.IntN(3))),
				protowire.AppendFixed32(protowire.AppendTag(nil, number, protowire.Fixed32Type), uint32(g.IntN(3))),
				protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), uint64(g.IntN(3))),
				protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), pick(g, [][]byte{nil, {8, 1}, {10, 0}, {10, 1, 255}, {18, 1, 'x'}})),
			}))
		default:
			if g.IntN(4) == 0 {
				parts = slices.Insert(parts, j, protowire.AppendVarint(protowire.AppendTag(nil, protowire.Number(1+g.IntN(600)), protowire.VarintType), 5))
			}
		}
	}
	return slices.Concat(parts...)
}

// garble changes a JSON text in one place.
func (g *generator) garble(text []byte) []byte {
	pieces := []string{
		`null`, `"`, `\u0041`, `\ud800`, ` `, `,`, `{}`, `[`, `]`, `-`, `0`, `.5`, `e1`, `E-2`, `9`, `"NaN"`, `-0`, `:`, `true`, `=`, `_`, "\u00e9", `\`,
		`"@type":`, `"value":`, `1.0`, `"1e2"`, `,"x":1`, `[null]`, `00000000000000000`,
	}
	at := g.IntN(len(text) + 1)
	to := min(at+g.IntN(5), len(text))
	return append(append(bytes.Clone(text[:at]), pick(g, pieces)...), text[to:]...)
}

// libraryText is what protobuf's protojson writes, without white space.
func libraryText(m proto.Message) ([]byte, error) {
	text, err := libjson.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, text)
	return compact.Bytes(), err
}

func anyOf(mt protoreflect.MessageType, value []byte) *anypb.Any {
	return &anypb.Any{TypeUrl: "type.googleapis.com/" + string(mt.Descriptor().FullName()), Value: value}
}

// ascends tells whether the fields of a message stand in the order of their numbers,
// at every depth that desc knows.
func ascends(t *testing.T, md protoreflect.MessageDescriptor, wire []byte) bool {
	t.Helper()
	last := protowire.Number(0)
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		size := protowire.ConsumeFieldValue(number, kind, wire[max(n, 0):])
		if n < 0 || size < 0 || number < last {
			return false
		}
		fd := md.Fields().ByNumber(number)
		if fd != nil && fd.Kind() == protoreflect.MessageKind {
			content, _ := protowire.ConsumeBytes(wire[n:])
			if !ascends(t, fd.Message(), content) {
				return false
			}
		}
		if fd != nil && !fd.IsList() && !fd.IsMap() && number == last {
			return false
		}
		last = number
		wire = wire[n+size:]
	}
	return true
}

var global = protoregistry.GlobalTypes
