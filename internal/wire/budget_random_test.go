package wire_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/wire"
)

// random makes errors for the budget.
type random struct{ *rand.Rand }

func newRandom(seed uint64) *random {
	return &random{rand.New(rand.NewPCG(seed, 3))} //nolint:gosec // it is to be the same each time
}

// size returns a length: mostly small, sometimes at a border of a varint, seldom large.
func (r *random) size() int {
	switch r.IntN(12) {
	case 0:
		return 120 + r.IntN(16)
	case 1:
		return r.IntN(2000)
	case 2:
		return 0
	}
	return r.IntN(24)
}

func (r *random) text(n int) string {
	letters := []string{"a", "b", " ", "%", "é", "€", "\n", "x", "y", "z"}
	if r.IntN(2) == 0 {
		letters = []string{"a", "b", " "}
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func detail(m proto.Message) hub.Detail {
	value, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return hub.Detail{TypeURL: hub.URLPrefix + string(m.ProtoReflect().Descriptor().FullName()), Value: value}
}

func jsonDetail(typeURL, text string) hub.Detail {
	return hub.Detail{TypeURL: typeURL, JSON: []byte(text)}
}

func (r *random) errorInfo() *errdetails.ErrorInfo {
	info := &errdetails.ErrorInfo{Reason: "R" + r.text(r.size()/4), Domain: r.text(r.size() / 4)}
	for range r.IntN(5) {
		if info.Metadata == nil {
			info.Metadata = map[string]string{}
		}
		info.Metadata["k"+r.text(r.IntN(8))] = r.text(r.size())
	}
	if r.IntN(9) == 0 {
		info.Reason = ""
	}
	return info
}

func (r *random) times(f func()) {
	n := r.IntN(5)
	if r.IntN(9) == 0 {
		n = r.IntN(60)
	}
	for range n {
		f()
	}
}

// violations makes a message of which some elements can be left out.
func (r *random) violations() proto.Message {
	switch r.IntN(4) {
	case 0:
		m := new(errdetails.BadRequest)
		r.times(func() {
			m.FieldViolations = append(m.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: r.text(r.size()), Description: r.text(3)})
		})
		return m
	case 1:
		m := new(errdetails.PreconditionFailure)
		r.times(func() {
			m.Violations = append(m.Violations, &errdetails.PreconditionFailure_Violation{Type: r.text(r.size()), Subject: "s"})
		})
		return m
	case 2:
		m := new(errdetails.QuotaFailure)
		r.times(func() {
			m.Violations = append(m.Violations, &errdetails.QuotaFailure_Violation{Subject: r.text(r.size())})
		})
		return m
	}
	m := new(errdetails.Help)
	r.times(func() {
		m.Links = append(m.Links, &errdetails.Help_Link{Description: r.text(r.size()), Url: "https://x.example"})
	})
	return m
}

func (r *random) message() proto.Message {
	switch r.IntN(10) {
	case 0, 1, 2:
		return r.errorInfo()
	case 3:
		return &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: r.Int64N(1 << 20), Nanos: int32(r.IntN(3))}}
	case 4, 5:
		return r.violations()
	case 6:
		return &errdetails.LocalizedMessage{Locale: "de", Message: r.text(r.size())}
	case 7:
		return &errdetails.DebugInfo{Detail: r.text(r.size()), StackEntries: []string{r.text(r.size())}}
	case 8:
		return &errdetails.RequestInfo{RequestId: r.text(r.size())}
	}
	return new(errdetails.RetryInfo)
}

func (r *random) detail() hub.Detail {
	quoted := func(n int) string { return strconv.Quote(strings.Repeat("j", n)) }
	switch r.IntN(16) {
	case 0:
		return hub.Detail{TypeURL: "type.googleapis.com/acme.v9.Mystery", Value: []byte(r.text(r.size()))}
	case 1:
		return hub.Detail{}
	case 2:
		return jsonDetail("", quoted(r.size()))
	case 3:
		return jsonDetail("type.googleapis.com/acme.v9.Other", `{"@type":"type.googleapis.com/acme.v9.Other","a":`+quoted(r.size())+`}`)
	case 4: // its type cannot read it
		return jsonDetail(hub.URLPrefix+hub.NameBadRequest, `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":`+quoted(r.size())+`}`)
	case 5:
		metadata := make([]string, r.IntN(4))
		for i := range metadata {
			metadata[i] = fmt.Sprintf(`"k%d":%s`, i, quoted(r.size()))
		}
		return jsonDetail(hub.URLErrorInfo, `{"@type":"`+hub.URLErrorInfo+`","reason":"R","domain":"d.example","metadata":{`+strings.Join(metadata, ",")+`},"more":1}`)
	case 6:
		violations := make([]string, r.IntN(4))
		for i := range violations {
			violations[i] = `{"field":` + quoted(r.size()) + `}`
		}
		return jsonDetail(hub.URLPrefix+hub.NameBadRequest, `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[`+strings.Join(violations, ",")+`],"more":1}`)
	case 7:
		return r.odd()
	}
	d := detail(r.message())
	if r.IntN(8) == 0 {
		d.TypeURL = "example.com/" + d.Name()
	}
	return d
}

// odd makes details whose bytes no generated code writes.
func (r *random) odd() hub.Detail {
	d := detail(r.errorInfo())
	switch r.IntN(5) {
	case 0: // no Protobuf
		d.Value = append(d.Value, 0xff)
	case 1: // later fields, twice
		d.Value = protowire.AppendString(protowire.AppendTag(d.Value, 9, protowire.BytesType), r.text(r.size()))
		d.Value = append([]byte{0x58, 1}, d.Value...)
	case 2: // everything twice, and the first again: of a field that stands twice the last counts
		again := detail(r.errorInfo()).Value
		d.Value = append(append(append([]byte(nil), d.Value...), again...), d.Value...)
	case 3: // elements with something between them
		d = detail(r.violations())
		d.Value = append(append([]byte{0x58, 1}, d.Value...), d.Value...)
		d.Value = append(d.Value, 0x60, 1)
	case 4: // Struct as JSON is a message here
		m, _ := structpb.NewStruct(map[string]any{"a": r.text(r.size()), "b": []any{1, 2, nil}})
		d = detail(m)
	}
	return d
}

func (r *random) received() (out []hub.Received) {
	for w := hub.WireConnect; w <= hub.WireJSONRPC; w++ {
		if r.IntN(4) > 0 {
			continue
		}
		said := hub.Received{Wire: w}
		switch {
		case w == hub.WireJSONRPC && r.IntN(2) == 0:
			said.Number = "-32050"
		case w == hub.WireHTTP && r.IntN(2) == 0:
			said.HTTPStatus = 100 + r.IntN(500)
		case w == hub.WireConnect && r.IntN(2) == 0:
			said.CodeText = "odd" + strings.Repeat("x", r.size())
		}
		if w != hub.WireGRPC && r.IntN(2) == 0 {
			said.Members = []byte(`{"zz_trace":` + strconv.Quote(strings.Repeat("t", r.size())) + `}`)
		}
		if (w == hub.WireStatus || w == hub.WireGRPC) && r.IntN(2) == 0 {
			said.UnknownFields = protowire.AppendString(protowire.AppendTag(nil, 11, protowire.BytesType), strings.Repeat("u", r.size()))
		}
		if !said.Empty() {
			out = append(out, said)
		}
	}
	return out
}

func (r *random) error() *hub.Error {
	e := &hub.Error{Number: 1 + int32(r.IntN(16)), Origin: hub.Read}
	switch r.IntN(6) {
	case 0:
		e.Number = 17 + int32(r.IntN(1<<20))
	case 1:
		e.Number = -int32(r.IntN(1 << 20))
		e.Number--
	}
	if r.IntN(4) == 0 {
		e.Origin = hub.Made
	} else if r.IntN(2) == 0 {
		e.Received = r.received()
	}
	if r.IntN(6) > 0 {
		e.Message = r.text(r.size())
	}
	n := r.IntN(6)
	if r.IntN(30) == 0 {
		n = 120 + r.IntN(20)
	}
	for range n {
		e.Details = append(e.Details, r.detail())
	}
	return e
}

func (r *random) encoding() *wire.Encoding {
	o := &wire.Encoding{Budget: 40 + r.IntN(1200), WithoutCarried: r.IntN(6) == 0}
	switch r.IntN(8) {
	case 0:
		o.Budget = r.IntN(60)
	case 1:
		o.Budget = r.IntN(9000)
	}
	return o
}

// headerSize returns what the headers of an error take as HTTP/2 counts.
func headerSize(h wire.GRPC) int {
	n := 0
	for name, value := range map[string]string{
		wire.HeaderGRPCStatus: h.Status, wire.HeaderGRPCMessage: h.Message, wire.HeaderGRPCDetails: h.DetailsBin,
	} {
		if value != "" {
			n += len(name) + len(value) + 32
		}
	}
	return n
}

// sizeOn returns what the headers of an error take, without a budget: as the encoder
// writes them, or as a library makes them of the Status that it gets.
func sizeOn(e *hub.Error, o *wire.Encoding, own hub.Wire) int {
	free := *o
	free.Budget, free.Note = -1, nil
	h, _ := wire.WriteGRPC(e, &free)
	if own == hub.WireGRPC {
		return headerSize(h)
	}
	s, _ := wire.StatusOn(e, &free, hub.WireGRPC)
	h.DetailsBin = ""
	if len(s.GetDetails()) > 0 {
		value, err := proto.Marshal(s)
		if err != nil {
			panic(err)
		}
		h.DetailsBin = base64.RawStdEncoding.EncodeToString(value)
	}
	return headerSize(h)
}
