package schema_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

// encodeInfo encodes m and returns its ErrorInfo. It holds the bytes to the
// deterministic ones of protobuf.
func encodeInfo(t testing.TB, m proto.Message) (*errdetails.ErrorInfo, []string) {
	t.Helper()
	d, err := schema.DefinitionOf(m.ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	_, details, notes := encode(d, m)
	if details[0].TypeURL != "type.googleapis.com/google.rpc.ErrorInfo" {
		t.Fatalf("first detail is %s", details[0].TypeURL)
	}
	value, info := details[0].Value, new(errdetails.ErrorInfo)
	if err := proto.Unmarshal(value, info); err != nil {
		t.Fatal(err)
	}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	if string(value) != string(want) {
		t.Fatalf("ErrorInfo bytes %q, want %q", value, want)
	}
	return info, notes
}

// decodeInfo reads metadata into a new message of that descriptor.
func decodeInfo(t testing.TB, md protoreflect.MessageDescriptor, metadata map[string]string) proto.Message {
	t.Helper()
	d, err := schema.DefinitionOf(md)
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(md)
	d.Decode(m, &errdetails.ErrorInfo{Metadata: metadata}, func(string) ([]byte, bool) { return nil, false })
	return m
}

func TestMetadata_both_ways(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	files := map[string]protoreflect.FileDescriptor{"compiled": shop, "foreign": schematest.Foreign(t, shop)}
	for _, test := range []struct {
		name, in string
		want     map[string]string
	}{
		{"nothing", ``, nil},
		{"a zero without presence is unset", `i32: 0 text: "" flag: false`, nil},
		{"string as it is", `text: "a \"b\" \\ é\n"`, map[string]string{"text": "a \"b\" \\ é\n"}},
		{"string that looks like JSON", `text: "{\"a\": 1}"`, map[string]string{"text": `{"a": 1}`}},
		{"bool", `flag: true`, map[string]string{"flag": "true"}},
		{"int32", `i32: -2147483648`, map[string]string{"i32": "-2147483648"}},
		{"sfixed32", `sf32: 7`, map[string]string{"sf32": "7"}},
		{"int64", `i64: 9007199254740993`, map[string]string{"i64": "9007199254740993"}},
		{"sint64", `s64: -9223372036854775808`, map[string]string{"s64": "-9223372036854775808"}},
		{"uint32", `u32: 4294967295`, map[string]string{"u32": "4294967295"}},
		{"uint64", `u64: 18446744073709551615`, map[string]string{"u64": "18446744073709551615"}},
		{"fixed64", `f64: 1`, map[string]string{"f64": "1"}},
		{"float", `float: 1.1`, map[string]string{"float": "1.1"}},
		{"float small", `float: 1e-7`, map[string]string{"float": "1e-7"}},
		{"float nan", `float: nan`, map[string]string{"float": "NaN"}},
		{"double", `double: 0.1`, map[string]string{"double": "0.1"}},
		{"double large", `double: 1e21`, map[string]string{"double": "1e+21"}},
		{"double inf", `double: inf`, map[string]string{"double": "Infinity"}},
		{"double -inf", `double: -inf`, map[string]string{"double": "-Infinity"}},
		{"bytes", `raw: "\xfb\xff\xfe\x01"`, map[string]string{"raw": "+//+AQ=="}},
		{"enum name", `size: SIZE_SMALL`, map[string]string{"size": "SIZE_SMALL"}},
		{"enum number", `size: 42`, map[string]string{"size": "42"}},
		{"message", `line: {sku: "A1" count: 2}`, map[string]string{"line": `{"sku":"A1","count":"2"}`}},
		{"empty message", `line: {}`, map[string]string{"line": `{}`}},
		{"nested message", `line: {next: {sku: "B"}}`, map[string]string{"line": `{"next":{"sku":"B"}}`}},
		{"repeated string", `words: ["a", "b,c", ""]`, map[string]string{"words": `["a","b,c",""]`}},
		{"repeated string with escapes", `words: ["\"\\\n\x00\x7f<é>", "\u2028"]`, map[string]string{"words": "[\"\\\"\\\\\\n\\u0000\x7f<é>\",\"\u2028\"]"}},
		{"repeated message", `lines: [{sku: "A"}, {}]`, map[string]string{"lines": `[{"sku":"A"},{}]`}},
		{"repeated double", `doubles: [nan, 1, inf]`, map[string]string{"doubles": `["NaN",1,"Infinity"]`}},
		{"map", `stock: {key: "b" value: 2} stock: {key: "a" value: 1}`, map[string]string{"stock": `{"a":"1","b":"2"}`}},
		{"map by number", `by_number: {key: -1 value: {sku: "A"}}`, map[string]string{"byNumber": `{"-1":{"sku":"A"}}`}},
		{"map by bool", `by_bool: {key: true value: "\x00"}`, map[string]string{"byBool": `{"true":"AA=="}`}},
		{"timestamp", `at: {seconds: 1 nanos: 500000000}`, map[string]string{"at": "1970-01-01T00:00:01.500Z"}},
		{"duration", `wait: {seconds: -1 nanos: -1000}`, map[string]string{"wait": "-1.000001s"}},
		{"field mask", `mask: {paths: ["a.b_c", "d"]}`, map[string]string{"mask": "a.bC,d"}},
		{"empty field mask", `mask: {}`, map[string]string{"mask": ""}},
		{"StringValue", `string_value: {value: "a\"b"}`, map[string]string{"stringValue": `a"b`}},
		{"empty StringValue", `string_value: {}`, map[string]string{"stringValue": ""}},
		{"BytesValue", `bytes_value: {value: "ab"}`, map[string]string{"bytesValue": "YWI="}},
		{"Int32Value", `int32_value: {value: -3}`, map[string]string{"int32Value": "-3"}},
		{"Int64Value", `int64_value: {value: 9007199254740993}`, map[string]string{"int64Value": "9007199254740993"}},
		{"UInt32Value", `uint32_value: {}`, map[string]string{"uint32Value": "0"}},
		{"UInt64Value", `uint64_value: {value: 18446744073709551615}`, map[string]string{"uint64Value": "18446744073709551615"}},
		{"FloatValue", `float_value: {value: nan}`, map[string]string{"floatValue": "NaN"}},
		{"DoubleValue", `double_value: {value: 1.5}`, map[string]string{"doubleValue": "1.5"}},
		{"BoolValue", `bool_value: {value: true}`, map[string]string{"boolValue": "true"}},
		{"false BoolValue", `bool_value: {}`, map[string]string{"boolValue": "false"}},
		{"Struct", `object: {fields: {key: "a" value: {list_value: {values: {null_value: NULL_VALUE}}}}}`, map[string]string{"object": `{"a":[null]}`}},
		{"ListValue", `list: {values: {number_value: 1} values: {string_value: "x"}}`, map[string]string{"list": `[1,"x"]`}},
		{"Value keeps its quotes", `value: {string_value: "1"}`, map[string]string{"value": `"1"`}},
		{"null Value", `value: {null_value: NULL_VALUE}`, map[string]string{"value": `null`}},
		{"Any", `any: {[type.googleapis.com/google.protobuf.Duration]: {seconds: 1}}`, map[string]string{"any": `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}`}},
		{"Empty", `empty: {}`, map[string]string{"empty": `{}`}},
		{"NullValue", `maybe_nothing: NULL_VALUE`, map[string]string{"maybeNothing": `null`}},
		{"repeated NullValue", `nothings: [NULL_VALUE]`, map[string]string{"nothings": `[null]`}},
		{"a zero with presence is set", `maybe_int: 0 maybe_text: ""`, map[string]string{"maybeInt": "0", "maybeText": ""}},
		{"member of a oneof", `one_int: 0`, map[string]string{"oneInt": "0"}},
		{"json_name", `renamed: "x"`, map[string]string{`@odd "name"`: "x"}},
		{"json_name of a list", `odd_words: "x"`, map[string]string{`o\d: "w"`: `["x"]`}},
		{"repeated detail type is metadata", `retries: {retry_delay: {seconds: 1}}`, map[string]string{"retries": `[{"retryDelay":"1s"}]`}},
		{"an ErrorInfo field is metadata", `inner: {reason: "R"}`, map[string]string{"inner": `{"reason":"R"}`}},
		{"keys in order", `u32: 1 text: "t" i32: 2 flag: true size: SIZE_SMALL`,
			map[string]string{"u32": "1", "text": "t", "i32": "2", "flag": "true", "size": "SIZE_SMALL"}},
	} {
		for kind, file := range files {
			t.Run(test.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				m := schematest.MessageOf(t, file, "EveryKindError", test.in)
				info, notes := encodeInfo(t, m)
				if diff := cmp.Diff(test.want, info.GetMetadata()); diff != "" {
					t.Errorf("metadata (-want +got):\n%s", diff)
				}
				if len(notes) > 0 {
					t.Errorf("notes %q", notes)
				}
				back := decodeInfo(t, m.ProtoReflect().Descriptor(), info.GetMetadata())
				if !proto.Equal(m, back) {
					t.Errorf("came back as %v, was %v", back, m)
				}
			})
		}
	}
}

func TestMetadata_without_ProtoJSON(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	for _, test := range []struct{ name, in, field string }{
		{"NaN in a Value", `value: {number_value: nan}`, "value"},
		{"Value of no kind", `value: {}`, "value"},
		{"Duration out of range", `wait: {seconds: 1125899906842624}`, "wait"},
		{"Duration of two signs", `wait: {seconds: 1 nanos: -1}`, "wait"},
		{"Timestamp out of range", `at: {seconds: 253402300800}`, "at"},
		{"FieldMask that is no mask", `mask: {paths: "A_b"}`, "mask"},
		{"unlinked Any", `any: {type_url: "type.googleapis.com/acme.v9.Mystery" value: "x"}`, "any"},
		{"deep inside a list", `list: {values: {list_value: {values: {number_value: inf}}}}`, "list"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			info, notes := encodeInfo(t, schematest.MessageOf(t, shop, "EveryKindError", test.in+` text: "kept"`))
			if diff := cmp.Diff(map[string]string{"text": "kept"}, info.GetMetadata()); diff != "" {
				t.Error(diff)
			}
			want := []string{"field shop.v1.EveryKindError." + test.field + " left out: its value has no ProtoJSON"}
			if diff := cmp.Diff(want, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestField_022_text_that_is_not_UTF8(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	m := schematest.MessageOf(t, shop, "EveryKindError", `line: {} stock: {key: "k" value: 1} words: "w"`).ProtoReflect()
	field := func(name protoreflect.Name) protoreflect.FieldDescriptor { return m.Descriptor().Fields().ByName(name) }
	broken := protoreflect.ValueOfString("caf\xe9\xff")
	m.Set(field("text"), broken)
	line := m.Mutable(field("line")).Message()
	line.Set(line.Descriptor().Fields().ByName("sku"), broken)
	m.Mutable(field("words")).List().Append(broken)
	m.Mutable(field("stock")).Map().Set(broken.MapKey(), protoreflect.ValueOfInt64(2))
	localized := m.Mutable(field("one_localized")).Message()
	localized.Set(localized.Descriptor().Fields().ByName("message"), broken)

	d, err := schema.DefinitionOf(m.Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	_, details, notes := encode(d, m.Interface())
	value, info := details[0].Value, new(errdetails.ErrorInfo)
	if err := proto.Unmarshal(value, info); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"text":  "caf\uFFFD\uFFFD",
		"line":  `{"sku":"caf` + "\uFFFD\uFFFD" + `"}`,
		"words": `["w","caf` + "\uFFFD\uFFFD" + `"]`,
		"stock": `{"caf` + "\uFFFD\uFFFD" + `":"2","k":"1"}`,
	}
	if diff := cmp.Diff(want, info.GetMetadata()); diff != "" {
		t.Error(diff)
	}
	if len(notes) != 4 || !slices.ContainsFunc(notes, func(n string) bool {
		return n == "field shop.v1.EveryKindError.text repaired: its text is not UTF-8"
	}) {
		t.Errorf("notes %q", notes)
	}
	message := new(errdetails.LocalizedMessage)
	if err := proto.Unmarshal(details[1].Value, message); err != nil || message.GetMessage() != "caf\uFFFD\uFFFD" {
		t.Errorf("detail %v, %v", message, err)
	}
	if got := m.Get(field("text")).String(); got != "caf\xe9\xff" {
		t.Errorf("the caller's message was changed: %q", got)
	}
}

// TestField_022_keys_that_become_one is about broken keys that are repaired to
// the same text: which of them stands must not depend on the order of a map.
func TestField_022_keys_that_become_one(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	m := schematest.MessageOf(t, shop, "EveryKindError", ``).ProtoReflect()
	fd := m.Descriptor().Fields().ByName("stock")
	for i, key := range []string{"k\xfe", "k\xff", "k\xfd", "k\uFFFD"} {
		m.Mutable(fd).Map().Set(protoreflect.ValueOfString(key).MapKey(), protoreflect.ValueOfInt64(int64(i)))
	}
	for range 20 {
		info, _ := encodeInfo(t, m.Interface())
		if got, want := info.GetMetadata()["stock"], `{"k`+"\uFFFD"+`":"3"}`; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

func TestMetadata_way_back(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	for _, test := range []struct {
		name     string
		metadata map[string]string
		want     string
	}{
		{"unknown key", map[string]string{"other": "1"}, ``},
		{"the name of the schema is no key", map[string]string{"maybe_int": "1"}, ``},
		{"integral float", map[string]string{"i32": "2.0"}, `i32: 2`},
		{"exponent", map[string]string{"i64": "1e3"}, `i64: 1000`},
		{"leading zero", map[string]string{"i32": "007"}, ``},
		{"plus", map[string]string{"i32": "+7"}, ``},
		{"space", map[string]string{"i32": " 7"}, ``},
		{"empty number", map[string]string{"i32": "", "u64": "", "double": ""}, ``},
		{"minus alone", map[string]string{"i32": "-"}, ``},
		{"number too large", map[string]string{"i32": "2147483648", "u32": "-1", "i64": "9223372036854775808"}, ``},
		{"fraction for an integer", map[string]string{"i32": "1.5"}, ``},
		{"hexadecimal float", map[string]string{"double": "0x1p4"}, ``},
		{"underscore", map[string]string{"double": "1_0", "i64": "1_0"}, ``},
		{"inf is no ProtoJSON", map[string]string{"double": "inf", "float": "nan"}, ``},
		{"float out of range", map[string]string{"float": "1e39"}, ``},
		{"bool spelled otherwise", map[string]string{"flag": "True"}, ``},
		{"bool as a number", map[string]string{"flag": "1"}, ``},
		{"enum number", map[string]string{"size": "1"}, `size: SIZE_SMALL`},
		{"enum alias", map[string]string{"size": "SIZE_TINY"}, `size: SIZE_SMALL`},
		{"unknown enum name", map[string]string{"size": "SIZE_HUGE"}, ``},
		{"bytes in the other alphabet", map[string]string{"raw": "-__-AQ"}, `raw: "\xfb\xff\xfe\x01"`},
		{"bytes without padding", map[string]string{"raw": "AQ"}, `raw: "\x01"`},
		{"bytes that are none", map[string]string{"raw": "A"}, ``},
		{"bytes with a line break", map[string]string{"raw": "AQ\n=="}, ``},
		{"bytes in the wrong place", map[string]string{"raw": "AQ=a"}, ``},
		{"timestamp with an offset", map[string]string{"at": "1970-01-01T01:00:00+01:00"}, `at: {}`},
		{"timestamp in quotes", map[string]string{"at": `"1970-01-01T00:00:00Z"`}, ``},
		{"duration in words", map[string]string{"wait": "soon"}, ``},
		{"message that is no JSON", map[string]string{"line": "sku"}, ``},
		{"message of another type", map[string]string{"line": "[]"}, ``},
		{"message with an unknown member", map[string]string{"line": `{"sku":"A","colour":"red"}`}, `line: {sku: "A"}`},
		{"two values", map[string]string{"line": `{},"text":"injected"`, "words": `[]} {`}, ``},
		{"null message", map[string]string{"line": `null`}, ``},
		{"spaces in JSON", map[string]string{"words": ` [ "a" ] `}, `words: "a"`},
		{"lone surrogate", map[string]string{"words": `["\ud800"]`}, ``},
		{"BoolValue that is none", map[string]string{"boolValue": "yes"}, ``},
		{"Int32Value with a fraction", map[string]string{"int32Value": "1.5"}, ``},
		{"DoubleValue", map[string]string{"doubleValue": "-Infinity"}, `double_value: {value: -inf}`},
		{"NullValue by name", map[string]string{"maybeNothing": "NULL_VALUE"}, `maybe_nothing: NULL_VALUE`},
		{"NullValue that is none", map[string]string{"maybeNothing": "0"}, ``},
		{"two members of a oneof: the first by place", map[string]string{"oneInt": "1", "oneText": "t"}, `one_int: 1`},
		{"unlinked Any", map[string]string{"any": `{"@type":"type.googleapis.com/acme.v9.Mystery"}`}, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := schematest.MessageOf(t, shop, "EveryKindError", test.want)
			kept := maps.Clone(test.metadata)
			got := decodeInfo(t, want.ProtoReflect().Descriptor(), test.metadata)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(kept, test.metadata); diff != "" {
				t.Errorf("the ErrorInfo was changed: %s", diff)
			}
		})
	}
}

// FuzzMetadata_parse reads arbitrary text as each field, and holds what it
// reads to coming back the same.
func FuzzMetadata_parse(f *testing.F) {
	shop := schematest.Compile(f, schematest.Shop)
	md := shop.Messages().ByName("EveryKindError")
	for _, seed := range []string{
		"", "0", "-1", "1.5", "1e3", "NaN", "Infinity", "true", "null", "AQ==", "-_", "SIZE_SMALL", "42", `{"sku":"A","count":"1"}`,
		`["a","b"]`, `{"a":"1"}`, "1970-01-01T00:00:01.500Z", "-1.000001s", "a.bC,d", `"x"`, `{"@type":"type.googleapis.com/google.protobuf.Empty"}`,
		"\xff", `["\ud800"]`, `{},"text":"x"`, "00", "+1", "1_0", "0x1p4", `[[[[1]]]]`, `{"-1":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			got := decodeInfo(t, md, map[string]string{fd.JSONName(): text}).ProtoReflect()
			got.Range(func(set protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
				if set != fd {
					t.Fatalf("text %q for %s set %s", text, fd.Name(), set.Name())
				}
				return true
			})
			if !got.Has(fd) {
				continue
			}
			info, notes := encodeInfo(t, got.Interface())
			if len(info.GetMetadata()) == 0 {
				t.Fatalf("%s: read from %q, has no text: %q", fd.Name(), text, notes)
			}
			back := decodeInfo(t, md, info.GetMetadata())
			if !proto.Equal(got.Interface(), back) {
				t.Fatalf("%s: %q read as %v, came back as %v from %q", fd.Name(), text, got, back, info.GetMetadata())
			}
		}
	})
}

// FuzzMetadata_render encodes arbitrary messages and holds every field to
// coming back unless a note says that it was left out.
func FuzzMetadata_render(f *testing.F) {
	shop := schematest.Compile(f, schematest.Shop)
	md := shop.Messages().ByName("EveryKindError")
	for _, seed := range []string{
		`text: "a"`, `i32: 1 s64: -2 u32: 3`, `double: nan float: 0.3`, `line: {sku: "x"} lines: [{}, {count: 1}]`,
		`stock: {key: "a" value: 1}`, `wait: {seconds: 1} at: {nanos: 1}`, `value: {number_value: inf}`, `object: {fields: {key: "" value: {bool_value: true}}}`,
		`mask: {paths: "a_b"}`, `raw: "\xff" bytes_value: {value: "a"}`, `size: -3`, `any: {type_url: "x/google.protobuf.Empty"}`,
	} {
		raw, err := proto.Marshal(schematest.MessageOf(f, shop, "EveryKindError", seed))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte("r\x05" + hostileEntry))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := dynamicpb.NewMessage(md)
		if schema.UnmarshalProto(proto.UnmarshalOptions{}, raw, m) != nil {
			return
		}
		// ProtoJSON has one spelling for all numbers of NullValue.
		m.Clear(md.Fields().ByName("nothing"))
		info, notes := encodeInfo(t, m)
		back := decodeInfo(t, md, info.GetMetadata()).ProtoReflect()
		m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			noted := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, string(fd.FullName())+" ") })
			if !noted && fd.Name() != "one_localized" && !back.Has(fd) {
				t.Fatalf("%s was lost without a note: %q", fd.Name(), info.GetMetadata())
			}
			if f, ok := v.Interface().(float64); ok && !noted && !sameFloat(f, back.Get(fd).Float()) {
				t.Fatalf("%s: %v became %v", fd.Name(), f, back.Get(fd))
			}
			return true
		})
		if again, _ := encodeInfo(t, back.Interface()); !proto.Equal(info, again) {
			t.Fatalf("not stable: %v, then %v", info, again)
		}
	})
}

func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
