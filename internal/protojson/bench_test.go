package protojson_test

import (
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// benchmarks are the messages that are measured.
func benchmarks(b testing.TB) []proto.Message {
	b.Helper()
	object, err := structpb.NewStruct(map[string]any{"a": 1.5, "b": []any{"x", true, nil}})
	if err != nil {
		b.Fatal(err)
	}
	held, err := anypb.New(durationpb.New(90 * time.Second))
	if err != nil {
		b.Fatal(err)
	}
	return []proto.Message{
		&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A-1", "left": "0", "store": "Köln"}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "qty", Description: "must be positive"}, {Field: "sku", Description: "is unknown"},
		}},
		&shopv1.StockEmptyError{Sku: "A-1", Retry: &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}},
		&shopv1.Everything{
			Flag: true, I32: -5, U32: 7, I64: 1 << 40, U64: 9, F32: 1.5, F64: 0.1, Text: "some text", Data: []byte("data"), Color: shopv1.Color_COLOR_RED,
			Many: []string{"a", "b"}, ByName: map[string]*shopv1.Everything{"one": {I32: 1}}, Self: &shopv1.Everything{Text: "inner"},
			Choice: &shopv1.Everything_Left{Left: "left"}, Perhaps: proto.String(""), At: timestamppb.New(time.Unix(1700000000, 5000)),
			Lasts: durationpb.New(time.Minute), Object: object, Any: held, BoxedLong: wrapperspb.Int64(5), ByNumber: map[int64]bool{1: true, -1: false},
		},
	}
}

// A message in bytes, as it is in an error, is written as an Any. The library has to
// read the bytes to write them.
func BenchmarkAppendAny(b *testing.B) {
	codec := protojson.NewCodec(nil)
	for _, m := range benchmarks(b) {
		any := new(anypb.Any)
		if err := anypb.MarshalFrom(any, m, proto.MarshalOptions{Deterministic: true}); err != nil {
			b.Fatal(err)
		}
		name := string(m.ProtoReflect().Descriptor().Name())
		b.Run(name+"/errmap", func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 4096)
			for b.Loop() {
				if _, fidelity := codec.AppendAny(dst, any.GetTypeUrl(), any.GetValue(), depth); fidelity != protojson.Exact {
					b.Fatal(fidelity)
				}
			}
		})
		b.Run(name+"/protojson", func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 4096)
			for b.Loop() {
				if _, err := (libjson.MarshalOptions{}).MarshalAppend(dst, any); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// JSON is read to bytes: with its tree, as a member of a tree that is there already,
// and by the library.
func BenchmarkReadAny(b *testing.B) {
	codec := protojson.NewCodec(nil)
	for _, m := range benchmarks(b) {
		any, err := anypb.New(m)
		if err != nil {
			b.Fatal(err)
		}
		text, err := libraryText(any)
		if err != nil {
			b.Fatal(err)
		}
		name := string(m.ProtoReflect().Descriptor().Name())
		b.Run(name+"/errmap", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tree := jsontree.Get()
				if err := tree.Parse(text, depth); err != nil {
					b.Fatal(err)
				}
				if _, _, whole := codec.ReadAny(tree.Root()); !whole {
					b.Fatal("refused")
				}
				tree.Release()
			}
		})
		b.Run(name+"/tree", func(b *testing.B) {
			b.ReportAllocs()
			tree := jsontree.Get()
			if err := tree.Parse(text, depth); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, whole := codec.ReadAny(tree.Root()); !whole {
					b.Fatal("refused")
				}
			}
		})
		b.Run(name+"/protojson", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := libjson.Unmarshal(text, new(anypb.Any)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whole messages are written and read for the JSON-RPC server.
func BenchmarkMessage(b *testing.B) {
	codec := protojson.NewCodec(nil)
	for _, m := range benchmarks(b) {
		md := m.ProtoReflect().Descriptor()
		known := codec.Message(md)
		text, err := libraryText(m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(md.Name())+"/Append/errmap", func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 4096)
			for b.Loop() {
				if _, ok := known.Append(dst, m); !ok {
					b.Fatal("declined")
				}
			}
		})
		b.Run(string(md.Name())+"/Append/protojson", func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 4096)
			for b.Loop() {
				if _, err := (libjson.MarshalOptions{}).MarshalAppend(dst, m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(string(md.Name())+"/Read/errmap", func(b *testing.B) {
			b.ReportAllocs()
			var room []byte
			for b.Loop() {
				var ok bool
				if room, ok = known.Read(text, m.ProtoReflect().New().Interface(), room); !ok {
					b.Fatal("declined")
				}
			}
		})
		b.Run(string(md.Name())+"/Read/protojson", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := libjson.Unmarshal(text, m.ProtoReflect().New().Interface()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
