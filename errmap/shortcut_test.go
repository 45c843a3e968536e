package errmap_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/errmap/errmap/errmap"
)

// The short ways of the decoders read what the long ones read. A limit on the
// depth and a response around the object lead to the long ones.
func TestProperty_short_ways_of_decoders(t *testing.T) {
	t.Parallel()
	shallow := errmap.WithLimits(errmap.Limits{Depth: errmap.DefaultMaxDepth - 1})
	same := func(i int, p packet, short, long *errmap.Error, shortErr, longErr error) {
		t.Helper()
		if (shortErr == nil) != (longErr == nil) {
			t.Fatalf("case %d: %v and %v of %s", i, shortErr, longErr, p)
		}
		if s := difference(short, long, exactly); s != "" || !reflect.DeepEqual(short.Notes(), long.Notes()) {
			t.Fatalf("case %d: %s of %s\n\tshort %s\n\tlong  %s", i, s, p, describe(short), describe(long))
		}
		for k, d := range short.Details() {
			if d.TypeURL() != long.Details()[k].TypeURL() {
				t.Fatalf("case %d: %s and %s of %s", i, d.TypeURL(), long.Details()[k].TypeURL(), p)
			}
		}
	}
	for i := range cases(t, 1500) {
		g := newGenerator(seed(t)+11_000, uint64(i))
		g.tame = g.chance(50)
		w := pick(g, allWires...)
		var p packet
		switch g.IntN(3) {
		case 0:
			p = g.input(w)
		case 1:
			p = w.encode(g.made())
		default:
			e, _, _ := g.received()
			p = w.encode(e)
		}
		switch {
		case w.name == "connect":
			short, shortErr := w.decode(p)
			long, longErr := w.decode(p, shallow)
			same(i, p, short, long, shortErr, longErr)
		case w.name == generic || w.name == a2a || w.name == mcp:
			if !validJSON(p.body) || bytes.Contains(p.body, []byte(`"jsonrpc"`)) {
				continue
			}
			short, shortErr := w.decode(p)
			if shortErr != nil {
				continue
			}
			long, longErr := w.decode(packet{body: []byte(`{"jsonrpc":"2.0","id":1,"error":` + string(p.body) + `}`)})
			same(i, p, short, long, shortErr, longErr)
		}
	}
}

// The short ways of the encoders write what the long ones write.
func TestProperty_short_ways_of_encoders(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 800) {
		g := newGenerator(seed(t)+12_000, uint64(i))
		e := g.made()
		if g.chance(50) {
			e, _, _ = g.received()
		}
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			want, wantNumber := errmap.SettledJSONRPC(e, p)
			if got, number := errmap.AppendJSONRPC(nil, e, p); !bytes.Equal(got, want) || number != wantNumber {
				t.Fatalf("case %d, %s:\n\tshort %s\n\tlong  %s", i, p, got, want)
			}
		}
		if got, want := errmap.EncodeConnect(e), errmap.SettledConnect(e); !bytes.Equal(got, want) {
			t.Fatalf("case %d, connect:\n\tshort %s\n\tlong  %s", i, got, want)
		}
		wantStatus, want := errmap.SettledHTTP(e)
		if status, got := errmap.EncodeHTTP(e); status != wantStatus || !bytes.Equal(got, want) {
			t.Fatalf("case %d, http:\n\tshort %d %s\n\tlong  %d %s", i, status, got, wantStatus, want)
		}
		if got, want := errmap.EncodeGRPC(e, errmap.WithBudget(-1)), errmap.SettledGRPC(e); got != want {
			t.Fatalf("case %d, grpc:\n\tshort %s\n\tlong  %s", i, got, want)
		}
	}
}

// What is appended to room that is there is what is written into new room.
func TestProperty_append_to_a_buffer_with_room(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 800) {
		g := newGenerator(seed(t)+13_000, uint64(i))
		e, _, _ := g.received()
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			for _, opts := range [][]errmap.EncodeOption{nil, {errmap.WithoutCarried()}} {
				want, wantNumber := errmap.AppendJSONRPC(nil, e, p, opts...)
				room := append(make([]byte, 0, 1<<16), "before"...)
				got, number := errmap.AppendJSONRPC(room, e, p, opts...)
				if string(got) != "before"+string(want) || number != wantNumber {
					t.Fatalf("case %d, %s:\n\tgot  %s\n\twant %s", i, p, got, want)
				}
			}
		}
	}
}
