package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// Status returns an error as a google.rpc.Status.
func Status(e *hub.Error, o *Encoding) *statuspb.Status {
	number, details, unknown := plainStatus(e, o, hub.WireStatus)
	s := message(number, e.Message, details)
	if len(unknown) > 0 {
		s.ProtoReflect().SetUnknown(bytes.Clone(unknown))
	}
	return s
}

// StatusOn returns the google.rpc.Status of which a library makes what the encoder of
// a wire would have written: Connect, gRPC, or status for a library that hands it on
// as it is. It has no unknown fields, for which libraries have no place: they ride.
//
// What did not fit into gRPC's headers is in notes, of which o.Note had each.
func StatusOn(e *hub.Error, o *Encoding, w hub.Wire) (*statuspb.Status, hub.Notes) {
	var lost hub.Notes
	if w == hub.WireGRPC {
		e, lost = fit(e, o, 0)
		o.noted(lost)
	}
	s := begin(e, o, shapeBinary)
	s.receive(w == hub.WireStatus || w == hub.WireGRPC && e.Number > 0, func(*hub.Received) {})
	number := e.Number
	if w == hub.WireConnect || number < 0 && w == hub.WireGRPC {
		number = target(number)
	}
	return message(number, e.Message, s.withCarried(s.binary(), w)), lost
}

func message(number int32, text string, details []hub.Detail) *statuspb.Status {
	s := &statuspb.Status{Code: number, Message: text}
	if len(details) > 0 {
		s.Details = make([]*anypb.Any, len(details))
		for i := range details {
			s.Details[i] = &anypb.Any{TypeUrl: details[i].TypeURL, Value: bytes.Clone(details[i].Value)}
		}
	}
	return s
}

// plainStatus returns what a Status says of an error on a wire.
func plainStatus(e *hub.Error, o *Encoding, w hub.Wire) (number int32, details []hub.Detail, unknown []byte) {
	s := begin(e, o, shapeBinary)
	s.receive(w == hub.WireStatus || e.Number > 0, func(r *hub.Received) {
		if r.Wire == w {
			unknown, r.UnknownFields = r.UnknownFields, nil
		}
	})
	number = e.Number
	if w == hub.WireGRPC && number < 0 {
		number = int32(code.Code_UNKNOWN)
	}
	return number, s.withCarried(s.binary(), w), unknown
}

// ReadStatus reads a google.rpc.Status, of which nothing is shared.
func ReadStatus(e *hub.Error, s *statuspb.Status, o *Decoding) error {
	if s.GetCode() == int32(code.Code_OK) {
		return ErrOK
	}
	r := newReading(e, hub.WireStatus, o)
	e.Number, e.Message = s.GetCode(), jsontree.Clean(s.GetMessage())
	r.room(len(s.GetDetails()))
	for i, any := range s.GetDetails() {
		if len(any.ProtoReflect().GetUnknown()) > 0 {
			e.Notes.Add(anyFields, i)
		}
		e.Details = append(e.Details, hub.Detail{TypeURL: jsontree.Clean(any.GetTypeUrl()), Value: any.GetValue()})
	}
	if unknown := s.ProtoReflect().GetUnknown(); len(unknown) > 0 {
		e.SetReceived(hub.Received{Wire: hub.WireStatus, UnknownFields: bytes.Clone(unknown)})
	}
	r.restore(shapeBinary, jsontree.Value{})
	r.finish()
	detach(e.Details)
	return nil
}

// anyFields is the note on a detail that has more than a type URL and a value.
const anyFields = "detail %d: fields that google.protobuf.Any does not have dropped"

// statusBytes is a google.rpc.Status that was read field by field, over its bytes.
type statusBytes struct {
	code    int32
	message string
	details []hub.Detail
	unknown []byte
	// strict is false where a field has a wrong wire type or a type URL no slash.
	strict bool
}

// parseStatus reads the wire form of a google.rpc.Status field by field, so that text
// that is not UTF-8 costs no detail. Details after so many are not kept. Of a field
// that stands twice the last counts, as everywhere in Protobuf.
func parseStatus(b []byte, most int, n *hub.Notes) (s statusBytes, err error) {
	s.strict = true
	count := 0
	for len(b) > 0 {
		number, kind, value, rest, ok := protojson.NextField(b)
		if !ok {
			return s, errors.New("not a google.rpc.Status: a field is malformed")
		}
		field := b[:len(b)-len(rest)]
		b = rest
		switch {
		case number == 1 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			if s.code != 0 && s.code != int32(v) {
				n.Add("a google.rpc.Status says code %d and then %d, which counts", s.code, int32(v))
			}
			s.code = int32(v)
		case number == 2 && kind == protowire.BytesType:
			text := jsontree.Clean(string(value))
			if s.message != "" && s.message != text {
				n.Add("a google.rpc.Status says message %q and then another one, which counts", hub.Clip(s.message, 128))
			}
			s.message = text
		case number == 3 && kind == protowire.BytesType:
			d, ok := parseAny(value, count, n)
			if !ok {
				return s, fmt.Errorf("not a google.rpc.Status: detail %d is malformed", count)
			}
			s.strict = s.strict && strings.IndexByte(d.TypeURL, '/') >= 0
			if count++; count-1 <= most {
				s.details = append(s.details, d)
			}
		default:
			s.strict = s.strict && number > 3
			_, _, tag := protowire.ConsumeTag(field)
			s.unknown = append(protowire.AppendTag(s.unknown, number, kind), field[tag:]...)
		}
	}
	if left := count - len(s.details); left > 0 {
		n.Add("%d details after the first %d dropped", left, len(s.details))
	}
	return s, nil
}

func parseAny(b []byte, place int, n *hub.Notes) (d hub.Detail, ok bool) {
	unknown := false
	for len(b) > 0 {
		number, kind, v, rest, ok := protojson.NextField(b)
		if !ok {
			return d, false
		}
		switch {
		case number == 1 && kind == protowire.BytesType:
			typeURL := internURL(v)
			if d.TypeURL != "" && d.TypeURL != typeURL {
				n.Add("detail %d says type %q and then another one, which counts", place, hub.Clip(d.TypeURL, 128))
			}
			d.TypeURL = typeURL
		case number == 2 && kind == protowire.BytesType:
			if len(d.Value) > 0 && !bytes.Equal(d.Value, v) {
				n.Add("detail %d says two values: the last counts", place)
			}
			d.Value = v
		default:
			unknown = true
		}
		b = rest
	}
	if unknown {
		n.Add(anyFields, place)
	}
	return d, true
}

// internURL returns a type URL as text, that of nearly every detail without a copy.
func internURL(b []byte) string {
	if string(b) == hub.URLErrorInfo {
		return hub.URLErrorInfo
	}
	return jsontree.Clean(string(b))
}

// appendStatus appends the wire form of a google.rpc.Status.
func appendStatus(dst []byte, number int32, text string, details []hub.Detail, unknown []byte) []byte {
	dst = appendVarintField(dst, 1, uint64(int64(number)))
	if text != "" {
		dst = protowire.AppendString(protowire.AppendTag(dst, 2, protowire.BytesType), text)
	}
	for i := range details {
		dst = appendAnyField(dst, &details[i])
	}
	return append(dst, unknown...)
}

// appendAnyField appends a detail as field 3 of a google.rpc.Status.
func appendAnyField(dst []byte, d *hub.Detail) []byte {
	dst = protowire.AppendVarint(protowire.AppendTag(dst, 3, protowire.BytesType), uint64(sizeAny(d)))
	if d.TypeURL != "" {
		dst = protowire.AppendString(protowire.AppendTag(dst, 1, protowire.BytesType), d.TypeURL)
	}
	if len(d.Value) > 0 {
		dst = appendBytesField(dst, 2, d.Value)
	}
	return dst
}

// sizeAny returns the size of a detail as a google.protobuf.Any.
func sizeAny(d *hub.Detail) int {
	size := 0
	if d.TypeURL != "" {
		size += 1 + protowire.SizeBytes(len(d.TypeURL))
	}
	if len(d.Value) > 0 {
		size += 1 + protowire.SizeBytes(len(d.Value))
	}
	return size
}

// detach copies the bytes of details that are shared with the message that an error
// was read from.
func detach(details []hub.Detail) {
	size := 0
	for i := range details {
		size += len(details[i].Value)
	}
	room := make([]byte, 0, size)
	for i := range details {
		start := len(room)
		room = append(room, details[i].Value...)
		details[i].Value = room[start:len(room):len(room)]
	}
}
