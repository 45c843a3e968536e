package protojson_test

import (
	"testing"

	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// FuzzCodec_AppendAny compares what is written of any bytes with what the library
// writes.
func FuzzCodec_AppendAny(f *testing.F) {
	for _, m := range benchmarks(f) {
		any, err := anypb.New(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(any.GetTypeUrl(), any.GetValue())
	}
	codec := protojson.NewCodec(nil)
	f.Fuzz(func(t *testing.T, typeURL string, wire []byte) {
		mt, err := global.FindMessageByURL(typeURL)
		if err != nil {
			if out, fidelity := codec.AppendAny(nil, typeURL, wire, depth); fidelity != protojson.None && string(out) != "{}" {
				t.Fatalf("wrote %s", out)
			}
			return
		}
		checkAppend(t, codec, mt, wire)
	})
}

// FuzzCodec_ReadAny compares what is read of any JSON with what the library reads.
func FuzzCodec_ReadAny(f *testing.F) {
	for _, m := range benchmarks(f) {
		any, err := anypb.New(m)
		if err != nil {
			f.Fatal(err)
		}
		text, err := libraryText(any)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	codec := protojson.NewCodec(nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		checkRead(t, codec, text)
		checkKnown(t, codec, text)
		var tree jsontree.Tree
		if tree.Parse(text, depth) != nil {
			return
		}
		if typeURL, value, whole := codec.ReadAny(tree.Root()); whole {
			if _, fidelity := codec.AppendAny(nil, typeURL, value, 2*depth); fidelity != protojson.Exact {
				t.Fatalf("%s is read as %x, which is not written", text, value)
			}
		}
	})
}
