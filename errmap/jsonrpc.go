package errmap

import (
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// markerType is the "@type" of the code marker of docs/wire.md section 7.
const markerType = typeURLPrefix + "google.rpc.Status"

// EncodeJSONRPC returns e as the error object of JSON-RPC 2.0 section 5.1 under
// a profile; nil for nil.
func EncodeJSONRPC(e *Error, p Profile, opts ...EncodeOption) []byte {
	out, _ := AppendJSONRPC(nil, e, p, opts...)
	return out
}

// AppendJSONRPC appends the error object to dst and returns its number too, for
// Profile.HTTPStatus; a nil error appends nothing.
func AppendJSONRPC(dst []byte, e *Error, p Profile, opts ...EncodeOption) (out []byte, number int64) {
	if e == nil {
		return dst, 0
	}
	o := newEncodeOptions(opts)
	if out, number, ok := appendPlainRPC(dst, e, p, o); ok {
		return out, number
	}
	return settleRPC(dst, e, p, o)
}

func settleRPC(dst []byte, e *Error, p Profile, o *encodeOptions) (out []byte, number int64) {
	e = readable(e, o.catalog)
	r := settle(e, o, form[rpcObject]{
		wire:       WireJSONRPC,
		shape:      shapeElements,
		marker:     true,
		own:        p.own(),
		candidates: rpcCandidates(e, p, o),
		items: func(c candidate) []item {
			items := plainItems(o.catalog, e, shapeElements)
			if ownNumber(e, p, c.number) != nil {
				for i, d := range e.details {
					if text, untyped := untypedText(d); untyped {
						items[i] = wrapped(o.catalog, d, text)
						items[i].carried.Place, items[i].carried.Plain = uint32(i), true
					}
				}
			}
			return items
		},
		write: func(c candidate, items []item, marker bool, carried *RawDetail) rpcObject {
			// Not into dst: a form that is tried must not overwrite one that was.
			out := strconv.AppendInt([]byte(`{"code":`), c.number, 10)
			out = appendString(append(out, `,"message":`...), e.message)
			out = appendData(out, e, p, o, c, items, marker, carried)
			return rpcObject{c.number, append(out, '}')}
		},
		read: func(r rpcObject, o *decodeOptions) (*Error, error) {
			return decodeJSONRPC(r.text, p, o)
		},
		direct: func(c candidate, items []item) (marker, ok bool) {
			if p == ProfileMCP && ownNumber(e, p, c.number) != nil {
				return false, false
			}
			for _, it := range items {
				if it.read.typeURL == "" {
					return false, false
				}
			}
			return needsMarker(e, p, standingOf(e, p, o.catalog, o.catalog), c.number), true
		},
	})
	return append(dst, r.text...), r.number
}

// DecodeJSONRPC reads the error object of JSON-RPC 2.0 under a profile, or the
// response that holds one.
func DecodeJSONRPC(object []byte, p Profile, opts ...DecodeOption) (*Error, error) {
	return decodeJSONRPC(object, p, newDecodeOptions(opts))
}

// rpcObject is an error object and its number.
type rpcObject struct {
	number int64
	text   []byte
}

// rpcCandidates returns the numbers that e may have, the best first.
func rpcCandidates(e *Error, p Profile, o *encodeOptions) []candidate {
	var out []candidate
	add := func(n int64, received bool) {
		for _, c := range out {
			// A received number that a reader takes for the error's own is not
			// said by it: then it rides along, so it is tried both ways.
			if c.number == n && c.said.Number == "" {
				return
			}
		}
		c := candidate{number: n, said: Received{Wire: WireJSONRPC}}
		if text := strconv.FormatInt(n, 10); received {
			c.said.Number = text
		} else {
			c.made.Number = text
		}
		if p == ProfileMCP && ownNumber(e, p, n) != nil {
			alone := c
			alone.alone = true
			out = append(out, alone)
		}
		out = append(out, c)
	}
	if token := e.receivedOn(WireJSONRPC).Number; isJSONNumber([]byte(token)) {
		if n, ok := numberOf(token); ok && p.mayRepeat(n) {
			add(n, true)
		}
	}
	add(impliedNumber(e, p, standingOf(e, p, o.catalog, o.catalog)), false)
	add(row(e.number).jsonrpc, false)
	return out
}

// standing is what an error is in the catalogue of its reader, and among the
// errors that the profile itself defines; nil where it is none.
type standing struct{ known, own *Definition }

func standingOf(e *Error, p Profile, errors, types *Catalog) standing {
	return standing{definitionOf(e, errors, types), definitionOf(e, p.own(), types)}
}

// definition returns what a reader goes by: the catalogue first.
func (s standing) definition() *Definition {
	if s.known != nil {
		return s.known
	}
	return s.own
}

// impliedNumber is the number that an error has of its own: the catalogue's for
// its identity if the profile may write it, else the table's.
func impliedNumber(e *Error, p Profile, s standing) int64 {
	if d := s.definition(); d != nil {
		if n, ok := d.JSONRPCCode(); ok && p.may(int64(n), d.Domain()) {
			return int64(n)
		}
	}
	return row(e.number).jsonrpc
}

// ownNumber returns the profile's own error that a number stands for beside the
// identity of e; nil where it is none.
func ownNumber(e *Error, p Profile, number int64) *Definition {
	if d := p.numbered(number); d != nil || p != ProfileMCP || number != numberInvalidParams {
		return d
	}
	if d := definitionOf(e, p.own(), p.own()); d != nil && d.Reason() == reasonResourceNotFound {
		return d
	}
	return nil
}

// rpcCode returns the code that a reader arrives at without a marker.
func rpcCode(p Profile, s standing, number int64) (n int32, found bool) {
	if d := s.definition(); d != nil {
		return int32(d.Code()), true
	}
	if d := p.numbered(number); d != nil {
		return int32(d.Code()), true
	}
	if p == ProfileMCP && number == numberMCPURLElicitation {
		return int32(code.Code_FAILED_PRECONDITION), true
	}
	if c, ok := codeByNumber(number); ok {
		return int32(c), true
	}
	return int32(code.Code_UNKNOWN), false
}

// needsMarker tells whether a reader of that number, with the catalogue or with
// the profile's own errors alone, arrives at another code than the error's.
func needsMarker(e *Error, p Profile, s standing, number int64) bool {
	with, _ := rpcCode(p, s, number)
	without, _ := rpcCode(p, standing{own: s.own}, number)
	return with != e.number || without != e.number
}

// appendData appends the data member; nothing where there is nothing to say.
func appendData(out []byte, e *Error, p Profile, o *encodeOptions, c candidate, items []item, marker bool, carried *RawDetail) []byte {
	var object []member
	own := p == ProfileMCP && ownNumber(e, p, c.number) != nil
	if own {
		object = schemaObject(e, ownNumber(e, p, c.number), o.catalog)
		if c.alone {
			if len(object) > 0 {
				out = appendMembers(append(out, `,"data":`...), object)
			}
			return out
		}
	}
	list, count := []byte("["), 0
	add := func(text []byte) {
		if count > 0 {
			list = append(list, ',')
		}
		list = append(list, text...)
		count++
	}
	typed := marker || carried != nil
	for _, it := range items {
		if it.plain {
			typed = typed || it.json[0] == '{' && (it.read.typeURL != "" || typedElement(it.json))
			add(it.json)
		}
	}
	if marker {
		add(strconv.AppendInt([]byte(`{"@type":"`+markerType+`","code":`), int64(int32(e.Code())), 10))
		list = append(list, '}')
	}
	if carried != nil {
		text, _ := render(o.catalog, *carried)
		add(text)
	}
	list = append(list, ']')
	switch {
	case own:
		object = append(object, newMember("details", list))
		return appendMembers(append(out, `,"data":`...), object)
	case count == 0:
		return out
	case count == 1 && !typed:
		list = list[1 : len(list)-1]
	}
	return append(append(out, `,"data":`...), list...)
}

func decodeJSONRPC(body []byte, p Profile, o *decodeOptions) (*Error, error) {
	if e, ok := decodePlainRPC(body, p, o); ok {
		return e, nil
	}
	return decodeAnyRPC(body, p, o)
}

func decodeAnyRPC(body []byte, p Profile, o *decodeOptions) (*Error, error) {
	text, err := compactJSON(body, o.limits)
	if err != nil {
		return foreign(WireJSONRPC, body, o, CodeFromConnectHTTP, err.Error())
	}
	members, ok := objectMembers(text)
	if !ok {
		return foreign(WireJSONRPC, body, o, CodeFromConnectHTTP, "not a JSON object")
	}
	e := &Error{decoded: true}
	ours, rest := take(insideResponse(members, &e.notes), &e.notes, "code", "message", "data")
	if len(ours) == 0 {
		return foreign(WireJSONRPC, body, o, CodeFromConnectHTTP, "no code, message or data")
	}
	e.message, _ = e.text(WireJSONRPC, ours, "message")
	number, token, rest := readRPCNumber(e, ours["code"], rest)
	data := readData(e, o, ours["data"], p, number)
	e.details = data.details
	keepNumber := token != ""
	if data.own != nil {
		keepNumber = data.supply(e, p, o.catalog) && keepNumber
	}
	if p == ProfileMCP && (number == numberMCPResourceNotFound || number == numberMCPURLElicitation) {
		keepNumber = false
	}
	if e.number = data.marker; e.number == 0 {
		e.number, _ = rpcCode(p, standingOf(e, p, o.errors, o.catalog), number)
	}
	e.keep(WireJSONRPC, rest)
	restore(o.catalog, e, shapeElements)
	if r := e.receivedOn(WireJSONRPC); keepNumber && token != strconv.FormatInt(impliedNumber(e, p, standingOf(e, p, o.errors, o.catalog)), 10) &&
		(r.Number == "" || token != strconv.FormatInt(row(e.number).jsonrpc, 10)) {
		e.setReceived(mergeReceived(r, Received{Wire: WireJSONRPC, Number: token}, &e.notes))
	}
	o.finish(e)
	return e, nil
}

// insideResponse returns the members of the error object inside a response, with
// those that the response has beside it. The version and the id are the call's; a
// result beside an error is dropped.
func insideResponse(members []member, n *notes) []member {
	var lost notes
	ours, rest := take(members, &lost, "jsonrpc", "id", "result", "error", "code")
	inner, isObject := objectMembers(ours["error"])
	if !isObject || ours["jsonrpc"] == nil || ours["code"] != nil {
		return members
	}
	*n = append(*n, lost...)
	if result := ours["result"]; result != nil && !isNull(result) {
		n.add("result %s dropped: an error stands beside it", clip(string(result), 128))
	}
	return withOuter(inner, rest, "code", "message", "data")
}

// readRPCNumber reads the code: the number, and its token, "" for none. One that
// is no integer within ±(2^53-1) is number 0, kept as it was received.
func readRPCNumber(e *Error, raw []byte, rest []member) (int64, string, []member) {
	if number, ok := readNumber(raw); ok {
		return number, strconv.FormatInt(number, 10), rest
	}
	token := string(raw)
	if s, ok := stringValue(raw); ok {
		token = s
	}
	switch {
	case raw == nil:
		e.notes.add("code is missing: UNKNOWN")
		return 0, "", rest
	case isJSONNumber([]byte(token)):
		e.notes.add("code %s is no integer that JSON-RPC can say: UNKNOWN", clip(token, 64))
		return 0, token, rest
	}
	e.notes.add("code is no number: UNKNOWN")
	return 0, "", addMember(rest, newMember("code", raw), &e.notes)
}
