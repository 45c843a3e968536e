package bench

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// A type of one's own, of 3 and of 12 fields, all set, as the only detail.
func BenchmarkOwn(b *testing.B) {
	for _, own := range []struct {
		name   string
		detail proto.Message
	}{
		{"3 fields", &libraryv1.Book{Name: "shelves/1/books/7", Title: "The Go Programming Language", Pages: 380}},
		{"12 fields", &shopv1.Everything{
			Flag: true, I32: -7, U32: 7, I64: 1 << 40, U64: 1 << 60, F64: 1.25, Text: "sold out", Data: []byte("0123456789abcdef"),
			Color: shopv1.Color(1), Many: []string{"a", "b", "c"}, Choice: &shopv1.Everything_Left{Left: "left"},
			At: &timestamppb.Timestamp{Seconds: 1_700_000_000},
		}},
	} {
		e := errmap.NewCode(code.Code_NOT_FOUND, "Task not found").WithDetail(own.detail)
		for _, f := range forms {
			b.Run(own.name+", "+f.name+" encode", func(b *testing.B) {
				if f.name == "Connect" {
					sides(b, connectWriting(e, connectError(e.Status()))...)
				} else {
					sides(b, f.writing(e, e.Status())...)
				}
			})
			b.Run(own.name+", "+f.name+" decode", func(b *testing.B) { sides(b, f.reading(e, e.Status())...) })
		}
	}
}

// The error of most rows, whose only detail is an ErrorInfo, on wires that they leave out.
func BenchmarkInfo(b *testing.B) {
	for _, f := range forms[1:4] {
		b.Run(f.name+" encode", func(b *testing.B) { sides(b, f.writing(ours, ours.Status())...) })
		b.Run(f.name+" decode", func(b *testing.B) { sides(b, f.reading(ours, ours.Status())...) })
	}
}
