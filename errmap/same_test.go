package errmap_test

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/schema"
)

// sameness is how much two errors must have in common.
type sameness int

const (
	// exactly is everything but the prefix of type URLs and the encoding of
	// linked details.
	exactly sameness = iota
	// acrossCatalogs lets a detail be JSON where its binary form crossed JSON at
	// a reader that does not link its type, and lets such a reader have kept what
	// one with the catalogue knows anyway.
	acrossCatalogs
	// semantically is exactly, but for how JSON text is spelled.
	semantically
	// plainly is code, message and details only.
	plainly
)

// difference says in what two errors differ, "" where they are the same. It
// shares nothing with the comparison that the encoders themselves make.
func difference(want, got *errmap.Error, how sameness) string {
	if (want == nil) != (got == nil) {
		return fmt.Sprintf("one is nil: %v", got)
	}
	if how != plainly && want.Number() != got.Number() || want.Code() != got.Code() {
		return fmt.Sprintf("number %d became %d", want.Number(), got.Number())
	}
	if want.Message() != got.Message() {
		return fmt.Sprintf("message %q became %q", want.Message(), got.Message())
	}
	a, b := want.Details(), got.Details()
	if len(a) != len(b) {
		return fmt.Sprintf("%d details became %d", len(a), len(b))
	}
	for i := range a {
		if s := detailDifference(a[i], b[i], how); s != "" {
			return fmt.Sprintf("detail %d: %s", i, s)
		}
	}
	if how == plainly {
		return ""
	}
	have := map[errmap.Wire]errmap.Received{}
	for _, r := range got.Received() {
		have[r.Wire] = r
	}
	for _, r := range want.Received() {
		if s := receivedDifference(r, have[r.Wire], how); s != "" {
			return fmt.Sprintf("received on %s: %s", r.Wire, s)
		}
		delete(have, r.Wire)
	}
	if how == exactly || how == semantically {
		for w := range have {
			return fmt.Sprintf("received on %s: %+v is new", w, have[w])
		}
	}
	return ""
}

func receivedDifference(want, got errmap.Received, how sameness) string {
	for _, part := range []struct {
		name      string
		want, got string
	}{
		{"number", want.Number, got.Number},
		{"code text", want.CodeText, got.CodeText},
		{"HTTP status", fmt.Sprint(want.HTTPStatus), fmt.Sprint(got.HTTPStatus)},
		{"unknown fields", fmt.Sprintf("%x", want.UnknownFields), fmt.Sprintf("%x", got.UnknownFields)},
		{"members", string(want.Members), string(got.Members)},
	} {
		if part.name == "members" && how == semantically && sameJSON([]byte(part.want), []byte(part.got)) {
			continue
		}
		missing := part.want == "" || part.want == "0"
		if part.want != part.got && !(how == acrossCatalogs && (missing || part.name == "members")) {
			return fmt.Sprintf("%s %q became %q", part.name, part.want, part.got)
		}
	}
	return ""
}

func detailDifference(a, b errmap.RawDetail, how sameness) string {
	aJSON, aIs := a.JSON()
	bJSON, bIs := b.JSON()
	switch {
	case aIs && bIs && (bytes.Equal(aJSON, bJSON) || how == semantically && sameJSON(aJSON, bJSON)):
		return ""
	case aIs != bIs && how == acrossCatalogs:
		if aIs {
			return jsonDifference(aJSON, b)
		}
		return jsonDifference(bJSON, a)
	case aIs || bIs:
		return fmt.Sprintf("JSON %s (%v) became JSON %s (%v)", aJSON, a, bJSON, b)
	case a.Name() != b.Name():
		return fmt.Sprintf("type %s became %s", a.TypeURL(), b.TypeURL())
	}
	aValue, _ := a.Value()
	bValue, _ := b.Value()
	if bytes.Equal(aValue, bValue) {
		return ""
	}
	am, bm := a.Any(), b.Any()
	am.TypeUrl = "type.googleapis.com/" + string(a.Name())
	bm.TypeUrl = am.TypeUrl
	x, err := am.UnmarshalNew()
	if err != nil {
		return fmt.Sprintf("%s %x became %x", a.Name(), aValue, bValue)
	}
	y, err := bm.UnmarshalNew()
	if err != nil || !sameMessage(x, y) {
		return fmt.Sprintf("%s %v became %v (%v)", a.Name(), x, y, err)
	}
	return ""
}

// jsonDifference compares an element with a detail that is bytes.
func jsonDifference(text []byte, d errmap.RawDetail) string {
	read := new(anypb.Any)
	if err := protojson.Unmarshal(text, read); err != nil {
		return fmt.Sprintf("%s does not read as %s: %v", text, d.Name(), err)
	}
	if string(read.MessageName()) != string(d.Name()) {
		return fmt.Sprintf("%s is no %s", text, d.Name())
	}
	a, err := read.UnmarshalNew()
	if err != nil {
		return err.Error()
	}
	other := d.Any()
	other.TypeUrl = read.GetTypeUrl()
	b, err := other.UnmarshalNew()
	if err != nil || !sameMessage(a, b) {
		return fmt.Sprintf("%s is not %v (%v)", text, b, err)
	}
	return ""
}

// sameMessage compares two messages, an Any inside by what it holds.
func sameMessage(a, b proto.Message) bool {
	if proto.Equal(a, b) {
		return true
	}
	x, err := proto.Marshal(a)
	y, also := proto.Marshal(b)
	return err == nil && also == nil && schema.Linked().Codec().Equal("/"+string(a.ProtoReflect().Descriptor().FullName()), x, y)
}
