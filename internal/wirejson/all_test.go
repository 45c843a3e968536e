package wirejson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/hybrid2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/mixed2024"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/names"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/open2023"
	"github.com/errmap/errmap/internal/wirejson"
)

// edges are values at the bounds of their kinds.
var (
	edgeInts   = []int64{0, 1, -1, 127, 128, -128, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 53}
	edgeFloats = []float64{0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.9e-7, 1e20, 1e21, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	edgeTexts  = []string{"", "a", "é€😀", "\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028<>&", strings.Repeat("x", 126), strings.Repeat("y", 128), strings.Repeat("ü", 9000)}
)

// fill sets some of the fields of a message, to values at their bounds.
func fill(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if r.IntN(3) == 0 {
			continue
		}
		switch {
		case fd.IsMap():
			if r.IntN(4) == 0 && fd.MapValue().Message() == nil {
				m.Mutable(fd).Map().Set(scalar(r, fd.MapKey()).MapKey(), scalar(r, fd.MapValue()))
			}
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range r.IntN(4) {
				if fd.Message() == nil {
					list.Append(scalar(r, fd))
				} else if v := list.NewElement(); depth > 0 {
					fill(r, v.Message(), depth-1)
					list.Append(v)
				}
			}
		case fd.Message() != nil:
			if depth > 0 {
				fill(r, m.Mutable(fd).Message(), depth-1)
			}
		default:
			m.Set(fd, scalar(r, fd))
		}
	}
}

func scalar(r *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	whole, text := edgeInts[r.IntN(len(edgeInts))], edgeTexts[r.IntN(len(edgeTexts))]
	float := edgeFloats[r.IntN(len(edgeFloats))]
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(whole > 0)
	case protoreflect.EnumKind:
		if values := fd.Enum().Values(); r.IntN(2) == 0 || fd.Enum().IsClosed() {
			return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
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
		return protoreflect.ValueOfFloat32(float32(float))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float)
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(text))
	}
	return protoreflect.ValueOfString(text)
}

// garble changes a JSON text in one place.
func garble(r *rand.Rand, text []byte) []byte {
	pieces := []string{`null`, `"`, `\u0041`, `\ud800`, ` `, `,`, `{}`, `[`, `]`, `-`, `0`, `.5`, `e1`, `E-2`, `9`, `"NaN"`, `-0`, `:`, `true`, "\xff", `=`, `_`, "\u00e9", `\`}
	at := r.IntN(len(text) + 1)
	to := min(at+r.IntN(5), len(text))
	piece := pieces[r.IntN(len(pieces))]
	return append(append(bytes.Clone(text[:at]), piece...), text[to:]...)
}

// TestMessage_allTypes compares, for every message that is linked, what is written
// and read with what protojson writes and reads.
func TestMessage_allTypes(t *testing.T) {
	t.Parallel()
	var set wirejson.Set
	took, wrote := 0, 0
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // it is to be the same each time
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		known := set.Message(mt.Descriptor())
		if known == nil || strings.HasPrefix(string(mt.Descriptor().FullName()), "google.protobuf.") {
			return true
		}
		for range rounds {
			m := mt.New()
			fill(r, m, 2)
			text, err := protojson.Marshal(m.Interface())
			out, ok := known.Append([]byte("x"), m.Interface())
			if err != nil {
				if ok {
					t.Fatalf("%s: %v is written as %s", mt.Descriptor().FullName(), m, out)
				}
				continue
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, text); err != nil {
				t.Fatal(err)
			}
			if ok {
				wrote++
				if string(out) != "x"+compact.String() {
					t.Fatalf("%s is written as\n%s, want\n%s", mt.Descriptor().FullName(), out, compact.Bytes())
				}
			}
			for _, text := range [][]byte{compact.Bytes(), text, garble(r, compact.Bytes()), garble(r, garble(r, compact.Bytes()))} {
				read := mt.New().Interface()
				if _, ok := known.Read(text, read, nil); ok {
					took++
					checkRead(t, text, read)
				}
			}
		}
		return true
	})
	t.Logf("%d read, %d written", took, wrote)
	if took < 1000 || wrote < 1000 {
		t.Errorf("only %d were read, %d written", took, wrote)
	}
}

const rounds = 20
