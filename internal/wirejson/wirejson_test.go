package wirejson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/api/distribution"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	opaque "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2024"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto2"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto3"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/wirejson"
)

// types are the messages of the fuzz targets; their order is part of the corpus.
var types = []proto.Message{
	new(shopv1.GetRequest), new(shopv1.Everything), new(proto3.ScalarsError), new(distribution.Distribution),
	new(libraryv1.Book), new(errdetails.BadRequest), new(errdetails.QuotaFailure), new(opaque.ExplicitError), new(proto2.OneofError),
	new(timestamppb.Timestamp),
}

// row is a message in ProtoJSON, and whether both ways take it.
type row struct {
	kind  int
	text  string
	takes bool
}

var rows = []row{
	{0, `{}`, true},
	{0, ` { "sku" : "A1" , "qty" : -7 } `, true},
	{0, `{"sku":"` + strings.Repeat("é", 200) + `","qty":"2147483647"}`, true},
	{0, `{"sku":"a\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\u0000"}`, true},
	{0, `{"sku":"\ud83d\ude00"}`, true},
	{0, `{"sku":null,"qty":null}`, true},
	{0, `{"qty":2147483648}`, false}, {0, `{"qty":1.0}`, false}, {0, `{"qty":1e2}`, false}, {0, `{"qty":01}`, false}, {0, `{"qty":" 1"}`, false},
	{0, `{"sku":"a","sku":"b"}`, false}, {0, `{"other":1}`, false}, {0, `{"sku":1}`, false}, {0, `{"sku":"a",}`, false}, {0, `{"sku":"a"} x`, false},
	{0, `{"sku":"\ud800"}`, false}, {0, `{"sku":"\udc00"}`, false}, {0, `{"sku":"\udfff"}`, false}, {0, `{"sku":"\ud7ff\ue000"}`, true},
	{0, "{\"sku\":\"\x1f\"}", false}, {0, "{\"sku\":\"\x7f\"}", true}, {0, "{\"sku\":\"\xff\"}", false}, {0, "{\"sku\":\"\x01\"}", false}, {0, `{"sku":"\x"}`, false}, {0, `{"\u0073ku":"a"}`, false},
	{1, `{"flag":true,"i32":-1,"u32":4294967295,"i64":"-9223372036854775808","u64":"18446744073709551615","f32":1.5,"f64":-1e-9,"text":"t",` +
		`"data":"AP8=","color":"COLOR_RED","many":["a","","b"],"self":{"self":{},"left":"l","perhaps":""}}`, true},
	{1, `{"color":7,"many":[],"flag":false,"f64":0,"data":"","right":{"sku":"a"}}`, true},
	{1, `{"color":"COLOR_GREEN"}`, false}, {1, `{"left":"a","right":{}}`, false}, {1, `{"many":[null]}`, false}, {1, `{"many":"a"}`, false},
	{1, `{"byName":{}}`, false}, {1, `{"at":"2024-01-01T00:00:00Z"}`, false}, {1, `{"nothing":null}`, false}, {1, `{"f32":"NaN"}`, false}, {1, `{"f64":1e400}`, false},
	{1, `{"data":"-A=="}`, true}, {1, `{"data":"AA"}`, true}, {1, `{"data":"AAA"}`, true}, {1, `{"data":"A"}`, false},
	{1, `{"data":"` + strings.Repeat("AAAA", 42) + `AAA="}`, true}, {1, `{"self":{"text":"` + strings.Repeat("x", 124) + `"}}`, true},
	{1, `{"self":{"text":"` + strings.Repeat("x", 126) + `"}}`, true}, {1, `{"text":"\n` + strings.Repeat("x", 127) + `"}`, true},
	{1, `{"data":"_-8"}`, true}, {1, `{"data":"_"}`, false}, {1, `{"flag":"true"}`, false}, {1, `{"flag":1}`, false},
	{1, strings.Repeat(`{"self":`, 60) + `{}` + strings.Repeat(`}`, 60), true},
	{1, strings.Repeat(`{"self":`, 70) + `{}` + strings.Repeat(`}`, 70), false},
	{2, `{"aDouble":1e21,"aFloat":1e-7,"anInt32":1,"anInt64":2,"aUint32":3,"aUint64":4,"aSint32":-5,"aSint64":"-6","aFixed32":7,"aFixed64":8,"aSfixed32":-9,"aSfixed64":-10,"aBool":true,"aString":"s","aBytes":"AA=="}`, true},
	{2, `{"a_sint32":-2147483648,"aSint64":-9223372036854775808,"aDouble":-0,"aFloat":3.4e38}`, true},
	{3, `{"count":"5","mean":0.1,"bucketOptions":{"explicitBuckets":{"bounds":[0,1.5,-2e30]}},"bucketCounts":[1,"2",0]}`, true},
	{4, `{"name":"books/1"}`, true},
	{5, `{"fieldViolations":[{"field":"a","localizedMessage":{"locale":"de"}},{}]}`, true},
	{6, `{"violations":[{"subject":"s","quotaDimensions":{"a":"b"}}]}`, false},
	{7, `{"count":-6,"name":"","ratio":1.25,"data":"AA==","flag":false}`, true},
	{8, `{}`, false},
	{8, `{"code":5}`, true},
	{8, `{"name":"n","code":5}`, true},
	{9, `"2024-01-01T00:00:00Z"`, false},
}

var tables = func() map[protoreflect.MessageDescriptor]*wirejson.Message {
	var set wirejson.Set
	known := make(map[protoreflect.MessageDescriptor]*wirejson.Message)
	for _, m := range append(types, new(errdetails.ErrorInfo)) {
		known[m.ProtoReflect().Descriptor()] = set.Message(m.ProtoReflect().Descriptor())
	}
	return known
}()

func table(m proto.Message) *wirejson.Message { return tables[m.ProtoReflect().Descriptor()] }

// written is what protojson writes, without spaces.
func written(t testing.TB, m proto.Message) []byte {
	t.Helper()
	text, err := protojson.Marshal(m)
	if err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	return compact.Bytes()
}

// checkRead compares a message that was read with the one that protojson reads.
func checkRead(t testing.TB, text []byte, got proto.Message) {
	t.Helper()
	want := got.ProtoReflect().New().Interface()
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, want); err != nil {
		t.Fatalf("%q was read as %v, and is wrong: %v", text, got, err)
	}
	// Equal takes no two NaN for the same, and 0 and -0.
	options := proto.MarshalOptions{Deterministic: true}
	a, _ := options.Marshal(got)
	b, _ := options.Marshal(want)
	if !bytes.Equal(a, b) {
		t.Fatalf("%q was read as %v, want %v", text, got, want)
	}
}

func TestMessage_rows(t *testing.T) {
	t.Parallel()
	for _, row := range rows {
		m := types[row.kind].ProtoReflect().New().Interface()
		_, ok := table(m).Read([]byte(row.text), m, nil)
		if ok != row.takes {
			t.Errorf("%q was read: %t", row.text, ok)
		}
		if !ok {
			continue
		}
		checkRead(t, []byte(row.text), m)
		dst := []byte("before")
		out, ok := table(m).Append(dst, m)
		if want := "before" + string(written(t, m)); !ok || string(out) != want {
			t.Errorf("got %s, %t, want %s", out, ok, want)
		}
	}
}

func TestMessage_declines(t *testing.T) {
	t.Parallel()
	unknown := new(shopv1.GetRequest)
	unknown.ProtoReflect().SetUnknown([]byte{0x0a, 1, 'x'})
	within := &shopv1.Everything{Self: new(shopv1.Everything)}
	within.Self.ProtoReflect().SetUnknown([]byte{0xa0, 0x06, 1})
	// Nobody but a program itself makes fields unknown whose numbers the schema knows.
	again := &shopv1.Everything{Self: &shopv1.Everything{Text: "a"}}
	again.Self.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, again.ProtoReflect().Descriptor().Fields().ByName("text").Number(), protowire.BytesType), "b"))
	packed := &distribution.Distribution_BucketOptions_Explicit{}
	packed.ProtoReflect().SetUnknown([]byte{1<<3 | byte(protowire.BytesType), 0})
	deep := new(shopv1.Everything)
	for range 70 {
		deep = &shopv1.Everything{Self: deep}
	}
	book := table(new(libraryv1.Book))
	for name, m := range map[string]proto.Message{
		"unknown fields": unknown,
		"unknown within": within,
		"a field twice":  again,
		"nothing packed": &distribution.Distribution{BucketOptions: &distribution.Distribution_BucketOptions{
			Options: &distribution.Distribution_BucketOptions_ExplicitBuckets{ExplicitBuckets: packed},
		}},
		"a deep one":       deep,
		"not UTF-8":        &shopv1.GetRequest{Sku: "\xff"},
		"a map":            &errdetails.ErrorInfo{Metadata: map[string]string{"a": "b"}},
		"a required field": new(proto2.OneofError),
		"a timestamp":      &shopv1.Everything{At: new(timestamppb.Timestamp)},
		"its own form":     new(timestamppb.Timestamp),
		"a dynamic one":    dynamicpb.NewMessage(new(shopv1.GetRequest).ProtoReflect().Descriptor()),
	} {
		if out, ok := table(m).Append([]byte("x"), m); ok || string(out) != "x" {
			t.Errorf("%s was written as %s", name, out)
		}
	}
	if _, ok := book.Append(nil, new(shopv1.GetRequest)); ok {
		t.Error("a message of another type was written")
	}
	if _, ok := book.Read([]byte(`{}`), new(shopv1.GetRequest), nil); ok {
		t.Error("a message of another type was read")
	}
	if out, ok := book.Append(nil, (*libraryv1.Book)(nil)); !ok || string(out) != "{}" {
		t.Errorf("a nil message was written as %s, %t", out, ok)
	}
	if _, ok := book.Read([]byte(`{}`), (*libraryv1.Book)(nil), nil); ok {
		t.Error("a nil message was read")
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-7, 1e20, 1e21, 5e-324} {
		m := &shopv1.Everything{F64: f, F32: float32(f)}
		if out, ok := table(m).Append(nil, m); !ok || string(out) != string(written(t, m)) {
			t.Errorf("got %s, want %s", out, written(t, m))
		}
	}
}

// FuzzMessage_Read holds the reader to protojson.
func FuzzMessage_Read(f *testing.F) {
	for _, row := range rows {
		f.Add(row.kind, []byte(row.text))
	}
	f.Fuzz(func(t *testing.T, kind int, text []byte) {
		if kind < 0 {
			return
		}
		m := types[kind%len(types)].ProtoReflect().New().Interface()
		if _, ok := table(m).Read(text, m, nil); ok {
			checkRead(t, text, m)
		}
	})
}

// FuzzMessage_Append holds the writer to protojson.
func FuzzMessage_Append(f *testing.F) {
	for _, row := range rows {
		m := types[row.kind].ProtoReflect().New().Interface()
		if protojson.Unmarshal([]byte(row.text), m) == nil {
			wire, _ := proto.Marshal(m)
			f.Add(row.kind, wire)
		}
	}
	f.Fuzz(func(t *testing.T, kind int, wire []byte) {
		if kind < 0 {
			return
		}
		m := types[kind%len(types)].ProtoReflect().New().Interface()
		if proto.Unmarshal(wire, m) != nil {
			return
		}
		if out, ok := table(m).Append(nil, m); ok && !bytes.Equal(out, written(t, m)) {
			t.Fatalf("got %s, want %s", out, written(t, m))
		}
	})
}

func TestMessage_allocations(t *testing.T) { //nolint:paralleltest // it counts allocations
	m := &shopv1.GetRequest{Sku: "A1", Qty: 7}
	text, buffer := []byte(`{"sku":"A1","qty":7}`), make([]byte, 0, 256)
	known := table(m)
	if allocs := testing.AllocsPerRun(100, func() { _, _ = known.Append(buffer, m) }); allocs != 0 {
		t.Errorf("to write takes %v allocations, want none", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { _, _ = known.Read(text, m, buffer) }); allocs != 1 {
		t.Errorf("to read takes %v allocations, want that of the text", allocs)
	}
}
