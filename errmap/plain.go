package errmap

import (
	"encoding/base64"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/rpcjson"
)

// This file is the short way of errors that say nothing but what every wire can
// say, with details of google.rpc alone: nearly all of them. It gives what settle
// and the decoders would, without building what they look at; a test compares the
// two. Wherever something is not plain, it declines.

// room is about what the JSON of an error takes: what frames it, and so many bytes
// of text for each byte of a detail.
func (e *Error) room(frame, factor int) int {
	n := frame + len(e.message)
	for i := range e.details {
		d := &e.details[i]
		if d.typeURL == typeErrorInfo {
			// Its JSON is as long as its bytes, but for the names of four members.
			n += len(d.typeURL) + (factor-1)*len(d.value) + 50
		} else {
			n += len(d.typeURL) + factor*len(d.value) + 32
		}
	}
	return n
}

// appendPlainRPC appends the error object of a simple error.
func appendPlainRPC(dst []byte, e *Error, p Profile, o *encodeOptions) (out []byte, number int64, ok bool) {
	if !simple(e) {
		return dst, 0, false
	}
	s := plainStanding(e, p, o.catalog)
	if number = impliedNumber(e, p, s); p == ProfileMCP && s.ownNumber(p, number) {
		return dst, 0, false
	}
	marker := needsMarker(e, p, s, number)
	out = dst
	if out == nil {
		frame := 40
		if marker {
			frame += len(`{"@type":"","code":16},`) + len(markerType)
		}
		out = make([]byte, 0, e.room(frame, 2))
	}
	out = strconv.AppendInt(append(out, `{"code":`...), number, 10)
	out = appendString(append(out, `,"message":`...), e.message)
	lead := `,"data":[`
	for i := range e.details {
		d := &e.details[i]
		if out, ok = rpcjson.AppendAny(append(out, lead...), d.typeURL, d.value); !ok {
			return dst, 0, false
		}
		lead = ","
	}
	if marker {
		out = append(append(out, lead...), `{"@type":"`+markerType+`","code":`...)
		out = append(strconv.AppendInt(out, int64(e.number), 10), '}')
		lead = ","
	}
	if lead == "," {
		out = append(out, ']')
	}
	return append(out, '}'), number, true
}

// plainStanding is standingOf for details that are written or were read as those
// of google.rpc: where one is not, the short way is left.
func plainStanding(e *Error, p Profile, errors *Catalog) (s standing) {
	isKnown, isOwn := false, false
	for i := range e.details {
		d := &e.details[i]
		if d.typeURL != typeErrorInfo && d.Name() != nameErrorInfo {
			continue
		}
		reason, domain := rpcjson.ErrorInfoNames(d.value)
		known, knows := errors.find(domain, reason)
		if knows && !isKnown {
			s.known, isKnown = known, true
		}
		if !isOwn {
			s.own, isOwn = p.ownOf(domain, reason, known)
		}
	}
	return s
}

// detailList collects the details of an error that is read.
type detailList struct {
	first RawDetail
	more  []RawDetail
	count int
}

func (l *detailList) add(typeURL string, value []byte) {
	d := RawDetail{typeURL: typeURL, value: value}
	switch l.count++; l.count {
	case 1:
		l.first = d
	case 2:
		l.more = append(l.more, l.first, d)
	default:
		l.more = append(l.more, d)
	}
}

// error returns an error of those details. Most errors have one, which is then
// part of the same allocation.
func (l *detailList) error() *Error {
	if l.count != 1 {
		return &Error{details: l.more}
	}
	return withDetailOf(l.first)
}

// withDetailOf returns an error of one detail, both in one allocation.
func withDetailOf(d RawDetail) *Error {
	both := &struct {
		e    Error
		only [1]RawDetail
	}{only: [1]RawDetail{d}}
	both.e.details = both.only[:]
	return &both.e
}

// ownNumber tells whether a number is one of the profile's own beside the
// identity of the error.
func (s standing) ownNumber(p Profile, number int64) bool {
	return p.numbered(number) != nil || number == numberInvalidParams && s.own != nil && s.own.Reason() == reasonResourceNotFound
}

// decodePlainRPC reads an error object whose parts are all plain.
func decodePlainRPC(body []byte, p Profile, o *decodeOptions) (*Error, bool) {
	if len(body) > o.limits.Body || o.limits.Depth < envelopeDepth {
		return nil, false
	}
	var details detailList
	object, ok := rpcjson.ParseRPC(body, details.add)
	if !ok {
		return nil, false
	}
	number, err := strconv.ParseInt(string(object.Code), 10, 64)
	if err != nil || number > maxInteger || number < -maxInteger {
		return nil, false
	}
	e := details.error()
	e.message, e.decoded = object.Message, true
	s := plainStanding(e, p, o.errors)
	if own := p.numbered(number); own != nil && (p == ProfileMCP || s.own != own) ||
		p == ProfileMCP && number == numberMCPURLElicitation {
		return nil, false
	}
	if e.number = object.Marker; e.number == 0 {
		e.number, _ = rpcCode(p, s, number)
	}
	if number != impliedNumber(e, p, s) {
		e.received = []Received{{Wire: WireJSONRPC, Number: strconv.FormatInt(number, 10)}}
	}
	o.finish(e)
	return e, true
}

// appendPlainConnect appends the Connect error of an error whose details are all
// bytes.
func appendPlainConnect(out []byte, e *Error, c *Catalog) []byte {
	out = append(append(append(out, `{"code":"`...), row(e.number).connect...), '"')
	if e.message != "" {
		out = appendString(append(out, `,"message":`...), e.message)
	}
	lead := `,"details":[{"type":`
	for _, d := range e.details {
		out = appendString(append(out, lead...), string(d.Name()))
		out = base64.RawStdEncoding.AppendEncode(append(out, `,"value":"`...), d.value)
		out = append(appendDebug(append(out, '"'), c, d), '}')
		lead = `,{"type":`
	}
	if len(e.details) > 0 {
		out = append(out, ']')
	}
	return append(out, '}')
}

// appendDebug appends the debug member of a Connect detail, where its type is
// linked.
func appendDebug(out []byte, c *Catalog, d RawDetail) []byte {
	const lead = `,"debug":`
	if out, ok := rpcjson.AppendMessage(append(out, lead...), d.typeURL, d.value); ok {
		return out
	}
	d.typeURL = typeURLPrefix + string(d.Name())
	if debug, _, ok := renderMessage(c, d); ok && d.typeURL != typeURLPrefix {
		return append(append(out, lead...), withoutType(debug)...)
	}
	return out
}

// decodePlainConnect reads a Connect error whose parts are all plain.
func decodePlainConnect(body []byte, o *decodeOptions) (*Error, bool) {
	if len(body) > o.limits.Body || o.limits.Depth < DefaultMaxDepth {
		return nil, false
	}
	var details detailList
	carried := false
	object, ok := rpcjson.ParseConnect(body, func(name []byte, typeURL string, value []byte) {
		if typeURL == "" {
			typeURL = completeURL(string(name))
			carried = carried || bareName(typeURL) == nameCarried
		}
		details.add(typeURL, value)
	})
	if !ok || carried {
		return nil, false
	}
	number, ok := codeByConnectName(string(object.Code))
	if !ok || !canonical(number) {
		return nil, false
	}
	e := details.error()
	e.number, e.message, e.decoded = number, object.Message, true
	o.finish(e)
	return e, true
}

// appendPlainHTTP appends the AIP-193 body of a simple error.
func appendPlainHTTP(e *Error, o *encodeOptions) (status int, out []byte, ok bool) {
	if !simple(e) {
		return 0, nil, false
	}
	status = ownHTTPStatus(e, o.catalog, o.catalog)
	out = make([]byte, 0, e.room(72, 2))
	out = strconv.AppendInt(append(out, `{"error":{"code":`...), int64(status), 10)
	out = appendString(append(out, `,"message":`...), e.message)
	out = append(append(append(out, `,"status":"`...), row(e.number).name...), '"')
	lead := `,"details":[`
	for _, d := range e.details {
		if out, ok = rpcjson.AppendAny(append(out, lead...), d.typeURL, d.value); !ok {
			return 0, nil, false
		}
		lead = ","
	}
	if len(e.details) > 0 {
		out = append(out, ']')
	}
	return status, append(out, "}}"...), true
}

// plainGRPC returns the headers of a simple error.
func plainGRPC(e *Error) (GRPCHeaders, bool) {
	if !simple(e) {
		return GRPCHeaders{}, false
	}
	h := GRPCHeaders{Status: strconv.Itoa(int(e.number)), Message: percentEncode(e.message)}
	if len(e.details) == 0 {
		return h, true
	}
	size := len(e.message) + 16
	for _, d := range e.details {
		size += len(d.typeURL) + len(d.value) + 16
	}
	// The base64 goes behind the bytes that it is made of: one allocation.
	out := make([]byte, 0, size+base64.RawStdEncoding.EncodedLen(size))
	out = protowire.AppendVarint(protowire.AppendTag(out, 1, protowire.VarintType), uint64(e.number))
	if e.message != "" {
		out = protowire.AppendString(protowire.AppendTag(out, 2, protowire.BytesType), e.message)
	}
	for _, d := range e.details {
		out = appendAnyField(out, d)
	}
	h.DetailsBin = string(base64.RawStdEncoding.AppendEncode(out, out)[len(out):])
	return h, true
}

// appendAnyField appends a detail as field 3 of a google.rpc.Status.
func appendAnyField(out []byte, d RawDetail) []byte {
	size := 0
	if d.typeURL != "" {
		size += protowire.SizeTag(1) + protowire.SizeBytes(len(d.typeURL))
	}
	if len(d.value) > 0 {
		size += protowire.SizeTag(2) + protowire.SizeBytes(len(d.value))
	}
	out = protowire.AppendVarint(protowire.AppendTag(out, 3, protowire.BytesType), uint64(size))
	if d.typeURL != "" {
		out = protowire.AppendString(protowire.AppendTag(out, 1, protowire.BytesType), d.typeURL)
	}
	if len(d.value) > 0 {
		out = protowire.AppendBytes(protowire.AppendTag(out, 2, protowire.BytesType), d.value)
	}
	return out
}
