package jsontree_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

// A body of each form that errors have, and larger ones.
var bodies = []struct{ name, text string }{
	{"errorinfo", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"OUT_OF_STOCK","domain":"shop.example.com","metadata":{"sku":"A-17","left":"0"}}`},
	{"jsonrpc", `{"jsonrpc":"2.0","id":"7f3a","error":{"code":-32001,"message":"sku \"A-17\" is out of stock","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"OUT_OF_STOCK","domain":"shop.example.com","metadata":{"sku":"A-17","left":"0"}},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.500s"}]}}`},
	{"spaced", indented(`{"error":{"code":404,"message":"not found","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a.b","description":"must be set"},{"field":"c","description":"too long"}]}]}}`)},
	{"ascii100K", `{"message":"` + strings.Repeat("plain text that goes on, ", 4096) + `"}`},
	{"cjk100K", `{"message":"` + strings.Repeat("日本語のテキストです。", 3100) + `"}`},
	{"cyrillic100K", `{"message":"` + strings.Repeat("Пример текста на русском, ", 2200) + `"}`},
	{"escapes100K", `{"message":"` + strings.Repeat(`one\nand \"two\" `, 6000) + `"}`},
	{"numbers100K", `[` + strings.Repeat(`1,-25,3.75e+2,100000,`, 5000) + `0]`},
	{"members100K", manyMembers(6000, "member-number-%05d")},
	{"small objects100K", `[` + strings.Repeat(`{"field":"a.b","description":"must be set","reason":"X"},`, 1800) + `{}]`},
}

func indented(text string) string {
	v := jsontext.Value(text)
	if err := v.Indent(); err != nil {
		panic(err)
	}
	return string(v)
}

func manyMembers(n int, format string) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"`+format+`":%d`, i, i)
	}
	b.WriteString("}")
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, body := range bodies {
		text := []byte(body.text)
		b.Run(body.name+"/jsontree", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tree := jsontree.Get()
				if err := tree.Parse(text, 100); err != nil {
					b.Fatal(err)
				}
				tree.Release()
			}
		})
		b.Run(body.name+"/jsontext tokens", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			dec := new(jsontext.Decoder)
			r := new(bytes.Reader)
			for b.Loop() {
				r.Reset(text)
				dec.Reset(r, anyText...)
				for {
					if _, err := dec.ReadToken(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(body.name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !json.Valid(text) {
					b.Fatal("not valid")
				}
			}
		})
	}
}

// A tree that nothing was read into before.
func BenchmarkParse_fresh(b *testing.B) {
	for _, body := range bodies {
		text := []byte(body.text)
		b.Run(body.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var tree jsontree.Tree
				if err := tree.Parse(text, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Hostile shapes at n, 2n and 4n: the time is to grow as they do.
func BenchmarkParse_growth(b *testing.B) {
	for _, shape := range hostile {
		for _, n := range []int{1, 2, 4} {
			text := []byte(shape.text(n * 20000))
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					var tree jsontree.Tree
					_ = tree.Parse(text, 1<<20)
				}
			})
		}
	}
}

func BenchmarkSame_growth(b *testing.B) {
	for _, shape := range unordered {
		for _, n := range []int{1, 2, 4} {
			one, other := shape.text(n * 2000)
			x, y := parse(b, one), parse(b, other)
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.SetBytes(int64(len(one)))
				for b.Loop() {
					if !jsontree.Same(x, y) {
						b.Fatal("not the same")
					}
				}
			})
		}
	}
}

var texts = []struct{ name, text string }{
	{"5", "A-17x"},
	{"20", "sku A-17 is out, yes"},
	{"100", strings.Repeat("plain text", 10)},
	{"quotes100", strings.Repeat(`"a" and \ `, 10)},
	{"ascii100K", strings.Repeat("plain text that goes on, ", 4096)},
	{"cjk100K", strings.Repeat("日本語のテキストです。", 3100)},
	{"cyrillic100K", strings.Repeat("Пример текста на русском, ", 2200)},
	{"emoji100K", strings.Repeat("😀", 25000)},
	{"latin100K", strings.Repeat("café déjà vu, naïve ", 4500)},
	{"escapes100K", strings.Repeat("\"\n", 50000)},
}

func BenchmarkAppendString(b *testing.B) {
	for _, row := range texts {
		b.Run(row.name+"/jsontree", func(b *testing.B) {
			dst := make([]byte, 0, 3*len(row.text)+10)
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = jsontree.AppendString(dst[:0], row.text)
			}
		})
		b.Run(row.name+"/jsontext", func(b *testing.B) {
			dst := make([]byte, 0, 3*len(row.text)+10)
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = jsontext.AppendQuote(dst[:0], row.text)
			}
		})
	}
}

func BenchmarkClean(b *testing.B) {
	for _, row := range texts {
		b.Run(row.name+"/jsontree", func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				jsontree.Clean(row.text)
			}
		})
		b.Run(row.name+"/utf8.ValidString", func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			for b.Loop() {
				utf8.ValidString(row.text)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, body := range []string{"ascii100K", "cjk100K", "escapes100K"} {
		for _, row := range bodies {
			if row.name != body {
				continue
			}
			v := parse(b, row.text).Get("message")
			b.Run(body+"/jsontree", func(b *testing.B) {
				dst := make([]byte, 0, len(row.text))
				b.SetBytes(int64(len(row.text)))
				for b.Loop() {
					dst = v.AppendText(dst[:0])
				}
			})
			b.Run(body+"/jsontext", func(b *testing.B) {
				dst := make([]byte, 0, len(row.text))
				b.SetBytes(int64(len(row.text)))
				for b.Loop() {
					dst, _ = jsontext.AppendUnquote(dst[:0], v.Raw())
				}
			})
		}
	}
}

func BenchmarkAppendCompact(b *testing.B) {
	for _, body := range bodies {
		v := parse(b, indented(body.text))
		b.Run(body.name, func(b *testing.B) {
			dst := make([]byte, 0, len(v.Raw()))
			b.SetBytes(int64(len(v.Raw())))
			b.ReportAllocs()
			for b.Loop() {
				dst = v.AppendCompact(dst[:0])
			}
		})
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	for _, body := range bodies {
		text := []byte(body.text)
		v := parse(b, body.text)
		b.Run(body.name+"/jsontree", func(b *testing.B) {
			dst := make([]byte, 0, len(text))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = jsontree.AppendCanonical(dst[:0], v)
			}
		})
		b.Run(body.name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				c := jsontext.Value(bytes.Clone(text))
				_ = c.Canonicalize()
			}
		})
	}
}

func BenchmarkSame(b *testing.B) {
	for _, body := range bodies {
		x := parse(b, body.text)
		y := parse(b, indented(body.text))
		b.Run(body.name, func(b *testing.B) {
			b.SetBytes(int64(len(body.text)))
			b.ReportAllocs()
			for b.Loop() {
				if !jsontree.Same(x, y) {
					b.Fatal("not the same")
				}
			}
		})
	}
}
