package wire

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// shape is what the lists of details of a kind of wire can show.
type shape int

const (
	shapeBinary   shape = iota // bytes: status, Connect, gRPC
	shapeObjects               // typed JSON objects: AIP-193, RFC 9457, status as JSON
	shapeElements              // any JSON: JSON-RPC
)

// memberCarried is the member that Carried is in the forms of HTTP and the status
// form.
const memberCarried = "errmap"

// writing is one error that is written. It collects what the form does not show.
type writing struct {
	*hub.Error
	o       *Encoding
	codec   *protojson.Codec
	details []hub.Detail
	shape   shape
	// wrap tells that what has no type is shown as a google.protobuf.Value, as on the
	// numbers that a profile itself defines.
	wrap bool
	// rides are the details that it does not show, or not whole.
	rides []ride
	// guarded is set where a Carried is needed although nothing rides, so that readers
	// conclude nothing from what stands.
	guarded bool
	// received is what of Received it does not say.
	received []hub.Received
}

// ride is a detail that rides along.
type ride struct {
	place int
	plain bool // whether a detail of the plain form stands for it
}

func begin(e *hub.Error, o *Encoding, s shape) writing {
	codec := o.Catalog.Codec()
	return writing{Error: e, o: o, codec: codec, shape: s, details: readable(codec, e.Details)}
}

// receive notes what rides of what was received: says takes out of each copy what the
// form says of it. A private code rides where the form does not write it.
func (w *writing) receive(writesNumber bool, says func(*hub.Received)) {
	private := !writesNumber && !hub.Canonical(w.Number)
	if len(w.Received) == 0 && !private {
		return
	}
	full := w.Received
	if private {
		with := hub.Error{Received: full}
		r := with.On(hub.WireGRPC)
		r.Number = strconv.FormatInt(int64(w.Number), 10)
		with.SetReceived(r)
		full = with.Received
	}
	for _, r := range full {
		if says(&r); !r.Empty() {
			w.received = append(w.received, r)
		}
	}
}

// carries tells whether a Carried is to be written, and notes what is left out
// where there is to be none.
func (w *writing) carries(wire hub.Wire) bool {
	if len(w.rides) == 0 && len(w.received) == 0 && !w.guarded {
		return false
	}
	if w.o.carries(w.Error) {
		return true
	}
	if w.Origin.Carries() && w.o.Note != nil {
		w.o.Note(wire.String() + " form: what rides along is left out")
	}
	return false
}

// The field numbers of errmap.v1.Carried, Received and CarriedDetail.
const (
	fieldReceived, fieldDetails, fieldCheck                              = 1, 2, 3
	fieldWire, fieldNumber, fieldCodeText, fieldHTTPStatus, fieldMembers = 1, 2, 3, 4, 5
	fieldUnknown                                                         = 6
)

// appendCarried appends the bytes of the errmap.v1.Carried that goes with what was
// written.
func (w *writing) appendCarried(dst []byte) []byte {
	size := 48 + 8*len(w.details)
	for i := range w.received {
		r := &w.received[i]
		size += framed(memberSize(receivedSize(r), len(r.Members)))
	}
	for _, r := range w.rides {
		d := &w.details[r.place]
		size += 24 + len(d.JSON) + len(d.TypeURL) + len(d.Value)
	}
	dst = slices.Grow(dst, size)
	for i := range w.received {
		r := &w.received[i]
		dst = protowire.AppendTag(dst, fieldReceived, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(memberSize(receivedSize(r), len(r.Members))))
		dst = appendReceived(dst, r)
	}
	var part []byte
	for _, r := range w.rides {
		part = appendRide(part[:0], &w.details[r.place], r)
		dst = appendBytesField(dst, fieldDetails, part)
	}
	var few [4 + 8*8]byte
	return appendBytesField(dst, fieldCheck, w.check(few[:0]))
}

func appendReceived(dst []byte, r *hub.Received) []byte {
	dst = appendVarintField(dst, fieldWire, uint64(r.Wire))
	dst = appendTextField(dst, fieldNumber, r.Number)
	dst = appendTextField(dst, fieldCodeText, r.CodeText)
	if r.HTTPStatus != 0 {
		dst = appendVarintField(dst, fieldHTTPStatus, uint64(r.HTTPStatus))
	}
	if len(r.Members) > 0 {
		dst = appendBytesField(dst, fieldMembers, r.Members)
	}
	if len(r.UnknownFields) > 0 {
		dst = appendBytesField(dst, fieldUnknown, r.UnknownFields)
	}
	return dst
}

// The field numbers of errmap.v1.CarriedDetail.
const fieldPlace, fieldPlain, fieldTypeURL, fieldValue, fieldJSON = 1, 2, 3, 4, 5

func appendRide(dst []byte, d *hub.Detail, r ride) []byte {
	if r.place > 0 {
		dst = appendVarintField(dst, fieldPlace, uint64(r.place))
	}
	if r.plain {
		dst = appendVarintField(dst, fieldPlain, 1)
	}
	if d.JSON != nil {
		return appendBytesField(dst, fieldJSON, d.JSON)
	}
	dst = appendTextField(dst, fieldTypeURL, d.TypeURL)
	return appendBytesField(dst, fieldValue, d.Value)
}

func appendVarintField(dst []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, number, protowire.VarintType), v)
}

func appendBytesField(dst []byte, number protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), b)
}

func appendTextField(dst []byte, number protowire.Number, s string) []byte {
	if s == "" {
		return dst
	}
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), jsontree.Clean(s))
}

// check appends the sums of the plain form: of its code and message, then of each detail
// that it shows the name and the text.
func (w *writing) check(dst []byte) []byte {
	s := getSums(w.codec)
	defer s.put()
	dst = binary.BigEndian.AppendUint32(dst, s.head(w.Number, w.Message))
	for i := range w.details {
		if view, stands := w.view(&w.details[i]); stands {
			// In JSON the known part of bytes is all that readers see.
			name, text := s.detail(&view, w.shape != shapeBinary)
			dst = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, name), text)
		}
	}
	return dst
}

// view returns a detail as readers of the plain form see it; false where it is not
// there.
func (w *writing) view(d *hub.Detail) (view hub.Detail, stands bool) {
	switch {
	case d.JSON == nil && w.wrap && d.Empty(), d.JSON != nil && w.wrap && d.TypeURL == "":
		return wrappedView(w.codec, d), true
	case d.JSON == nil:
		return *d, true
	case w.shape == shapeBinary:
		value, ok := knownPart(w.codec, d)
		return hub.Detail{TypeURL: d.TypeURL, Value: value}, ok
	}
	return *d, w.shape == shapeElements || d.TypeURL != ""
}

// sums makes the sums of a check. It works in room that others had before.
type sums struct {
	codec *protojson.Codec
	room  []byte
}

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

func getSums(codec *protojson.Codec) *sums {
	s := sumsPool.Get().(*sums)
	s.codec = codec
	return s
}

func (s *sums) put() {
	if s.codec = nil; cap(s.room) <= 1<<16 {
		sumsPool.Put(s)
	}
}

// head returns the sum of a code and a message.
func (s *sums) head(number int32, message string) uint32 {
	s.room = append(append(append(s.room[:0], row(number).name...), '\n'), message...)
	return crc32.ChecksumIEEE(s.room)
}

// detail returns the sums of a detail's bare type name and of its text, the
// latter 0 where this program cannot say it exactly. Of bytes with fields that the
// schema does not know, the known part has one only where that is what is summed.
func (s *sums) detail(d *hub.Detail, known bool) (name, text uint32) {
	bare := d.Name()
	s.room = append(s.room[:0], bare...)
	name = crc32.ChecksumIEEE(s.room)
	switch {
	case d.Empty():
		return name, crc32.ChecksumIEEE([]byte("{}"))
	case d.JSON == nil:
		out, fidelity := s.codec.AppendAny(s.room[:0], usualURL(d.TypeURL), d.Value, detailDepth)
		s.room = out
		if fidelity == protojson.None || fidelity == protojson.Known && !known {
			return name, 0
		}
		return name, s.text(out)
	case d.TypeURL == "":
		return name, s.text(d.JSON)
	case !s.codec.Linked(d.TypeURL):
		return name, 0
	}
	if _, ok := knownPart(s.codec, d); ok {
		return name, 0
	}
	// What its type cannot read at all is summed as the JSON that it is.
	return name, s.text(withURL(d.JSON, bare))
}

// text sums the form of RFC 8785 of JSON, 0 where there is none. The JSON may be all of
// the room.
func (s *sums) text(text []byte) uint32 {
	t := tree(text)
	defer t.Release()
	at := len(s.room)
	out, ok := jsontree.AppendCanonical(s.room, t.Root())
	if s.room = out; !ok {
		return 0
	}
	return crc32.ChecksumIEEE(out[at:])
}

// usualURL returns a type URL with the prefix that nearly all have.
func usualURL(typeURL string) string {
	if name := hub.BareName(typeURL); len(typeURL) != len(hub.URLPrefix)+len(name) || typeURL[:len(hub.URLPrefix)] != hub.URLPrefix {
		return hub.URLPrefix + name
	}
	return typeURL
}

// withURL returns a typed JSON element with the type URL that sums have.
func withURL(text []byte, name string) []byte {
	t := tree(text)
	defer t.Release()
	out, lead := make([]byte, 0, len(text)+len(hub.URLPrefix)), byte('{')
	for m := t.Root().First(); m.Exists(); m = m.Next() {
		out = append(out, lead)
		if lead = ','; m.NameIs(memberType) {
			out = jsontree.AppendString(append(m.AppendName(out), ':'), hub.URLPrefix+name)
			continue
		}
		out = appendMember(out, m)
	}
	return append(out, '}')
}
