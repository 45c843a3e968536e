package wire

import (
	"encoding/base64"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// detailJSON appends a detail as JSON, if it stands in the form at all, and notes
// whether it rides along.
func (w *writing) detailJSON(dst []byte, i int) (out []byte, stands bool) {
	d := &w.details[i]
	switch {
	case w.wrap && (d.Empty() || d.JSON != nil && d.TypeURL == ""):
		w.rides = append(w.rides, ride{i, true})
		return appendWrapped(dst, d), true
	case d.Empty():
		return append(dst, "{}"...), true
	case d.JSON == nil:
		out, fidelity := w.codec.AppendAny(dst, d.TypeURL, d.Value, detailDepth)
		switch fidelity {
		case protojson.None:
			return appendValueForm(dst, d), true
		case protojson.Known:
			w.rides = append(w.rides, ride{i, true})
		}
		return out, true
	case w.shape == shapeObjects && d.TypeURL == "":
		w.rides = append(w.rides, ride{i, false})
		return dst, false
	}
	return append(dst, d.JSON...), true
}

func appendValueForm(dst []byte, d *hub.Detail) []byte {
	dst = jsontree.AppendString(append(dst, `{"`+memberType+`":`...), d.TypeURL)
	dst = append(dst, `,"`+memberValue+`":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, d.Value)
	return append(dst, `"}`...)
}

// appendWrapped appends a detail without a type as a google.protobuf.Value, which has
// each member once, as any object with a type.
func appendWrapped(dst []byte, d *hub.Detail) []byte {
	dst = append(dst, `{"`+memberType+`":"`+hub.URLPrefix+hub.NameValue+`","value":`...)
	t := tree(untypedText(d))
	defer t.Release()
	return append(t.Root().AppendOnce(dst), '}')
}

// wrappedView returns the google.protobuf.Value of a detail as readers see it.
func wrappedView(codec *protojson.Codec, d *hub.Detail) hub.Detail {
	text := appendWrapped(nil, d)
	t := tree(text)
	defer t.Release()
	if typeURL, value, whole := codec.ReadAny(t.Root()); whole {
		return hub.Detail{TypeURL: typeURL, Value: value}
	}
	return hub.Detail{TypeURL: hub.URLPrefix + hub.NameValue, JSON: text}
}

// untypedText returns the JSON of a detail without a type.
func untypedText(d *hub.Detail) []byte {
	if d.JSON == nil {
		return []byte("{}")
	}
	return d.JSON
}

// appendDetails appends the member of that name with the details of a JSON form;
// nothing without any.
func (w *writing) appendDetails(dst []byte) []byte {
	const lead = `,"details":[`
	start := len(dst)
	next := lead
	for i := range w.details {
		at := len(dst)
		out, stands := w.detailJSON(append(dst, next...), i)
		if !stands {
			dst = dst[:at]
			continue
		}
		dst, next = out, ","
	}
	if len(dst) == start {
		return dst
	}
	return append(dst, ']')
}

// appendCarriedMember appends the member that Carried is in the forms of HTTP and
// the status form.
func (w *writing) appendCarriedMember(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, `,"`+memberCarried+`":`...)
	out, fidelity := w.codec.AppendMessage(dst, urlCarried, w.appendCarried(nil), anyDepth)
	if fidelity == protojson.None { // unreachable: its texts were repaired
		return dst[:start]
	}
	return out
}

const urlCarried = hub.URLPrefix + hub.NameCarried

// binary returns the details that a binary form shows.
func (w *writing) binary() []hub.Detail {
	shown := w.details
	copied := false
	for i := range w.details {
		d := &w.details[i]
		if d.JSON == nil {
			if copied {
				shown = append(shown, *d)
			}
			continue
		}
		if !copied {
			shown, copied = append(make([]hub.Detail, 0, len(w.details)), w.details[:i]...), true
		}
		r := ride{place: i}
		if value, ok := knownPart(w.codec, d); ok {
			r.plain = true
			shown = append(shown, hub.Detail{TypeURL: d.TypeURL, Value: value})
		}
		w.rides = append(w.rides, r)
	}
	return shown
}

// withCarried appends the Carried to the details of a binary form, where one is
// needed.
func (w *writing) withCarried(shown []hub.Detail, wire hub.Wire) []hub.Detail {
	if !w.carries(wire) {
		return shown
	}
	return append(shown[:len(shown):len(shown)], hub.Detail{TypeURL: urlCarried, Value: w.appendCarried(nil)})
}

// room is about what the JSON of an error takes: what frames it, and so many bytes
// of text for each byte of a detail.
func room(e *hub.Error, frame, factor int) int {
	n := frame + len(e.Message)
	for i := range e.Details {
		d := &e.Details[i]
		n += len(d.TypeURL) + factor*len(d.Value) + len(d.JSON) + 48
	}
	for i := range e.Received {
		n += len(e.Received[i].Members)
	}
	return n
}
