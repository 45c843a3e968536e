package wire_test

import (
	"cmp"
	"slices"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/wire"
)

// trial does what fit does by the words of the contract and by encoding each attempt.
type trial struct {
	e       *hub.Error
	o       *wire.Encoding
	own     hub.Wire
	plain   [][]byte // what a Status shows of each detail; nil for nothing
	details []chosen
	said    bool
	members map[hub.Wire]bool
	message int
	// amounts are what was taken of each part, in order.
	amounts []int
}

// chosen is what was taken of one detail.
type chosen struct {
	all, text bool
	elements  int
	identity  bool
	keys      map[string]bool
	others    bool
}

func newTrial(e *hub.Error, o *wire.Encoding, own hub.Wire) *trial {
	t := &trial{e: e, o: o, own: own, members: map[hub.Wire]bool{}, details: make([]chosen, len(e.Details)), plain: make([][]byte, len(e.Details))}
	for i, d := range e.Details {
		t.details[i].keys = map[string]bool{}
		t.plain[i] = append([]byte{}, d.Value...)
		if d.JSON != nil {
			var tree jsontree.Tree
			if tree.Parse(d.JSON, 1000) != nil {
				panic("not JSON")
			}
			_, value, ok := (*schema.Catalog)(nil).Codec().ReadKnown(tree.Root())
			if t.plain[i] = append([]byte{}, value...); !ok {
				t.plain[i] = nil
			}
		}
	}
	return t
}

func (t *trial) carries() bool { return t.e.Origin.Carries() && !t.o.WithoutCarried }

// info returns what an ErrorInfo says, and its fields of a later schema; nil where it
// is none.
func (t *trial) info(i int) *errdetails.ErrorInfo {
	m := new(errdetails.ErrorInfo)
	if t.plain[i] == nil || t.e.Details[i].Name() != hub.NameErrorInfo || proto.Unmarshal(t.plain[i], m) != nil {
		return nil
	}
	return m
}

func elements(b []byte) (out [][]byte) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 {
			return nil
		}
		if number == 1 && kind == protowire.BytesType {
			out = append(out, b[:n])
		}
		b = b[n:]
	}
	return out
}

// error returns the error of what was taken.
func (t *trial) error() *hub.Error {
	e := &hub.Error{Number: t.e.Number, Origin: t.e.Origin, Message: t.e.Message[:t.message]}
	if e.Number < 0 && !t.said && t.carries() {
		e.Number = 2
	}
	for i, c := range t.details {
		d := t.e.Details[i]
		switch {
		case c.text, t.plain[i] == nil && !t.carries():
		case c.all && (d.JSON == nil || !t.carries()):
		case c.all:
			d = hub.Detail{TypeURL: d.TypeURL, Value: t.plain[i]}
		case c.identity:
			whole := t.info(i)
			m := &errdetails.ErrorInfo{Reason: whole.Reason, Domain: whole.Domain, Metadata: map[string]string{}}
			for key := range c.keys {
				m.Metadata[key] = whole.Metadata[key]
			}
			if c.others {
				m.ProtoReflect().SetUnknown(whole.ProtoReflect().GetUnknown())
			}
			d = hub.Detail{TypeURL: d.TypeURL, Value: detail(m).Value}
		case c.elements > 0:
			d = hub.Detail{TypeURL: d.TypeURL, Value: slices.Concat(elements(t.plain[i])[:c.elements]...)}
		default:
			continue
		}
		e.Details = append(e.Details, d)
	}
	for _, r := range t.e.Received {
		if !t.said {
			r = hub.Received{Wire: r.Wire, Members: r.Members}
		}
		if !t.members[r.Wire] && t.carries() {
			r.Members = nil
		}
		if !r.Empty() {
			e.Received = append(e.Received, r)
		}
	}
	return e
}

// attempt keeps what do chooses where it fits.
func (t *trial) attempt(amount int, do, undo func()) bool {
	do()
	fits := sizeOn(t.error(), t.o, t.own) <= t.o.Budget
	if !fits {
		undo()
		amount = 0
	}
	t.amounts = append(t.amounts, amount)
	return fits
}

func (t *trial) flag(b *bool) bool {
	return t.attempt(1, func() { *b = true }, func() { *b = false })
}

func (t *trial) text(most int) {
	before := t.message
	best := before
	for n := range min(most, len(t.e.Message)) + 1 {
		if n > before && (n == len(t.e.Message) || utf8.RuneStart(t.e.Message[n])) {
			t.message = n
			if sizeOn(t.error(), t.o, t.own) <= t.o.Budget {
				best = n
			}
		}
	}
	t.message = best
	t.amounts = append(t.amounts, best)
}

func (t *trial) metadata(i int) {
	whole, c := t.info(i), &t.details[i]
	keys := make([]string, 0, len(whole.Metadata))
	for key := range whole.Metadata {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a)+len(whole.Metadata[a]), len(b)+len(whole.Metadata[b])), cmp.Compare(a, b))
	})
	for _, key := range keys {
		t.attempt(1, func() { c.keys[key] = true }, func() { delete(c.keys, key) })
	}
	if len(whole.ProtoReflect().GetUnknown()) > 0 {
		t.flag(&c.others)
	} else {
		c.others = true
	}
	c.all = len(c.keys) == len(keys) && c.others
}

func (t *trial) smallestFirst(class int) {
	var order []int
	for i := range t.details {
		if t.class(i) == class {
			order = append(order, i)
		}
	}
	size := func(i int) int { return len(t.e.Details[i].TypeURL) + len(t.plain[i]) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	for _, i := range order {
		if t.flag(&t.details[i].all) {
			continue
		}
		switch t.e.Details[i].Name() {
		case hub.NameBadRequest, hub.NamePrecondition, hub.NameQuotaFailure, hub.NameHelp:
			best := 0
			for n := range elements(t.plain[i]) {
				t.details[i].elements = n + 1
				if sizeOn(t.error(), t.o, t.own) <= t.o.Budget {
					best = n + 1
				}
			}
			t.details[i].elements = best
			t.amounts = append(t.amounts, best)
		}
	}
}

// class is that of a detail in the words of the contract: 3, 7, 8, 9 or 11.
func (t *trial) class(i int) int {
	if t.plain[i] == nil {
		return 0
	}
	switch t.e.Details[i].Name() {
	case hub.NameErrorInfo:
		if t.info(i) != nil {
			return 7
		}
	case hub.NameRetryInfo:
		m := new(errdetails.RetryInfo)
		if proto.Unmarshal(t.plain[i], m) == nil && m.RetryDelay != nil {
			return 3
		}
	case hub.NameHelp, hub.NameLocalizedMessage:
		return 9
	case hub.NameDebugInfo:
		return 11
	}
	return 8
}

func (t *trial) run() *hub.Error {
	first := -1
	for i := range t.details {
		if m := t.info(i); m != nil && m.Reason != "" {
			first = i
			t.flag(&t.details[i].identity)
			break
		}
	}
	for i := range t.details {
		if t.class(i) == 3 {
			t.flag(&t.details[i].all)
		}
	}
	t.flag(&t.said)
	if first >= 0 && t.details[first].identity {
		t.metadata(first)
	}
	t.text(1024)
	for i := range t.details {
		if t.class(i) == 7 && i != first && t.flag(&t.details[i].identity) {
			t.metadata(i)
		}
	}
	t.smallestFirst(8)
	t.smallestFirst(9)
	t.text(len(t.e.Message))
	t.smallestFirst(11)
	t.texts()
	return t.error()
}

func (t *trial) texts() {
	if !t.carries() {
		return
	}
	type item struct{ size, place int }
	var items []item
	for k, r := range t.e.Received {
		if len(r.Members) > 0 {
			items = append(items, item{len(r.Members), k - 100})
		}
	}
	for i, d := range t.e.Details {
		if d.JSON != nil && (t.plain[i] == nil || t.details[i].all) {
			items = append(items, item{len(d.JSON), i})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.place, b.place)) })
	for _, it := range items {
		if it.place >= 0 {
			t.flag(&t.details[it.place].text)
			continue
		}
		w := t.e.Received[it.place+100].Wire
		t.attempt(1, func() { t.members[w] = true }, func() { delete(t.members, w) })
	}
}

// What is chosen by arithmetic is what the words of the contract choose by encoding
// each attempt, and a larger budget never takes less of the first part in which it
// differs.
func TestFit_chooses_as_trials_do(t *testing.T) {
	t.Parallel()
	for seed := uint64(1 << 32); seed < 1<<32+1500; seed++ {
		r := newRandom(seed)
		e, o := r.error(), r.encoding()
		if len(e.Details) > 100 && seed%2 == 0 {
			o.Budget = 2000 + r.IntN(3000)
		}
		e.Message = hub.CutRunes(e.Message, 300)
		agree(t, r, seed, e, o)
	}
}

// So it is where the message comes in two parts.
func TestFit_chooses_the_message_as_trials_do(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := newRandom(seed)
		e, o := r.error(), r.encoding()
		e.Message = r.text(900 + r.IntN(700))
		e.Details = e.Details[:min(3, len(e.Details))]
		e.Details = append(e.Details, detail(&errdetails.LocalizedMessage{Message: r.text(r.IntN(200))}), detail(&errdetails.DebugInfo{Detail: r.text(r.IntN(200))}))
		o.Budget = 1500 + r.IntN(4000)
		agree(t, r, seed, e, o)
	}
}

// agree tells where arithmetic and trials do not choose the same.
func agree(t *testing.T, r *random, seed uint64, e *hub.Error, o *wire.Encoding) {
	t.Helper()
	own := owns[seed%2]
	fitted, _, _, _ := wire.Fit(e, o, own)
	if twice(e) || fitted == e {
		return
	}
	slow := newTrial(e, o, own)
	if want := slow.run(); !sameMeaning(want, fitted) {
		t.Fatalf("seed %d, budget %d: %s", seed, o.Budget, gocmp.Diff(want, fitted))
	}
	if seed%8 > 0 {
		return
	}
	larger := *o
	larger.Budget += 1 + r.IntN(200)
	more := newTrial(e, &larger, own)
	more.run()
	if slices.Compare(slow.amounts, more.amounts) > 0 {
		t.Fatalf("seed %d: a budget of %d takes %v, one of %d %v", seed, o.Budget, slow.amounts, larger.Budget, more.amounts)
	}
}

// twice tells whether an ErrorInfo has a field twice, which the trials would have to
// leave out by hand, or a JSON detail is bytes here.
func twice(e *hub.Error) bool {
	for i := range e.Details {
		m := new(errdetails.ErrorInfo)
		if e.Details[i].Name() == hub.NameErrorInfo && proto.Unmarshal(e.Details[i].Value, m) == nil && len(detail(m).Value) != len(e.Details[i].Value) {
			return true
		}
	}
	return false
}
