package jsontree_test

import (
	"math/rand/v2"
	"strconv"
)

// writer writes random JSON: with white space or without, names that stand twice,
// escapes where none is needed, lone surrogates, and numbers of all kinds.
type writer struct {
	*rand.Rand
	out     []byte
	spaces  bool
	doubles bool
	lones   bool
}

func newWriter(seed uint64) *writer {
	r := rand.New(rand.NewPCG(seed, 0))
	return &writer{Rand: r, spaces: r.IntN(2) == 0, doubles: r.IntN(3) == 0, lones: r.IntN(3) == 0}
}

func (w *writer) text(s string) { w.out = append(w.out, s...) }

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) space() {
	if w.spaces && w.IntN(3) == 0 {
		w.text(w.pick(" ", "\n", "\t", "\r\n", "  ", "\n    \t"))
	}
}

func (w *writer) value(depth int) {
	switch n := w.IntN(10); {
	case depth > 0 && n < 3:
		w.object(w.IntN(6), depth)
	case depth > 0 && n < 5:
		w.text("[")
		w.space()
		for i := range w.IntN(6) {
			if i > 0 {
				w.text(",")
				w.space()
			}
			w.value(depth - 1)
			w.space()
		}
		w.text("]")
	case n < 7:
		w.string(24)
	case n < 9:
		w.number()
	default:
		w.text(w.pick("null", "true", "false"))
	}
}

func (w *writer) object(members, depth int) {
	if w.IntN(40) == 0 {
		members *= 20
	}
	w.text("{")
	w.space()
	for i := range members {
		if i > 0 {
			w.text(",")
			w.space()
		}
		switch {
		case w.doubles && w.IntN(2) == 0:
			w.text(w.pick(`"a"`, `"\u0061"`, `"@type"`, `"b"`, `"longer than eight"`, `"longer t\u0068an eight"`))
		case w.lones && w.IntN(3) == 0:
			w.string(8)
		default:
			w.text(`"n` + strconv.Itoa(i))
			w.chars(4)
			w.text(`"`)
		}
		w.space()
		w.text(":")
		w.space()
		w.value(depth - 1)
		w.space()
	}
	w.text("}")
}

func (w *writer) string(most int) {
	w.text(`"`)
	w.chars(most)
	w.text(`"`)
}

func (w *writer) chars(most int) {
	for range w.IntN(most) {
		switch n := w.IntN(20); {
		case n < 12:
			w.text(string(rune('a' + w.IntN(26))))
		case n < 14:
			w.text(w.pick(" ", ",", ":", "{", "]", "é", "д", "日", "語", "😀", "\uFFFD", "\u2028", "\x7f", "\uE000", "\uFB33"))
		case n < 17:
			w.text(w.pick(`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`))
		case n < 19:
			w.text(w.pick(`\u0000`, `\u001f`, `\u0041`, `\u00e9`, `\u65E5`, `\uD83D\uDE00`, `\ud83d\ude00`, `\uFFFD`, `\u2028`))
		case w.lones:
			w.text(w.pick(`\ud800`, `\uDFFF`, `\uD83D\u0041`, `\uD83D\n`, `\ud83d\ud83d\ude00`))
		}
	}
}

func (w *writer) number() {
	switch w.IntN(6) {
	case 0:
		w.text(w.pick("0", "-0", "0.0", "-0.0e5", "1e400", "1e-400", "9007199254740993", "123456789012345678901234567890", "0.1", "1E+2", "1e21", "1e-7", "5e-324"))
	case 1:
		w.text(strconv.FormatUint(w.Uint64(), 10))
	case 2:
		w.text(strconv.FormatFloat(w.NormFloat64()*1e6, 'g', -1, 64))
	case 3:
		w.text(strconv.Itoa(w.IntN(100)-50) + "." + strconv.Itoa(w.IntN(1000)) + w.pick("", "e3", "E-2", "e+10", "0"))
	default:
		w.text(strconv.Itoa(w.IntN(2000) - 1000))
	}
}

// randomText returns the random JSON of a seed.
func randomText(seed uint64) []byte {
	w := newWriter(seed)
	w.space()
	w.value(1 + w.IntN(5))
	w.space()
	return w.out
}

// garbled returns text with something changed.
func garbled(r *rand.Rand, text []byte) []byte {
	out := append([]byte(nil), text...)
	for range 1 + r.IntN(2) {
		if len(out) == 0 {
			return out
		}
		at := r.IntN(len(out))
		switch r.IntN(4) {
		case 0:
			out = append(out[:at], out[at+1:]...)
		case 1:
			out[at] = byte(r.IntN(256))
		case 2:
			const likely = "{}[]:,\"\\ue+-.09 \n\x00\xff\xc0\xed\x80"
			out[at] = likely[r.IntN(len(likely))]
		default:
			out = out[:at]
		}
	}
	return out
}
