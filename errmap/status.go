package errmap

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/schema"
)

// Status returns e as a google.rpc.Status, nil for nil. Details that are JSON
// ride along in an errmap.v1.Carried.
func (e *Error) Status(opts ...EncodeOption) *statuspb.Status {
	if e == nil {
		return nil
	}
	o := newEncodeOptions(opts)
	return encodeStatus(readable(e, o.catalog), o, WireStatus)
}

// FromStatus reads a google.rpc.Status. Its details are not decoded. Nil and a
// Status whose code is 0 are no error: FromStatus returns ErrOK.
func FromStatus(s *statuspb.Status, opts ...DecodeOption) (*Error, error) {
	if s.GetCode() == int32(code.Code_OK) {
		return nil, ErrOK
	}
	e, err := readStatus(s, newDecodeOptions(opts), WireStatus)
	if err != nil {
		return nil, err
	}
	e.detach()
	return e, nil
}

// EncodeStatusJSON returns e as the ProtoJSON of a google.rpc.Status, with
// what docs/wire.md section 8 has for details without ProtoJSON; nil for nil.
func EncodeStatusJSON(e *Error, opts ...EncodeOption) []byte {
	if e == nil {
		return nil
	}
	o := newEncodeOptions(opts)
	e = readable(e, o.catalog)
	return settle(e, o, form[[]byte]{
		wire:         WireStatus,
		shape:        shapeObjects,
		writesNumber: true,
		candidates:   []candidate{{}},
		items:        func(candidate) []item { return plainItems(o.catalog, e, shapeObjects) },
		write: func(_ candidate, items []item, _ bool, carried *RawDetail) []byte {
			out := strconv.AppendInt([]byte(`{"code":`), int64(e.number), 10)
			if e.message != "" {
				out = appendString(append(out, `,"message":`...), e.message)
			}
			return append(appendDetails(out, o.catalog, items, carried), '}')
		},
		read: decodeStatusJSON,
	})
}

// DecodeStatusJSON reads the ProtoJSON of a google.rpc.Status. It returns ErrOK
// where the code is 0 or missing.
func DecodeStatusJSON(body []byte, opts ...DecodeOption) (*Error, error) {
	return decodeStatusJSON(body, newDecodeOptions(opts))
}

func encodeStatus(e *Error, o *encodeOptions, w Wire) *statuspb.Status {
	said := Received{Wire: w, UnknownFields: e.receivedOn(w).UnknownFields}
	return settle(e, o, form[*statuspb.Status]{
		wire:         w,
		shape:        shapeBinary,
		writesNumber: w == WireStatus || e.number > 0,
		candidates:   []candidate{{said: said}},
		items:        func(candidate) []item { return plainItems(o.catalog, e, shapeBinary) },
		write: func(_ candidate, items []item, _ bool, carried *RawDetail) *statuspb.Status {
			s := &statuspb.Status{Code: e.number, Message: e.message}
			if w == WireGRPC && e.number < 0 {
				s.Code = int32(code.Code_UNKNOWN)
			}
			for _, it := range items {
				if it.plain {
					s.Details = append(s.Details, it.raw.Any())
				}
			}
			if carried != nil {
				s.Details = append(s.Details, carried.Any())
			}
			if len(said.UnknownFields) > 0 {
				s.ProtoReflect().SetUnknown(bytes.Clone(said.UnknownFields))
			}
			return s
		},
		read: func(s *statuspb.Status, o *decodeOptions) (*Error, error) { return readStatus(s, o, w) },
	})
}

func readStatus(s *statuspb.Status, o *decodeOptions, w Wire) (*Error, error) {
	e := &Error{number: s.GetCode(), message: schema.Repair(s.GetMessage()), decoded: true}
	for i, any := range s.GetDetails() {
		if len(any.ProtoReflect().GetUnknown()) > 0 {
			e.notes.add(anyFields, i)
		}
		e.details = append(e.details, RawDetail{typeURL: schema.Repair(any.GetTypeUrl()), value: any.GetValue()})
	}
	if unknown := s.ProtoReflect().GetUnknown(); len(unknown) > 0 {
		e.setReceived(Received{Wire: w, UnknownFields: unknown})
	}
	restore(o.catalog, e, shapeBinary)
	o.finish(e)
	return e, nil
}

// detach copies what an error that nobody else has yet shares with the message
// that it was read from.
func (e *Error) detach() {
	size := 0
	for _, d := range e.details {
		size += len(d.value)
	}
	room := make([]byte, 0, size)
	for i, d := range e.details {
		start := len(room)
		room = append(room, d.value...)
		e.details[i].value = room[start:len(room):len(room)]
	}
	for i, r := range e.received {
		e.received[i].UnknownFields = bytes.Clone(r.UnknownFields)
	}
}

func decodeStatusJSON(body []byte, o *decodeOptions) (*Error, error) {
	text, err := compactJSON(body, o.limits)
	if err != nil {
		return foreign(WireStatus, body, o, CodeFromHTTP, err.Error())
	}
	members, ok := objectMembers(text)
	if !ok {
		return foreign(WireStatus, body, o, CodeFromHTTP, "not a JSON object")
	}
	e := &Error{decoded: true}
	ours, rest := take(members, &e.notes, "code", "message", "details")
	if len(ours) == 0 && len(members) > 0 {
		return foreign(WireStatus, body, o, CodeFromHTTP, "no code, message or details")
	}
	e.number, ok = statusCode(ours["code"])
	if !ok {
		e.notes.add("code is no number: UNKNOWN")
		rest = addMember(rest, newMember("code", ours["code"]), &e.notes)
	}
	if e.number == 0 {
		return nil, ErrOK
	}
	e.message, _ = e.text(WireStatus, ours, "message")
	for _, raw := range o.elements(e, WireStatus, ours, "details") {
		e.details = append(e.details, parseElement(o.catalog, raw))
	}
	e.keep(WireStatus, rest)
	restore(o.catalog, e, shapeObjects)
	o.finish(e)
	return e, nil
}

// statusCode reads the code of a Status: a number, the text of one, or the name
// of a code. Anything else is UNKNOWN, and not ok.
func statusCode(raw []byte) (int32, bool) {
	if raw == nil || isNull(raw) {
		return 0, true
	}
	token := string(raw)
	if s, ok := stringValue(raw); ok {
		if n, named := code.Code_value[s]; named {
			return n, true
		}
		token = s
	}
	if isJSONNumber([]byte(token)) {
		if n, ok := numberOf(token); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return int32(n), true
		}
	}
	return int32(code.Code_UNKNOWN), false
}

// appendDetails appends the details member of a JSON form; nothing without any.
func appendDetails(out []byte, c *Catalog, items []item, carried *RawDetail) []byte {
	first := true
	add := func(text []byte) {
		if first {
			out = append(out, `,"details":[`...)
		} else {
			out = append(out, ',')
		}
		first = false
		out = append(out, text...)
	}
	for _, it := range items {
		if it.plain {
			add(it.json)
		}
	}
	if carried != nil {
		text, _ := render(c, *carried)
		add(text)
	}
	if !first {
		out = append(out, ']')
	}
	return out
}

// anyFields is the note on a detail that has more than a type URL and a value.
const anyFields = "detail %d: fields that google.protobuf.Any does not have dropped"

// parseStatus reads the wire form of a google.rpc.Status field by field, so that
// text that is not UTF-8 costs no detail. Details after so many are not kept. strict
// is false where a field of Status has a wrong wire type or a type URL has no slash.
// Of a field that stands twice the last counts, as everywhere in Protobuf.
func parseStatus(b []byte, most int, n *notes) (s *statuspb.Status, strict bool, err error) {
	s, strict = new(statuspb.Status), true
	var unknown []byte
	details := 0
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeField(b)
		if size < 0 {
			return nil, false, fmt.Errorf("not a google.rpc.Status: %w", protowire.ParseError(size))
		}
		if number > protowire.MaxValidNumber {
			return nil, false, fmt.Errorf("not a google.rpc.Status: field number %d", number)
		}
		field := b[:size]
		b = b[size:]
		_, _, tag := protowire.ConsumeTag(field)
		switch {
		case number == 1 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(field[tag:])
			if s.Code != 0 && s.Code != int32(v) {
				n.add("a google.rpc.Status says code %d and then %d, which counts", s.Code, int32(v))
			}
			s.Code = int32(v)
		case number == 2 && kind == protowire.BytesType:
			v, _ := protowire.ConsumeBytes(field[tag:])
			message := schema.Repair(string(v))
			if s.Message != "" && s.Message != message {
				n.add("a google.rpc.Status says message %q and then another one, which counts", clip(s.Message, 128))
			}
			s.Message = message
		case number == 3 && kind == protowire.BytesType:
			v, _ := protowire.ConsumeBytes(field[tag:])
			detail, ok := parseAny(v, details, n)
			if !ok {
				return nil, false, fmt.Errorf("not a google.rpc.Status: detail %d is malformed", details)
			}
			strict = strict && strings.Contains(detail.GetTypeUrl(), "/")
			if details++; details <= most+1 {
				s.Details = append(s.Details, detail)
			}
		default:
			strict = strict && number > 3
			unknown = append(protowire.AppendTag(unknown, number, kind), field[tag:]...)
		}
	}
	if left := details - len(s.Details); left > 0 {
		n.add("%d details after the first %d dropped", left, len(s.Details))
	}
	s.ProtoReflect().SetUnknown(unknown)
	return s, strict, nil
}

func parseAny(b []byte, place int, n *notes) (*anypb.Any, bool) {
	a := new(anypb.Any)
	unknown := false
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeField(b)
		if size < 0 || number > protowire.MaxValidNumber {
			return nil, false
		}
		_, _, tag := protowire.ConsumeTag(b)
		v, _ := protowire.ConsumeBytes(b[tag:size])
		switch {
		case number == 1 && kind == protowire.BytesType:
			typeURL := schema.Repair(string(v))
			if a.TypeUrl != "" && a.TypeUrl != typeURL {
				n.add("detail %d says type %q and then another one, which counts", place, clip(a.TypeUrl, 128))
			}
			a.TypeUrl = typeURL
		case number == 2 && kind == protowire.BytesType:
			if len(a.Value) > 0 && !bytes.Equal(a.Value, v) {
				n.add("detail %d says two values: the last counts", place)
			}
			a.Value = v
		default:
			unknown = true
		}
		b = b[size:]
	}
	if unknown {
		n.add(anyFields, place)
	}
	return a, true
}
