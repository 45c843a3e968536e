package wire

import (
	"encoding/base64"
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// The members of a Connect error, and those of one of its details.
var (
	connectNames       = names{"code", "message", "details"}
	connectDetailNames = names{"type", "value", "debug"}
)

// AppendConnect appends an error as the JSON error of the Connect protocol.
func AppendConnect(dst []byte, e *hub.Error, o *Encoding) []byte {
	w := begin(e, o, shapeBinary)
	shown := w.binary()
	standing, riding := splitMembers(nil, e.On(hub.WireConnect).Members, connectNames.placeIn)
	extras, riding := detailExtras(riding, len(shown))
	defer extras.release()
	w.receive(false, func(r *hub.Received) {
		if r.Wire == hub.WireConnect {
			r.Members = riding
		}
	})
	shown = w.withCarried(shown, hub.WireConnect)
	if dst == nil {
		dst = make([]byte, 0, room(e, 48, 4))
	}
	dst = append(append(append(dst, `{"code":"`...), row(e.Number).connect...), '"')
	if e.Message != "" {
		dst = jsontree.AppendString(append(dst, `,"message":`...), e.Message)
	}
	lead := `,"details":[{"type":`
	extra := extras.first()
	for i := range shown {
		d := &shown[i]
		dst = jsontree.AppendString(append(dst, lead...), d.Name())
		dst = base64.RawStdEncoding.AppendEncode(append(dst, `,"value":"`...), d.Value)
		dst = w.appendDebug(append(dst, '"'), d)
		for m := extra.First(); m.Exists(); m = m.Next() {
			dst = appendMember(append(dst, ','), m)
		}
		extra = extra.Next()
		dst = append(dst, '}')
		lead = `,{"type":`
	}
	if len(shown) > 0 {
		dst = append(dst, ']')
	}
	return append(append(dst, standing...), '}')
}

// extraMembers are the members that the details of a Connect error had beside their
// own: an array with an object or null for each.
type extraMembers struct{ tree *jsontree.Tree }

func (x extraMembers) first() jsontree.Value {
	if x.tree == nil {
		return jsontree.Value{}
	}
	return x.tree.Root().Get("details").First()
}

func (x extraMembers) release() {
	if x.tree != nil {
		x.tree.Release()
	}
}

// detailExtras takes the members of details out of those that ride, where there is an
// element for each of so many details.
func detailExtras(riding []byte, details int) (x extraMembers, rest []byte) {
	if riding == nil {
		return x, nil
	}
	t := tree(riding)
	if v := t.Root().Get("details"); v.Is(jsontree.Array) && detailMembers(v) && v.Len() == details {
		_, rest = splitMembers(nil, riding, func(m jsontree.Value) place {
			if m.NameIs("details") {
				return said
			}
			return rides
		})
		return extraMembers{t}, rest
	}
	t.Release()
	return x, riding
}

// detailMembers tells whether an array holds, for each detail of a Connect error, the
// members that it has beside its own, or null.
func detailMembers(v jsontree.Value) bool {
	for el := v.First(); el.Exists(); el = el.Next() {
		switch el.Kind() {
		case jsontree.Null:
		case jsontree.Object:
			for m := el.First(); m.Exists(); m = m.Next() {
				if connectDetailNames.placeIn(m) == rides || m.Repeats() {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// appendDebug appends the debug member of a detail, where its type is linked. What
// Carried holds is for programs alone.
func (w *writing) appendDebug(dst []byte, d *hub.Detail) []byte {
	const lead = `,"debug":`
	name := d.Name()
	if name == "" || name == hub.NameCarried {
		return dst
	}
	out, fidelity := w.codec.AppendMessage(append(dst, lead...), usualURL(d.TypeURL), d.Value, detailDepth)
	if fidelity == protojson.None {
		return out[:len(dst)]
	}
	return out
}

// ReadConnect reads the JSON error of the Connect protocol.
func ReadConnect(e *hub.Error, body []byte, o *Decoding) error {
	r, root, why := read(e, hub.WireConnect, body, o)
	defer r.tree.Release()
	if why != "" {
		return r.foreign(why)
	}
	own, rest := r.take(root, connectNames, nil)
	codeValue, messageValue, details := own[0], own[1], own[2]
	if !codeValue.Exists() && !messageValue.Exists() && !details.Exists() {
		return r.foreign("no code, message or details")
	}
	e.Message, _ = r.text(messageValue, &rest)
	r.connectCode(codeValue, &rest)
	switch details.Kind() {
	case jsontree.Missing, jsontree.Null:
	case jsontree.Array:
		r.connectDetails(details, &rest)
	default:
		r.refuse(details, &rest)
	}
	r.keep(hub.WireConnect, rest)
	r.restore(shapeBinary, jsontree.Value{})
	r.finish()
	return nil
}

// connectCode reads the code. One that is none gives way to the HTTP status.
func (r *reading) connectCode(v jsontree.Value, rest *[]member) {
	if v.Is(jsontree.String) {
		for n := 1; n < len(codeTable); n++ {
			if v.TextIs(codeTable[n].connect) {
				r.Number = int32(n)
				return
			}
		}
		text, named := v.Text(), false
		if r.Number, named = codeByConnectName(text); named {
			return
		}
		r.SetReceived(hub.Received{Wire: hub.WireConnect, CodeText: text})
	} else if v.Exists() {
		*rest = append(*rest, member{name: "code", value: v})
	}
	r.Number = int32(code.Code_UNKNOWN)
	if r.o.HTTPStatus != 0 && !r.o.Stream {
		r.Number = int32(CodeFromConnectHTTP(r.o.HTTPStatus))
		setHTTPStatus(r.Error, hub.WireConnect, r.o.HTTPStatus)
	}
	r.Notes.Add("no code that Connect knows: %s", row(r.Number).name)
}

// connectDetails reads the details, each on its own.
func (r *reading) connectDetails(v jsontree.Value, rest *[]member) {
	n := r.atMost(v.Len())
	r.room(n)
	var extras []byte
	plain := 0 // details so far, without a Carried
	for el, i := v.First(), 0; el.Exists() && i < n; el, i = el.Next(), i+1 {
		d, extra, err := r.connectDetail(el)
		if err != nil {
			r.Notes.Add("detail %d dropped: %v", i, err)
			continue
		}
		r.Details = append(r.Details, d)
		if d.Is(hub.NameCarried) {
			if extra != nil {
				r.Notes.Add("detail %d: members beside a Carried dropped", i)
			}
			continue
		}
		if plain++; extras == nil && extra != nil {
			extras = append(append(extras, '['), strings.Repeat("null,", plain-1)...)
		} else if extras != nil {
			extras = append(extras, ',')
		}
		switch {
		case extra != nil:
			extras = appendMembers(extras, extra)
		case extras != nil:
			extras = append(extras, "null"...)
		}
	}
	if extras != nil {
		*rest = append(*rest, member{name: "details", text: append(extras, ']')})
	}
}

// connectDetail reads one element of details; extra are the members that it has
// beside type, value and debug.
func (r *reading) connectDetail(v jsontree.Value) (d hub.Detail, extra []member, err error) {
	if !v.Is(jsontree.Object) {
		return d, nil, fmt.Errorf("it is no object")
	}
	own, extra := r.take(v, connectDetailNames, nil)
	name, text := own[0], own[1]
	if !name.Is(jsontree.String) {
		return d, nil, fmt.Errorf("its type is no string")
	}
	if !text.Is(jsontree.String) {
		return d, nil, fmt.Errorf("its value is no string")
	}
	raw, plain := text.RawText()
	if !plain {
		raw = text.AppendText(nil)
	}
	if d.Value, err = decodeBase64Bytes(raw); err != nil {
		return d, nil, fmt.Errorf("its value is not base64")
	}
	if name.TextIs(hub.NameErrorInfo) {
		d.TypeURL = hub.URLErrorInfo
	} else {
		d.TypeURL = hub.CompleteURL(name.Text())
	}
	return d, extra, nil
}
