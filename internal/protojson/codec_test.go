package protojson_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

const (
	prefix     = "type.googleapis.com/"
	everything = prefix + "shop.v1.Everything"
)

func varint(number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v)
}

func field(number protowire.Number, content ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), join(content...))
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func text(s string) []byte { return []byte(s) }

// What bytes come to, row by row: the traps that were found so far.
func TestCodec_AppendAny(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	double := func(bits uint64) []byte {
		return protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), bits)
	}
	for _, row := range []struct {
		name, typeURL string
		value         []byte
		want          string
		fidelity      protojson.Fidelity
	}{
		{"the empty Any", "", nil, `{}`, protojson.Exact},
		{"no type", "", text("x"), ``, protojson.None},
		{"a type that is not linked", prefix + "no.Such", nil, ``, protojson.None},
		{"a type URL that is not UTF-8", "\xff/google.rpc.ErrorInfo", nil, ``, protojson.None},
		{"a type URL as given", "é\"/google.rpc.ErrorInfo", nil, `{"@type":"é\"/google.rpc.ErrorInfo"}`, protojson.Exact},
		{"Empty has no value", prefix + "google.protobuf.Empty", nil, `{"@type":"type.googleapis.com/google.protobuf.Empty"}`, protojson.Exact},
		{"RetryInfo of 1<<50 seconds", prefix + "google.rpc.RetryInfo", field(1, varint(1, 1<<50)), ``, protojson.None},
		{"a Struct with 9007199254740993", prefix + "google.protobuf.Struct", field(1, field(1, text("n")), field(2, double(0x4340000000000000))),
			`{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"n":9007199254740992}}`, protojson.Exact},
		{"a Value without a kind", prefix + "google.protobuf.Value", nil, ``, protojson.None},
		{"a Value that is NaN", prefix + "google.protobuf.Value", double(0x7ff8000000000000), ``, protojson.None},
		{"a NullValue other than 0", prefix + "google.protobuf.Value", varint(1, 1), ``, protojson.None},
		{"the same, replaced", prefix + "google.protobuf.Value", join(varint(1, 1), varint(1, 0)), `{"@type":"type.googleapis.com/google.protobuf.Value","value":null}`, protojson.Exact},
		{"nothing that is something", everything, varint(27, 3), ``, protojson.None},
		{"a path that does not come back", prefix + "google.protobuf.FieldMask", field(1, text("aB")), ``, protojson.None},
		{"a path with a digit after _", prefix + "google.protobuf.FieldMask", field(1, text("a_1")), ``, protojson.None},
		{"an empty path", prefix + "google.protobuf.FieldMask", field(1), ``, protojson.None},
		{"oneofs last, as Go has them", everything, join(field(16, text("p")), field(14, text("l"))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","left":"l","perhaps":"p"}`, protojson.Exact},
		{"a oneof twice", everything, join(field(14, text("l")), field(15, field(1, text("a")))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","right":{"sku":"a"}}`, protojson.Exact},
		{"a oneof thrice", everything, join(field(15, field(1, text("a"))), field(14), field(15, varint(2, 1))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","right":{"qty":1}}`, protojson.Exact},
		{"a message in pieces", everything, join(field(13, varint(2, 1)), field(8, text("t")), field(13, varint(3, 2))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","text":"t","self":{"i32":1,"u32":2}}`, protojson.Exact},
		{"a piece that is no message", everything, join(field(13, text("\x10")), field(13, text("\x01"))), ``, protojson.None},
		{"text that is not UTF-8, replaced", everything, join(field(8, text("\xff")), field(8, text("t"))), ``, protojson.None},
		{"a scalar that becomes zero", everything, join(varint(2, 1), varint(2, 0)), `{"@type":"type.googleapis.com/shop.v1.Everything"}`, protojson.Exact},
		{"a zero that is there", everything, field(16), `{"@type":"type.googleapis.com/shop.v1.Everything","perhaps":""}`, protojson.Exact},
		{"unknown fields", everything, join(varint(2, 1), varint(999, 1)), `{"@type":"type.googleapis.com/shop.v1.Everything","i32":1}`, protojson.Known},
		{"a wire type that is another", everything, field(2, text("\x01")), `{"@type":"type.googleapis.com/shop.v1.Everything"}`, protojson.Known},
		{"unknown fields inside", everything, field(13, varint(999, 1)), `{"@type":"type.googleapis.com/shop.v1.Everything","self":{}}`, protojson.Known},
		{"unknown fields in an Any", everything, field(22, field(1, text(everything)), field(2, varint(999, 1))), ``, protojson.None},
		{"unknown fields of an Any", everything, field(22, varint(999, 1)), ``, protojson.Known},
		{"an Any in an Any", everything, field(22, field(1, text(prefix+"google.protobuf.Any")), field(2, field(1, text(prefix+"google.protobuf.Duration")))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","any":{"@type":"type.googleapis.com/google.protobuf.Any","value":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"0s"}}}`, protojson.Exact},
		{"a type in an Any that is not linked", everything, field(22, field(1, text("x/no.Such"))), ``, protojson.None},
		{"a key twice in an entry", everything, field(28, varint(1, 1), varint(1, 2)), `{"@type":"type.googleapis.com/shop.v1.Everything","byNumber":{"2":false}}`, protojson.Exact},
		{"a key twice, then of another wire type", everything, field(28, varint(1, 1), field(1, text("a"))), `{"@type":"type.googleapis.com/shop.v1.Everything","byNumber":{"1":false}}`, protojson.Exact},
		{"a key twice in a map", everything, join(field(28, varint(1, 1), varint(2, 1)), field(28, varint(1, 1))), `{"@type":"type.googleapis.com/shop.v1.Everything","byNumber":{"1":false}}`, protojson.Exact},
		{"keys in another order", everything, join(field(28, varint(1, 2)), field(28, varint(1, 1)), field(28, varint(1, 1<<64-1))),
			`{"@type":"type.googleapis.com/shop.v1.Everything","byNumber":{"-1":false,"1":false,"2":false}}`, protojson.Exact},
		{"an entry without anything", everything, field(12), `{"@type":"type.googleapis.com/shop.v1.Everything","byName":{"":{}}}`, protojson.Exact},
		{"a value in pieces", everything, field(12, field(2, varint(2, 1)), field(2, varint(3, 1))), `{"@type":"type.googleapis.com/shop.v1.Everything","byName":{"":{"i32":1,"u32":1}}}`, protojson.Exact},
		{"bytes that end early", everything, text("\x42\x05ab"), ``, protojson.None},
		{"the end of a group", everything, text("\x0c"), ``, protojson.None},
		{"a number too large", everything, text("\x80\x80\x80\x80\x30\x30"), ``, protojson.None},
		{"a number too large in an entry", everything, field(28, text("\x80\x80\x80\x80\x30\x30")), ``, protojson.None},
		{"number 0", everything, text("\x00\x01"), ``, protojson.None},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			out, fidelity := codec.AppendAny([]byte("x"), row.typeURL, row.value, depth)
			if row.fidelity == protojson.Known && row.want == "" {
				row.want = string(out[1:])
			}
			if fidelity != row.fidelity || string(out) != "x"+row.want {
				t.Errorf("wrote %s (%d), want %s (%d)", out, fidelity, row.want, row.fidelity)
			}
			if mt, err := global.FindMessageByURL(row.typeURL); err == nil && row.typeURL[0] != 0xff {
				checkAppend(t, codec, mt, row.value)
			}
		})
	}
}

// What JSON is read as, row by row.
func TestCodec_ReadAny(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	const all = `{"@type":"type.googleapis.com/shop.v1.Everything"`
	number := func(token string) string { return all + `,"f64":` + token + `}` }
	narrow := func(token string) string { return all + `,"f32":` + token + `}` }
	for _, row := range []struct {
		name, text, want string // want is what is written again: the same if it is "="
	}{
		{"nothing", all + `}`, "="},
		{"no object", `[]`, ""},
		{"no type", `{}`, ""},
		{"a type that is no text", `{"@type":1}`, ""},
		{"a lone surrogate in the type", `{"@type":"\ud800/google.rpc.ErrorInfo"}`, ""},
		{"escapes in names", `{"\u0040type":"type.googleapis.com\/shop.v1.Everything","\u006932":1}`, all + `,"i32":1}`},
		{"the type last", `{"i32":1,"@type":"type.googleapis.com/shop.v1.Everything"}`, all + `,"i32":1}`},
		{"members twice: the first", all + `,"i32":1,"@type":"x/y","i32":2,"byName":{"a":{"i32":3,"i32":"x"},"a":{}}}`, all + `,"i32":1,"byName":{"a":{"i32":3}}}`},
		{"an unknown member", all + `,"nope":null}`, ""},
		{"a lone surrogate", all + `,"text":"\ud800"}`, ""},
		{"both names", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s","retry_delay":"1s"}`, ""},
		{"both names, null", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s","retry_delay":null}`, ""},
		{"the name of the schema", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retry_delay":"1s"}`, `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}`},
		{"null is nothing", all + `,"i32":null,"left":null,"right":{"sku":"a"},"many":null}`, all + `,"right":{"sku":"a"}}`},
		{"null that is a value", all + `,"value":null}`, "="},
		{"two of a oneof", all + `,"left":"","right":{}}`, ""},
		{"fields in another order", all + `,"perhaps":"p","left":"l","i32":1}`, all + `,"i32":1,"left":"l","perhaps":"p"}`},
		{"an integer as 1e3", all + `,"i64":1e3,"u32":1.50e1}`, all + `,"u32":15,"i64":"1000"}`},
		{"an integer in quotes", all + `,"i32":"-7"}`, all + `,"i32":-7}`},
		{"an integer in quotes with a space", all + `,"i32":" 7"}`, ""},
		{"an integer that is none", all + `,"i32":1.5}`, ""},
		{"an integer too large", all + `,"u64":18446744073709551616}`, ""},
		{"the largest integers", all + `,"u64":18446744073709551615,"i64":-9223372036854775808}`, all + `,"i64":"-9223372036854775808","u64":"18446744073709551615"}`},
		{"a negative uint", all + `,"u32":-1}`, ""},
		{"-0 as uint", all + `,"u32":-0}`, all + `}`},
		{"an enum's number", all + `,"color":1}`, ""},
		{"an enum's unknown number", all + `,"color":7}`, "="},
		{"an enum's zero", all + `,"color":0}`, all + `}`},
		{"a number that comes back", number(`0.1`), "="},
		{"a number that comes back otherwise", number(`10e-2`), number(`0.1`)},
		{"a number with 17 digits", number(`9007199254740993`), ""},
		{"a number that only looks inexact", number(`0.1000000000000000000`), number(`0.1`)},
		{"a number that is not what is written", number(`0.1000000000000000055511151231257827`), ""},
		{"a number too large", number(`1e400`), ""},
		{"a number too small", number(`1e-400`), ""},
		{"the smallest number", number(`5e-324`), "="},
		{"a denormal that is not written so", number(`5.1e-324`), ""},
		{"zero with an absurd exponent", number(`0e99999999999`), all + `}`},
		{"a narrow number that comes back", narrow(`0.1`), "="},
		{"a narrow number too exact", narrow(`0.123456789`), ""},
		{"a narrow number too large", narrow(`4e38`), ""},
		{"a narrow denormal", narrow(`1.2e-45`), ""},
		{"a number in quotes", number(`"NaN"`), "="},
		{"a number in quotes may be inexact", number(`"0.12345678901234567890"`), number(`0.12345678901234568`)},
		{"a number in a Struct", `{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"n":9007199254740993}}`, ""},
		{"base64 of the other alphabet", all + `,"data":"-_8"}`, all + `,"data":"+/8="}`},
		{"base64 that is none", all + `,"data":"a"}`, ""},
		{"keys in another order", all + `,"byNumber":{"2":true,"-1":false,"+1":true}}`, all + `,"byNumber":{"-1":false,"1":true,"2":true}}`},
		{"a key twice", all + `,"byNumber":{"1":true,"2":true,"01":true}}`, ""},
		{"a key that is none", all + `,"byNumber":{"a":true}}`, ""},
		{"a lone surrogate in a key", all + `,"byName":{"\ud800":{}}}`, ""},
		{"a time with an offset", all + `,"at":"2020-01-01T01:00:00.50+01:00"}`, all + `,"at":"2020-01-01T00:00:00.500Z"}`},
		{"a time too early", all + `,"at":"0000-01-01T00:00:00Z"}`, ""},
		{"a time too exact", all + `,"at":"2020-01-01T01:00:00.0000000001Z"}`, ""},
		{"a span of parts", all + `,"lasts":"-.5s"}`, all + `,"lasts":"-0.500s"}`},
		{"a span with a point alone", all + `,"lasts":".s"}`, all + `,"lasts":"0s"}`},
		{"a span with a leading zero", all + `,"lasts":"01s"}`, ""},
		{"a span too long", all + `,"lasts":"315576000001s"}`, ""},
		{"paths", all + `,"mask":" a.bC "}`, all + `,"mask":"a.bC"}`},
		{"a path of the schema", all + `,"mask":"a_b"}`, ""},
		{"Empty without value", `{"@type":"type.googleapis.com/google.protobuf.Empty"}`, "="},
		{"Empty with value", `{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}`, `{"@type":"type.googleapis.com/google.protobuf.Empty"}`},
		{"Empty that is not", `{"@type":"type.googleapis.com/google.protobuf.Empty","value":{"a":1}}`, ""},
		{"Duration without value", `{"@type":"type.googleapis.com/google.protobuf.Duration"}`, ""},
		{"Duration with more", `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s","a":1}`, ""},
		{"an Any without type", all + `,"any":{"a":1}}`, ""},
		{"an Any of a type that is not linked", all + `,"any":{"@type":"x/no.Such"}}`, ""},
		{"the empty Any", all + `,"any":{}}`, "="},
		{"null in a list", all + `,"many":[null]}`, ""},
		{"null in a list of values", all + `,"list":[null,[],{}]}`, "="},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var tree jsontree.Tree
			if err := tree.Parse([]byte(row.text), depth); err != nil {
				t.Fatal(err)
			}
			if row.want == "=" {
				row.want = row.text
			}
			typeURL, value, whole := codec.ReadAny(tree.Root())
			got := []byte(nil)
			if whole {
				got, _ = codec.AppendAny(nil, typeURL, value, depth)
			}
			if string(got) != row.want {
				t.Errorf("read %s, want %s", got, row.want)
			}
			checkRead(t, codec, []byte(row.text))
		})
	}
}

// Depth is that of the JSON.
func TestCodec_depth(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	for _, text := range []string{
		`{"@type":"type.googleapis.com/shop.v1.Everything"}`,
		`{"@type":"type.googleapis.com/shop.v1.Everything","self":{"self":{"self":{}}}}`,
		`{"@type":"type.googleapis.com/shop.v1.Everything","byName":{"a":{"many":["x"]}}}`,
		`{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":[{"b":[[]]}]}}`,
		`{"@type":"type.googleapis.com/google.protobuf.Any","value":{"@type":"type.googleapis.com/google.protobuf.ListValue","value":[]}}`,
		`{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}`,
	} {
		var tree jsontree.Tree
		if err := tree.Parse([]byte(text), depth); err != nil {
			t.Fatal(err)
		}
		typeURL, value, whole := codec.ReadAny(tree.Root())
		if !whole {
			t.Fatalf("%s was refused", text)
		}
		height := tree.Root().Height()
		if out, fidelity := codec.AppendAny(nil, typeURL, value, height); fidelity != protojson.Exact || string(out) != text {
			t.Errorf("%s is not written at depth %d", text, height)
		}
		if out, fidelity := codec.AppendAny([]byte("x"), typeURL, value, height-1); fidelity != protojson.None || string(out) != "x" {
			t.Errorf("%s is written at depth %d", text, height-1)
		}
	}
}

// Names that are not found, and odd ways to write those that are, are not kept for
// ever.
func TestCodec_urls(t *testing.T) {
	t.Parallel()
	counting := &counter{Resolver: global}
	codec := protojson.NewCodec(counting)
	for i := range 1000 {
		url := fmt.Sprintf("example.com/%d/google.rpc.ErrorInfo", i)
		if !codec.Linked(url) || codec.Linked(fmt.Sprintf("example.com/no.Such%d", i)) {
			t.Fatal(url)
		}
		if out, fidelity := codec.AppendAny(nil, url, nil, depth); fidelity != protojson.Exact || !strings.Contains(string(out), url) {
			t.Fatalf("%s: %s", url, out)
		}
	}
	before := counting.asked
	codec.Linked(prefix + "google.rpc.ErrorInfo")
	codec.Linked(prefix + "google.rpc.ErrorInfo")
	codec.Linked("example.com/0/google.rpc.ErrorInfo")
	if counting.asked != before+1 {
		t.Errorf("asked %d times for what is known", counting.asked-before)
	}
	if codec.Linked("") || codec.HasUnknown("no.Such", nil) || codec.Equal("no.Such", text("a"), text("b")) || !codec.Equal("no.Such", text("a"), text("a")) {
		t.Error("a type that is not linked is known")
	}
}

type counter struct {
	protojson.Resolver
	asked int
}

func (c *counter) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	c.asked++
	return c.Resolver.FindMessageByURL(url)
}

func TestCodec_Equal(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	for _, row := range []struct {
		name string
		a, b []byte
		same bool
	}{
		{"the same", varint(2, 1), varint(2, 1), true},
		{"another order", join(varint(2, 1), varint(3, 1)), join(varint(3, 1), varint(2, 1)), true},
		{"zero is nothing", varint(2, 0), nil, true},
		{"other values", varint(2, 1), varint(2, 2), false},
		{"an Any in another order", field(22, field(1, text(everything)), field(2, varint(2, 1), varint(3, 1))), field(22, field(1, text(everything)), field(2, varint(3, 1), varint(2, 1))), true},
		{"unknown fields", varint(999, 1), nil, false},
		{"unknown fields in an Any", field(22, field(1, text(everything)), field(2, varint(999, 1), varint(2, 0))), field(22, field(1, text(everything)), field(2, varint(999, 1))), true},
		{"no message", text("\x08"), text("\x09"), false},
		{"no ProtoJSON", join(varint(27, 3), varint(2, 1)), join(varint(2, 1), varint(27, 3)), true},
	} {
		if same := codec.Equal(everything, row.a, row.b); same != row.same {
			t.Errorf("%s: %t", row.name, same)
		}
	}
}

// What is allocated grows as what is given grows: hostile bytes are rearranged a
// bounded number of times.
func TestCodec_growth(t *testing.T) { //nolint:paralleltest // it looks at what all goroutines allocate
	codec := protojson.NewCodec(nil)
	large := []byte(strings.Repeat("x", 1<<16))
	nested := func(levels int, pieces ...[]byte) []byte {
		inner := field(8, large)
		for range levels {
			inner = join(join(pieces...), field(13, inner))
		}
		return inner
	}
	many := func(n int, piece []byte) []byte {
		return []byte(strings.Repeat(string(piece), n))
	}
	for name, hostile := range map[string]func(size int) []byte{
		"in another order, in each other": func(n int) []byte { return nested(20*n, field(16, text("p")), field(14, text("l"))) },
		"in pieces, in each other":        func(n int) []byte { return nested(20*n, field(16, text("p")), field(13, varint(2, 1))) },
		"entries of a map":                func(n int) []byte { return many(10000*n, field(28, varint(1, 7))) },
		"entries that descend": func(n int) (wire []byte) {
			for i := range 10000 * n {
				wire = append(wire, field(28, varint(1, uint64(100000-i)))...)
			}
			return wire
		},
		"a message in many pieces":   func(n int) []byte { return many(10000*n, field(13, varint(2, 1))) },
		"a oneof that changes":       func(n int) []byte { return many(10000*n, join(field(14), field(15))) },
		"a list with others between": func(n int) []byte { return many(10000*n, join(field(11), varint(2, 1))) },
		"unknown fields":             func(n int) []byte { return many(10000*n, varint(999, 1)) },
	} {
		for _, n := range []int{1, 2, 4} {
			wire := hostile(n)
			codec.AppendAny(nil, everything, wire, depth)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, _ := codec.AppendAny(make([]byte, 0, 8*len(wire)), everything, wire, depth)
			runtime.ReadMemStats(&after)
			allocated := int(after.TotalAlloc-before.TotalAlloc) - 8*len(wire)
			if allocated > 40*len(wire) {
				t.Errorf("%s: %d bytes allocated for %d, %d written", name, allocated, len(wire), len(out))
			}
		}
	}
}

// The same of reading.
func TestCodec_growth_reading(t *testing.T) { //nolint:paralleltest // it looks at what all goroutines allocate
	codec := protojson.NewCodec(nil)
	const open = `{"@type":"type.googleapis.com/shop.v1.Everything"`
	large := strings.Repeat("é", 1<<15)
	for name, hostile := range map[string]func(n int) string{
		"in each other": func(n int) string {
			return open + strings.Repeat(`,"text":"t","self":{"i32":1`, 20*n) + `,"text":"` + large + `"` + strings.Repeat("}", 20*n+1)
		},
		"entries that descend": func(n int) string {
			var text strings.Builder
			for i := range 10000 * n {
				fmt.Fprintf(&text, `"%d":true,`, 100000-i)
			}
			return open + `,"byNumber":{` + text.String() + `"0":true}}`
		},
		"members twice":   func(n int) string { return open + strings.Repeat(`,"text":"t"`, 10000*n) + `}` },
		"lists in a list": func(n int) string { return open + `,"list":[` + strings.Repeat(`[[],{}],`, 5000*n) + `null]}` },
		"escapes":         func(n int) string { return open + `,"text":"` + strings.Repeat(`\u00e9`, 10000*n) + `"}` },
	} {
		for _, n := range []int{1, 2, 4} {
			var tree jsontree.Tree
			if err := tree.Parse([]byte(hostile(n)), depth); err != nil {
				t.Fatal(err)
			}
			size := len(tree.Root().Raw())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, value, whole := codec.ReadAny(tree.Root())
			runtime.ReadMemStats(&after)
			if allocated := int(after.TotalAlloc - before.TotalAlloc); !whole || allocated > 40*size {
				t.Errorf("%s: %d bytes allocated for %d, %d read (%t)", name, allocated, size, len(value), whole)
			}
		}
	}
}
