package errmap_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

// carriedPlace returns the place of a Carried in a Status, -1 where it has none.
func carriedPlace(s *statuspb.Status) int {
	return slices.IndexFunc(s.GetDetails(), func(a *anypb.Any) bool { return a.MessageName() == "errmap.v1.Carried" })
}

func without(s *statuspb.Status, place int) *statuspb.Status {
	s = proto.CloneOf(s)
	s.Details = slices.Delete(s.Details, place, place+1)
	return s
}

// riding returns a random error's Status in which a Carried rides.
func riding(t *testing.T, g *generator) (*errmap.Error, *statuspb.Status, int) {
	t.Helper()
	for {
		e, _, _ := g.received()
		s := e.Status()
		if place := carriedPlace(s); place >= 0 {
			return e, s, place
		}
	}
}

// tamperings change the plain part of an error in ways that a reader can see.
var tamperings = []struct {
	name string
	do   func(g *generator, s *statuspb.Status, carried int) bool
}{
	{"another message", func(g *generator, s *statuspb.Status, _ int) bool {
		s.Message += pick(g, " (gateway)", "x")
		return true
	}},
	{"another code", func(g *generator, s *statuspb.Status, _ int) bool {
		was := s.Code
		for codeName(s.Code) == codeName(was) {
			s.Code = 1 + g.Int32N(16)
		}
		return true
	}},
	{"a detail fewer", func(g *generator, s *statuspb.Status, carried int) bool {
		if carried == 0 {
			return false
		}
		place := g.IntN(carried)
		s.Details = slices.Delete(s.Details, place, place+1)
		return true
	}},
	{"a detail more", func(g *generator, s *statuspb.Status, carried int) bool {
		s.Details = slices.Insert(s.Details, g.IntN(carried+1), &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.Help"})
		return true
	}},
	{"another reason", func(g *generator, s *statuspb.Status, carried int) bool {
		for i, a := range s.Details[:carried] {
			info := new(errdetails.ErrorInfo)
			if a.MessageIs(info) && proto.Unmarshal(a.GetValue(), info) == nil && len(info.ProtoReflect().GetUnknown()) == 0 {
				info.Reason += "_ELSE"
				value, err := proto.Marshal(info)
				if err != nil {
					return false
				}
				s.Details[i] = &anypb.Any{TypeUrl: a.GetTypeUrl(), Value: value}
				return true
			}
		}
		return false
	}},
	{"details in another order", func(g *generator, s *statuspb.Status, carried int) bool {
		if carried < 2 || s.Details[0].MessageName() == s.Details[carried-1].MessageName() {
			return false
		}
		s.Details[0], s.Details[carried-1] = s.Details[carried-1], s.Details[0]
		return true
	}},
}

func codeName(n int32) string {
	if n < 1 || n > 16 {
		n = 2
	}
	return allCodes[n-1].String()
}

// A Carried beside a plain part that somebody changed is not believed.
func TestWire_8_tampered_carried_is_read_as_its_plain_part(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+4000, uint64(i))
		_, s, place := riding(t, g)
		tampered := proto.CloneOf(s)
		how := tamperings[g.IntN(len(tamperings))]
		if !how.do(g, tampered, place) {
			continue
		}
		tried[how.name]++
		got, err := errmap.FromStatus(tampered)
		if err != nil {
			t.Fatal(err)
		}
		want, err := errmap.FromStatus(without(tampered, carriedPlace(tampered)))
		if err != nil {
			t.Fatal(err)
		}
		if s := difference(want, got, exactly); s != "" {
			t.Fatalf("case %d, %s: %s\n\twas %v\n\tnow %v\n\tas %s", i, how.name, s, s, tampered, describe(got))
		}
		if !strings.Contains(strings.Join(got.Notes(), "\n"), "errmap.v1.Carried dropped") {
			t.Fatalf("case %d, %s: no note says that the Carried was dropped: %q", i, how.name, got.Notes())
		}
	}
	for _, how := range tamperings {
		if tried[how.name] == 0 {
			t.Errorf("%q was never tried", how.name)
		}
	}
}

// Whatever stands in a Carried, it never takes from the plain part: code, message
// and the details of google.rpc stay, and each detail of the plain form is there
// still, with at least what it said.
func TestWire_8_forged_carried_takes_nothing_from_the_plain_part(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+5000, uint64(i))
		_, s, place := riding(t, g)
		forged := proto.CloneOf(s)
		_, other, from := riding(t, g)
		switch value := forged.Details[place].Value; g.IntN(3) {
		case 0:
			forged.Details[place].Value = other.Details[from].Value
		case 1:
			for range 1 + g.IntN(3) {
				if len(value) > 0 {
					value[g.IntN(len(value))] ^= byte(1 << g.IntN(8))
				}
			}
		case 2: // the details of one, the check of the other
			mixed := append(bytes.Clone(other.Details[from].Value), value...)
			forged.Details[place].Value = mixed
		}
		got, err := errmap.FromStatus(forged)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := errmap.FromStatus(without(forged, place))
		if err != nil {
			t.Fatal(err)
		}
		if got.Code() != plain.Code() || got.Message() != plain.Message() {
			t.Fatalf("case %d: %s became %s", i, describe(plain), describe(got))
		}
		rest := got.Details()
		for _, d := range plain.Details() {
			k := slices.IndexFunc(rest, func(r errmap.RawDetail) bool { return r.Name() == d.Name() || d.Name() == "google.protobuf.Value" })
			if k < 0 {
				t.Fatalf("case %d: detail %s is gone\n\tplain %s\n\tgot %s", i, d.Name(), describe(plain), describe(got))
			}
			rest = rest[k+1:]
		}
		if a, b := rpcDetails(plain), rpcDetails(got); a != b {
			t.Fatalf("case %d: %s became %s", i, a, b)
		}
	}
}

// rpcDetails lists the types of the details of google.rpc that their type can read:
// those that stand in a Status. Any other element with such a name says nothing.
func rpcDetails(e *errmap.Error) string {
	var names []string
	for _, d := range e.Status(errmap.WithoutCarried()).GetDetails() {
		if name := string(d.MessageName()); strings.HasPrefix(name, "google.rpc.") {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// The same on the JSON wires: the message of the plain part decides.
func TestWire_8_tampered_carried_on_json_wires(t *testing.T) {
	t.Parallel()
	tried := 0
	for i := range cases(t, 400) {
		g := newGenerator(seed(t)+6000, uint64(i))
		g.tame = true // so that taking the Carried out changes nothing else
		e, _, _ := g.received()
		w := pick(g, wireNamed(t, "http"), wireNamed(t, "statusjson"))
		p := w.encode(e)
		if !bytes.Contains(p.body, []byte(`"errmap":{`)) || e.Message() == "" {
			continue
		}
		tried++
		tampered := p
		tampered.body = bytes.Replace(p.body, []byte(`"message":"`), []byte(`"message":"x`), 1)
		got, err := w.decode(tampered)
		if err != nil {
			t.Fatal(err)
		}
		bare := withoutCarried(t, tampered.body)
		want, err := w.decode(packet{status: p.status, body: bare})
		if err != nil {
			t.Fatal(err)
		}
		if s := difference(want, got, semantically); s != "" {
			t.Fatalf("case %d, %s: %s\n\tin %s\n\tas %s", i, w.name, s, tampered, describe(got))
		}
	}
	if tried == 0 {
		t.Error("nothing rode along")
	}
}

// withoutCarried takes the member that is the Carried out of a body.
func withoutCarried(t *testing.T, body []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	delete(v, "errmap")
	if inner, ok := v["error"].(map[string]any); ok {
		delete(inner, "errmap")
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
