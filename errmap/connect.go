package errmap

import (
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// EncodeConnect returns e as the JSON error of the Connect protocol, which is
// the body of a failed unary call and stands in the end-of-stream message of a
// stream; nil for nil. The HTTP status that goes with it is HTTPStatus of the
// code, whatever the error's own is elsewhere.
func EncodeConnect(e *Error, opts ...EncodeOption) []byte {
	if e == nil {
		return nil
	}
	o := newEncodeOptions(opts)
	if simple(e) {
		return appendPlainConnect(make([]byte, 0, e.room(48, 4)), e, o.catalog)
	}
	return settleConnect(e, o)
}

func settleConnect(e *Error, o *encodeOptions) []byte {
	e = readable(e, o.catalog)
	return settle(e, o, form[[]byte]{
		wire:       WireConnect,
		shape:      shapeBinary,
		candidates: []candidate{{}},
		items:      func(candidate) []item { return plainItems(o.catalog, e, shapeBinary) },
		write: func(_ candidate, items []item, _ bool, carried *RawDetail) []byte {
			return writeConnect(o.catalog, e, items, carried)
		},
		read: decodeConnect,
	})
}

// DecodeConnect reads the JSON error of the Connect protocol. A code that is
// none falls back to what WithHTTPStatus says, and to UNKNOWN WithinStream.
func DecodeConnect(body []byte, opts ...DecodeOption) (*Error, error) {
	return decodeConnect(body, newDecodeOptions(opts))
}

func writeConnect(c *Catalog, e *Error, items []item, carried *RawDetail) []byte {
	shown := *e
	shown.details = nil
	for _, it := range items {
		if it.plain {
			shown.details = append(shown.details, it.raw)
		}
	}
	if carried != nil {
		shown.details = append(shown.details, *carried)
	}
	return appendPlainConnect(nil, &shown, c)
}

// withoutType takes the "@type" out of the ProtoJSON of an Any: what is left is
// that of the message, or the "value" of a well-known type.
func withoutType(text []byte) []byte {
	members, _ := objectMembers(text)
	if len(members) == 2 && members[1].name == "value" && len(members[1].value) > 0 {
		if name := bareName(elementType(text)); name.Parent() == "google.protobuf" {
			return members[1].value
		}
	}
	return appendMembers(nil, members[1:])
}

func decodeConnect(body []byte, o *decodeOptions) (*Error, error) {
	if e, ok := decodePlainConnect(body, o); ok {
		return e, nil
	}
	return decodeAnyConnect(body, o)
}

func decodeAnyConnect(body []byte, o *decodeOptions) (*Error, error) {
	text, err := compactJSON(body, o.limits)
	if err != nil {
		return foreign(WireConnect, body, o, CodeFromConnectHTTP, err.Error())
	}
	members, ok := objectMembers(text)
	if !ok {
		return foreign(WireConnect, body, o, CodeFromConnectHTTP, "not a JSON object")
	}
	e := &Error{decoded: true}
	ours, rest := take(members, &e.notes, "code", "message", "details")
	if len(ours) == 0 {
		return foreign(WireConnect, body, o, CodeFromConnectHTTP, "no code, message or details")
	}
	e.message, _ = e.text(WireConnect, ours, "message")
	named := false
	if s, isString := stringValue(ours["code"]); isString {
		if e.number, named = codeByConnectName(s); !named {
			r := e.receivedOn(WireConnect)
			r.CodeText = s
			e.setReceived(r)
		}
	} else if ours["code"] != nil {
		rest = addMember(rest, newMember("code", ours["code"]), &e.notes)
	}
	if !named {
		e.number = int32(code.Code_UNKNOWN)
		if o.httpStatus != 0 && !o.stream {
			e.number = int32(CodeFromConnectHTTP(o.httpStatus))
			e.setHTTPStatus(WireConnect, o.httpStatus)
		}
		e.notes.add("no code that Connect knows: %s", row(e.number).name)
	}
	extras, kept := []byte("["), false
	for i, raw := range o.elements(e, WireConnect, ours, "details") {
		d, extra, err := connectDetail(raw, &e.notes)
		if err != nil {
			e.notes.add("detail %d dropped: %v", i, err)
			continue
		}
		if len(e.details) > 0 {
			extras = append(extras, ',')
		}
		if kept = kept || extra != nil; extra == nil {
			extra = []byte("null")
		}
		extras = append(extras, extra...)
		e.details = append(e.details, d)
	}
	if kept {
		rest = addMember(rest, newMember("details", append(extras, ']')), &e.notes)
	}
	e.keep(WireConnect, rest)
	restore(o.catalog, e, shapeBinary)
	o.finish(e)
	return e, nil
}

// connectDetail reads one element of details; extra is an object of the members
// that it has beside type, value and debug.
func connectDetail(raw []byte, n *notes) (d RawDetail, extra []byte, err error) {
	members, ok := objectMembers(raw)
	if !ok {
		return d, nil, fmt.Errorf("it is no object")
	}
	ours, rest := take(members, n, "type", "value", "debug")
	name, ok := stringValue(ours["type"])
	if !ok {
		return d, nil, fmt.Errorf("its type is no string")
	}
	text, ok := stringValue(ours["value"])
	if !ok {
		return d, nil, fmt.Errorf("its value is no string")
	}
	value, err := decodeBase64(text)
	if err != nil {
		return d, nil, fmt.Errorf("its value is not base64")
	}
	if len(rest) > 0 {
		extra = appendMembers(nil, rest)
	}
	return RawDetail{typeURL: completeURL(name), value: value}, extra, nil
}
