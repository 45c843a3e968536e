package wire_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/wire"
)

var owns = []hub.Wire{hub.WireGRPC, 0}

// What the sizes promise is what stands on the wire, the budget holds, and what is
// left is an error like any other.
func TestFit_sizes_are_exact(t *testing.T) {
	t.Parallel()
	cut, fit := 0, 0
	for seed := range uint64(20000) {
		r := newRandom(seed)
		e, o, own := r.error(), r.encoding(), owns[seed%2]
		before := clone(e)
		size := sizeOn(e, o, own)
		whole, atMost := wire.WholeSize(e, o, own)
		if whole != size || atMost < size {
			t.Fatalf("seed %d: the error takes %d bytes, expected were %d, at most %d", seed, size, whole, atMost)
		}
		fitted, notes, expected, _ := wire.Fit(e, o, own)
		if !same(before, e, sameDetail) {
			t.Fatalf("seed %d: the error was changed: %s", seed, cmp.Diff(before, e))
		}
		bare := sizeOn(&hub.Error{Number: codeOf(e.Number), Origin: hub.Made}, o, own)
		if (fitted == e) != (size <= max(o.Budget, bare)) || (len(notes) == 0) != sameMeaning(e, fitted) {
			t.Fatalf("seed %d: budget %d, size %d, the same error: %t, notes %q", seed, o.Budget, size, fitted == e, notes)
		}
		if fitted == e {
			fit++
			continue
		}
		cut++
		size = sizeOn(fitted, o, own)
		if size != expected {
			t.Fatalf("seed %d: what is left takes %d bytes, expected were %d", seed, size, expected)
		}
		if size > max(o.Budget, bare) {
			t.Fatalf("seed %d: %d bytes over a budget of %d", seed, size, o.Budget)
		}
		if o.Budget < bare {
			continue
		}
		if again, _, _, _ := wire.Fit(fitted, o, own); again != fitted {
			t.Fatalf("seed %d: not left alone the second time", seed)
		}
		if own == hub.WireGRPC {
			comesBack(t, seed, fitted, o)
		}
	}
	if cut < 4000 || fit < 4000 {
		t.Errorf("%d were cut, %d fitted: the errors are of one kind", cut, fit)
	}
}

// comesBack tells where what is left is not read back as it was.
func comesBack(t *testing.T, seed uint64, e *hub.Error, o *wire.Encoding) {
	t.Helper()
	if o.WithoutCarried || e.Origin == hub.Made {
		return
	}
	h, _ := wire.WriteGRPC(e, &wire.Encoding{Budget: -1})
	got := new(hub.Error)
	err := wire.ReadGRPC(got, map[string][]string{
		wire.HeaderGRPCStatus: {h.Status}, wire.HeaderGRPCMessage: {h.Message}, wire.HeaderGRPCDetails: {h.DetailsBin},
	}, &wire.Decoding{Limits: large})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !same(e, got, sameDetail) {
		t.Fatalf("seed %d: what is left does not come back: %s", seed, cmp.Diff(e, got))
	}
}

// sameMeaning tells whether two errors are the same but for fields of an ErrorInfo that
// stand twice.
func sameMeaning(a, b *hub.Error) bool {
	return same(a, b, func(x, y *hub.Detail) bool {
		m, n := new(errdetails.ErrorInfo), new(errdetails.ErrorInfo)
		return sameDetail(x, y) || x.JSON == nil && y.JSON == nil && x.Is(hub.NameErrorInfo) && x.TypeURL == y.TypeURL &&
			proto.Unmarshal(x.Value, m) == nil && proto.Unmarshal(y.Value, n) == nil && proto.Equal(m, n)
	})
}

func sameDetail(a, b *hub.Detail) bool {
	return a.TypeURL == b.TypeURL && bytes.Equal(a.Value, b.Value) && bytes.Equal(a.JSON, b.JSON)
}

// same tells whether two errors are the same; go-cmp takes its time for long texts, and
// has it only where they are not.
func same(a, b *hub.Error, sameDetail func(a, b *hub.Detail) bool) bool {
	return a.Number == b.Number && a.Origin == b.Origin && a.Message == b.Message &&
		slices.EqualFunc(a.Details, b.Details, func(x, y hub.Detail) bool { return sameDetail(&x, &y) }) &&
		slices.EqualFunc(a.Received, b.Received, func(x, y hub.Received) bool { return x.Equal(&y) })
}

func codeOf(number int32) int32 {
	if number < 0 {
		return 2
	}
	return number
}

func clone(e *hub.Error) *hub.Error {
	out := *e
	out.Details = slices.Clone(e.Details)
	for i := range out.Details {
		out.Details[i].Value = slices.Clone(out.Details[i].Value)
	}
	out.Received = slices.Clone(e.Received)
	return &out
}

// Places take more bytes from the second, the 129th and the 16,385th on: what rides
// along moves over those as the list grows.
func TestFit_places_are_exact(t *testing.T) {
	t.Parallel()
	for n, seeds := range map[int]uint64{3: 300, 140: 300, 300: 100, 17000: 6} {
		for seed := range seeds {
			r := newRandom(seed)
			e := &hub.Error{Number: 5, Origin: hub.Read}
			for range n {
				switch r.IntN(8) {
				case 0:
					e.Details = append(e.Details, hub.Detail{})
				case 1:
					e.Details = append(e.Details, jsonDetail(hub.URLErrorInfo, `{"@type":"`+hub.URLErrorInfo+`","reason":"`+strings.Repeat("R", r.IntN(80))+`","more":1}`))
				default:
					e.Details = append(e.Details, jsonDetail("", `"`+strings.Repeat("x", r.IntN(140))+`"`))
				}
			}
			o := &wire.Encoding{Budget: -1}
			own := owns[seed%2]
			o.Budget = int(float64(sizeOn(e, o, own)) * (0.3 + 0.7*r.Float64()))
			fitted, _, expected, _ := wire.Fit(e, o, own)
			if size := sizeOn(fitted, o, own); fitted != e && (size != expected || size > o.Budget) {
				t.Fatalf("%d details, seed %d: %d bytes, expected were %d, the budget is %d", n, seed, size, expected, o.Budget)
			}
			if own == hub.WireGRPC && n < 1000 {
				comesBack(t, seed, fitted, o)
			}
		}
	}
}

// An error that fits costs nothing.
func TestFit_costs_nothing(t *testing.T) {
	r := newRandom(1)
	e := &hub.Error{Number: 5, Message: "no such book", Origin: hub.Read, Details: []hub.Detail{detail(r.errorInfo()), jsonDetail("", `"free"`)}}
	o := &wire.Encoding{Budget: defaultBudget}
	e.Details[0].Value = e.Details[0].Value[:min(500, len(e.Details[0].Value))]
	if n := testing.AllocsPerRun(100, func() { wire.Fit(e, o, hub.WireGRPC) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFit(b *testing.B) {
	o := &wire.Encoding{Budget: defaultBudget}
	small := &hub.Error{Number: 5, Message: "no such book", Details: []hub.Detail{detail(newRandom(1).errorInfo())}}
	infos := &hub.Error{Number: 5, Message: "m"}
	for range 1024 {
		infos.Details = append(infos.Details, errorInfo("OUT_OF_STOCK", map[string]string{"sku": strings.Repeat("x", 40), "warehouse": "north"}))
	}
	text := &hub.Error{Number: 5, Message: strings.Repeat("é ", 20_000), Details: small.Details}
	long := &hub.Error{Number: 5, Message: "m", Origin: hub.Read}
	for range 1024 {
		long.Details = append(long.Details, jsonDetail("", `"`+strings.Repeat("x", 30+rand.IntN(60))+`"`)) //nolint:gosec // a size
	}
	for _, row := range []struct {
		name string
		e    *hub.Error
	}{{"small", small}, {"1024 ErrorInfos", infos}, {"text of 60 KB", text}, {"1024 JSON details", long}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				wire.FitAlone(row.e, o, hub.WireGRPC)
			}
		})
	}
}
