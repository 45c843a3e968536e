package wire

import (
	"encoding/binary"
	"hash/crc32"
	"strconv"

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
	var part []byte
	for i := range w.received {
		part = appendReceived(part[:0], &w.received[i])
		dst = appendBytesField(dst, fieldReceived, part)
	}
	for _, r := range w.rides {
		part = appendRide(part[:0], &w.details[r.place], r)
		dst = appendBytesField(dst, fieldDetails, part)
	}
	return appendBytesField(dst, fieldCheck, w.check())
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

// check sums the plain form: its code and message, then of each detail that it shows
// the name and the text.
func (w *writing) check() []byte {
	out := binary.BigEndian.AppendUint32(make([]byte, 0, 4+8*len(w.details)), headSum(w.Number, w.Message))
	for i := range w.details {
		if view, stands := w.view(&w.details[i]); stands {
			// In JSON the known part of bytes is all that readers see.
			name, text := detailSums(w.codec, &view, w.shape != shapeBinary)
			out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(out, name), text)
		}
	}
	return out
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

func headSum(number int32, message string) uint32 {
	head := append(append(append(make([]byte, 0, len(message)+24), row(number).name...), '\n'), message...)
	return crc32.ChecksumIEEE(head)
}

// detailSums returns the sums of a detail's bare type name and of its text, the
// latter 0 where this program cannot say it exactly. Of bytes with fields that the
// schema does not know, the known part has one only where that is what is summed.
func detailSums(codec *protojson.Codec, d *hub.Detail, known bool) (name, text uint32) {
	bare := d.Name()
	name = crc32.ChecksumIEEE([]byte(bare))
	switch {
	case d.Empty():
		return name, crc32.ChecksumIEEE([]byte("{}"))
	case d.JSON == nil:
		out, fidelity := codec.AppendAny(make([]byte, 0, 2*len(d.Value)+128), hub.URLPrefix+bare, d.Value, detailDepth)
		if fidelity == protojson.None || fidelity == protojson.Known && !known {
			return name, 0
		}
		return name, textSum(out)
	case d.TypeURL == "":
		return name, textSum(d.JSON)
	case !codec.Linked(d.TypeURL):
		return name, 0
	}
	if _, ok := knownPart(codec, d); ok {
		return name, 0
	}
	// What its type cannot read at all is summed as the JSON that it is.
	return name, textSum(withURL(d.JSON, bare))
}

// textSum sums the form of RFC 8785, 0 where there is none.
func textSum(text []byte) uint32 {
	t := tree(text)
	defer t.Release()
	out, ok := jsontree.AppendCanonical(make([]byte, 0, len(text)), t.Root())
	if !ok {
		return 0
	}
	return crc32.ChecksumIEEE(out)
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
