package bench

import (
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
)

// texts are a hundred kilobytes each.
var texts = map[string]string{
	"ASCII":              strings.Repeat("no such task. ", 7_143)[:100_000],
	"percent signs":      strings.Repeat("100 % of it", 9_091)[:100_000],
	"Latin letters":      strings.Repeat("Größe übermäßig ", 5_000),
	"Chinese":            strings.Repeat("没有这样的任务", 4_762),
	"emoji":              strings.Repeat("😀🚀", 12_500),
	"control characters": strings.Repeat("\x01\n\t", 33_334)[:100_000],
}

func BenchmarkText(b *testing.B) {
	for name, text := range texts {
		e := errmap.NewCode(code.Code_NOT_FOUND, text)
		b.Run(name+", JSON-RPC encode", func(b *testing.B) { sides(b, forms[0].writing(e, e.Status())...) })
		b.Run(name+", JSON-RPC decode", func(b *testing.B) { sides(b, forms[0].reading(e, e.Status())...) })
	}
}

// The message alone goes through grpc-message; bytes are those of the text.
func BenchmarkGRPCMessage(b *testing.B) {
	for name, text := range texts {
		e := errmap.NewCode(code.Code_NOT_FOUND, text)
		headers := errmap.EncodeGRPC(e, errmap.WithBudget(-1)).Map()
		delete(headers, errmap.HeaderGRPCDetails)
		b.Run(name+", encode", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			loop(b, func() { errmap.EncodeGRPC(e, errmap.WithBudget(-1)) })
		})
		b.Run(name+", decode", func(b *testing.B) {
			if got := must(errmap.DecodeGRPC(headers)).Message(); got != text {
				b.Fatal("another text")
			}
			b.SetBytes(int64(len(text)))
			loop(b, func() { must(errmap.DecodeGRPC(headers)) })
		})
	}
}
