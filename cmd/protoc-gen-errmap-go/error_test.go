package main_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/errmap/errmap/internal/plugin"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/hybrid2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/mixed2024"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/names"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2024"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/open2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto2"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto3"
)

// scalars returns a message whose every field is set, which the tests change.
func scalars(change func(*proto3.ScalarsError)) *proto3.ScalarsError {
	m := &proto3.ScalarsError{
		ADouble: 1.5, AFloat: -0.1, AnInt32: math.MinInt32, AnInt64: math.MinInt64,
		AUint32: math.MaxUint32, AUint64: math.MaxUint64, ASint32: -1, ASint64: 1,
		AFixed32: 7, AFixed64: 8, ASfixed32: -9, ASfixed64: -10,
		ABool: true, AString: `a "text" é`, ABytes: []byte{0xfb, 0xff}, AColor: proto3.Color_COLOR_CRIMSON,
	}
	if change != nil {
		change(m)
	}
	return m
}

func TestGenerated_Error(t *testing.T) {
	t.Parallel()
	const (
		scalarsPrefix  = "INVALID_ARGUMENT proto3.example.com/SCALARS: "
		optionalPrefix = "INVALID_ARGUMENT proto3.example.com/OPTIONALS: "
		scalarsTail    = "|-2147483648|-9223372036854775808|4294967295|18446744073709551615|-1|1|7|8|-9|-10|true|a \"text\" é|+/8=|COLOR_RED"
	)
	fields := &proto2.FieldsError{
		Count: proto.Int32(0), Name: proto.String(""), Data: []byte{}, Ratio: proto.Float64(0),
		Color: proto2.Color_COLOR_RED.Enum(), Flag: proto.Bool(false),
	}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"placeholder", &proto3.OrderNotFoundError{OrderId: "7"}, "NOT_FOUND proto3.example.com/ORDER_NOT_FOUND: Order 7 not found"},
		{"unset", &proto3.OrderNotFoundError{}, "NOT_FOUND proto3.example.com/ORDER_NOT_FOUND: Order not found"},
		{"nil", (*proto3.OrderNotFoundError)(nil), "NOT_FOUND proto3.example.com/ORDER_NOT_FOUND: Order not found"},
		{"no message", &proto3.HTTPTimeoutError{}, "DEADLINE_EXCEEDED proto3.example.com/HTTP_TIMEOUT: HTTP_TIMEOUT"},
		{"constant", &proto3.ConstantError{}, "INTERNAL other.example.com/FIXED: {\"always\"} the same, é\n"},
		{"twice", &proto3.TwiceError{Name: "n"}, "ALREADY_EXISTS proto3.example.com/TWICE: nn"},
		{"getter names", &proto3.GetterError{Name: "a", GetName_: "b", String_: "c"}, "UNKNOWN proto3.example.com/GETTER: a b c"},
		{"nested", &proto3.Outer_Inner_DeepError{Name: "x"}, "DATA_LOSS proto3.example.com/DEEP: deep x"},
		{"named Error", &proto3.Outer_Error{}, "UNAVAILABLE proto3.example.com/ERROR: ERROR"},

		{"scalars", scalars(nil), scalarsPrefix + "1.5|-0.1" + scalarsTail},
		{"big and small", scalars(func(m *proto3.ScalarsError) { m.ADouble, m.AFloat = 1e21, 1e-7 }), scalarsPrefix + "1e+21|1e-7" + scalarsTail},
		{"not a number", scalars(func(m *proto3.ScalarsError) { m.ADouble, m.AFloat = math.NaN(), float32(math.Inf(-1)) }), scalarsPrefix + "NaN|-Infinity" + scalarsTail},
		{"infinity", scalars(func(m *proto3.ScalarsError) { m.ADouble = math.Inf(1) }), scalarsPrefix + "Infinity|-0.1" + scalarsTail},
		{"negative zero is a value", scalars(func(m *proto3.ScalarsError) { m.ADouble = math.Copysign(0, -1) }), scalarsPrefix + "-0|-0.1" + scalarsTail},
		{"zero is none", scalars(func(m *proto3.ScalarsError) { m.ADouble = 0 }), scalarsPrefix + "unset"},
		{"false is none", scalars(func(m *proto3.ScalarsError) { m.ABool = false }), scalarsPrefix + "unset"},
		{"no bytes are none", scalars(func(m *proto3.ScalarsError) { m.ABytes = []byte{} }), scalarsPrefix + "unset"},
		{"zero enum is none", scalars(func(m *proto3.ScalarsError) { m.AColor = 0 }), scalarsPrefix + "unset"},
		{"unknown enum", scalars(func(m *proto3.ScalarsError) { m.AColor = 9 }), scalarsPrefix + "1.5|-0.1" + strings.TrimSuffix(scalarsTail, "COLOR_RED") + "9"},

		{"optional zeros", &proto3.OptionalsError{
			Count: proto.Int32(0), Name: proto.String(""), Data: []byte{}, Ratio: proto.Float32(0),
			Color: proto3.Color_COLOR_UNSPECIFIED.Enum(), Nothing: structpb.NullValue_NULL_VALUE.Enum(),
		}, optionalPrefix + "0|||0|COLOR_UNSPECIFIED|null"},
		{"optional missing", &proto3.OptionalsError{Count: proto.Int32(1)}, optionalPrefix + "unset"},

		{"oneof", &proto3.OneofError{Subject: &proto3.OneofError_Name{}}, "ABORTED proto3.example.com/ONEOF: "},
		{"other of the oneof", &proto3.OneofError{Subject: &proto3.OneofError_Number{Number: 1}}, "ABORTED proto3.example.com/ONEOF: unset"},
		{"nil in the oneof", &proto3.OneofError{Subject: (*proto3.OneofError_Name)(nil)}, "ABORTED proto3.example.com/ONEOF: unset"},
		{"message", &proto3.NoTextError{When: timestamppb.Now()}, "ABORTED proto3.example.com/NO_TEXT: a message, a list or a map has no text of one value"},
		{"list", &proto3.ListError{Count: 1, Names: []string{"n"}}, "ABORTED proto3.example.com/LIST: LIST"},
		{"map", &proto3.MapError{Names: map[string]string{"k": "v"}}, "ABORTED proto3.example.com/MAP: MAP"},

		{"proto2", fields, "OUT_OF_RANGE proto2.example.com/FIELDS: 0|||0|COLOR_RED|false"},
		{"proto2 defaults are unset", &proto2.FieldsError{Count: proto.Int32(1), Name: proto.String("n"), Data: []byte("d")}, "OUT_OF_RANGE proto2.example.com/FIELDS: unset"},
		{"proto2 group", &proto2.GroupError{Place: &proto2.GroupError_Place{}}, "OUT_OF_RANGE proto2.example.com/GROUP: a group has no text"},
		{"proto2 oneof", &proto2.OneofError{Code: proto.Int32(3), Subject: &proto2.OneofError_Name{Name: "n"}}, "ABORTED proto2.example.com/ONEOF: n 3"},

		{"open explicit", &open2023.ExplicitError{
			Count: proto.Int32(0), Name: proto.String(""), Data: []byte{}, Ratio: proto.Float64(0),
			Color: open2023.Color_COLOR_UNSPECIFIED.Enum(), Flag: proto.Bool(false),
		}, "FAILED_PRECONDITION open2023.example.com/EXPLICIT: 0|||0|COLOR_UNSPECIFIED|false"},
		{"open implicit", &open2023.ImplicitError{Count: 1, Name: "n", Data: []byte("d"), Ratio: 2, Flag: true}, "FAILED_PRECONDITION open2023.example.com/IMPLICIT: 1|n|ZA==|2|true"},
		{"open required", &open2023.RequiredError{Name: proto.String("n")}, "FAILED_PRECONDITION open2023.example.com/REQUIRED: n"},
		{"open oneofs", &open2023.OneofError{Subject: &open2023.OneofError_Name{Name: "n"}, Content: &open2023.OneofError_Data{Data: []byte("d")}}, "ABORTED open2023.example.com/ONEOF: n ZA=="},
		{"open one of two oneofs", &open2023.OneofError{Subject: &open2023.OneofError_Name{Name: "n"}}, "ABORTED open2023.example.com/ONEOF: unset"},
		{"open delimited", &open2023.DelimitedError{Place: &open2023.DelimitedError_Place{}}, "OUT_OF_RANGE open2023.example.com/DELIMITED: a group has no text"},

		{"hybrid explicit", hybrid2023.ExplicitError_builder{
			Count: proto.Int32(0), Name: proto.String(""), Data: []byte{}, Ratio: proto.Float64(0),
			Color: hybrid2023.Color_COLOR_UNSPECIFIED.Enum(), Flag: proto.Bool(false),
		}.Build(), "FAILED_PRECONDITION hybrid2023.example.com/EXPLICIT: 0|||0|COLOR_UNSPECIFIED|false"},
		{"hybrid oneofs", hybrid2023.OneofError_builder{Name: proto.String("n"), Data: []byte("d")}.Build(), "ABORTED hybrid2023.example.com/ONEOF: n ZA=="},
		{"hybrid unset", &hybrid2023.ImplicitError{}, "FAILED_PRECONDITION hybrid2023.example.com/IMPLICIT: unset"},

		{"opaque explicit", opaque2023.ExplicitError_builder{
			Count: proto.Int32(0), Name: proto.String(""), Data: []byte{}, Ratio: proto.Float64(0),
			Color: opaque2023.Color_COLOR_UNSPECIFIED.Enum(), Flag: proto.Bool(false),
		}.Build(), "FAILED_PRECONDITION opaque2023.example.com/EXPLICIT: 0|||0|COLOR_UNSPECIFIED|false"},
		{"opaque clash", opaque2023.ClashError_builder{Error: proto.String("e")}.Build(), "UNKNOWN opaque2023.example.com/CLASH: e"},
		{"opaque oneofs", opaque2024.OneofError_builder{Name: proto.String("n"), Data: []byte("d")}.Build(), "ABORTED opaque2024.example.com/ONEOF: n ZA=="},
		{"opaque implicit", opaque2024.ImplicitError_builder{Count: 1, Name: "n", Data: []byte("d"), Ratio: 2, Flag: true}.Build(), "FAILED_PRECONDITION opaque2024.example.com/IMPLICIT: 1|n|ZA==|2|true"},
		{"opaque unset", opaque2024.ExplicitError_builder{Count: proto.Int32(1)}.Build(), "FAILED_PRECONDITION opaque2024.example.com/EXPLICIT: unset"},

		{"mixed open", &mixed2024.OpenError{Name: proto.String("n")}, "UNKNOWN mixed2024.example.com/OPEN: n"},
		{"mixed nested opaque", mixed2024.OpenError_NestedOpaqueError_builder{Name: proto.String("n"), Error: proto.String("e")}.Build(), "UNKNOWN mixed2024.example.com/NESTED_OPAQUE: n e"},
		{"mixed hybrid", mixed2024.HybridError_builder{Name: proto.String("n"), Choice: proto.String("c")}.Build(), "UNKNOWN mixed2024.example.com/HYBRID: n c"},

		{"type Error", &names.Error{Func: "f", Type: "t"}, "ABORTED names.example.com/ERROR: f of t"},
		{"keywords", &names.Func{}, "ABORTED names.example.com/FUNC: FUNC"},
		{"predeclared", &names.InterfaceString{Len: 1.5, Nil: []byte("d")}, "ABORTED names.example.com/STRING: 1.5 ZA=="},
		{"imports", &names.Strconv{Math: 1.5, Base64: true, X: 7}, "ABORTED names.example.com/STRCONV: 1.5 true 7"},
		{"camel case", &names.CamelError{OrderId: "a", OrderId_: "b", GetOrderId__: "c"}, "ABORTED names.example.com/CAMEL: a b c"},
		{"nested Error", &names.Outer_Outer_Error{Name: "n"}, "ABORTED names.example.com/NESTED: nested n"},
		{"methods", &names.MethodsError{Reset_: "a", String_: "b", ProtoMessage_: "c", Descriptor_: "d"}, "ABORTED names.example.com/METHODS: a b c d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("Error() = %q\nwant      %q", got, tt.want)
			}
		})
	}
}

// Every generated error survives a nil receiver, an empty message, and a
// message that came from foreign bytes.
func TestGenerated_Error_total(t *testing.T) {
	t.Parallel()
	count := 0
	for _, file := range fixtures {
		for _, d := range plugin.Definitions(file) {
			count++
			mt, err := protoregistry.GlobalTypes.FindMessageByName(d.Message.FullName())
			if err != nil {
				t.Fatal(err)
			}
			prefix := d.Options.GetCode().String() + " " + d.Domain + "/" + d.Reason + ": "
			for name, m := range map[string]protoreflect.Message{"nil": mt.Zero(), "empty": mt.New()} {
				asError, ok := m.Interface().(error)
				if !ok {
					t.Errorf("%s is no error", d.Message.FullName())
					continue
				}
				if got := asError.Error(); !strings.HasPrefix(got, prefix) {
					t.Errorf("%s %s: %q, want prefix %q", name, d.Message.FullName(), got, prefix)
				}
			}
		}
	}
	if count < 30 {
		t.Errorf("found %d errors in the fixtures, which have more", count)
	}
}

// The texts of numbers are those of ProtoJSON.
func TestGenerated_Error_floats(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		m := scalars(func(m *proto3.ScalarsError) {
			m.ADouble = math.Float64frombits(random.Uint64())
			m.AFloat = math.Float32frombits(random.Uint32())
		})
		if m.ADouble == 0 || m.AFloat == 0 {
			continue
		}
		text, err := protojson.Marshal(&proto3.ScalarsError{ADouble: m.ADouble, AFloat: m.AFloat})
		if err != nil {
			t.Fatal(err)
		}
		var want struct{ ADouble, AFloat json.RawMessage }
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		prefix := "INVALID_ARGUMENT proto3.example.com/SCALARS: " +
			string(bytes.Trim(want.ADouble, `"`)) + "|" + string(bytes.Trim(want.AFloat, `"`)) + "|"
		if got := m.Error(); !strings.HasPrefix(got, prefix) {
			t.Fatalf("Error() = %q, want prefix %q", got, prefix)
		}
	}
}
