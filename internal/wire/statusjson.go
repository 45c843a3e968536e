package wire

import (
	"math"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// statusNames are the members of a google.rpc.Status in ProtoJSON.
var statusNames = names{"code", "message", "details", memberCarried}

// AppendStatusJSON appends an error as the ProtoJSON of a google.rpc.Status.
func AppendStatusJSON(dst []byte, e *hub.Error, o *Encoding) []byte {
	w := begin(e, o, shapeObjects)
	if dst == nil {
		dst = make([]byte, 0, room(e, 32, 2))
	}
	dst = strconv.AppendInt(append(dst, `{"code":`...), int64(e.Number), 10)
	if e.Message != "" {
		dst = jsontree.AppendString(append(dst, `,"message":`...), e.Message)
	}
	dst = w.appendDetails(dst)
	dst = w.appendRest(dst, hub.WireStatus, true, statusNames.placeIn, nil)
	return append(dst, '}')
}

// ReadStatusJSON reads the ProtoJSON of a google.rpc.Status.
func ReadStatusJSON(e *hub.Error, body []byte, o *Decoding) error {
	r, root, why := read(e, hub.WireStatus, body, o)
	defer r.tree.Release()
	if why != "" {
		return r.foreign(why)
	}
	own, rest := r.take(root, statusNames, nil)
	codeValue, messageValue, details := own[0], own[1], own[2]
	if !codeValue.Exists() && !messageValue.Exists() && !details.Exists() && root.Len() > 0 {
		return r.foreign("no code, message or details")
	}
	number, ok := statusCode(codeValue)
	if !ok {
		e.Notes.Add("code is no number: UNKNOWN")
		rest = append(rest, member{name: "code", value: codeValue})
	}
	if e.Number = number; number == 0 {
		return ErrOK
	}
	e.Message, _ = r.text(messageValue, &rest)
	r.list(details, &rest)
	carried := r.carriedMember(own[3], &rest)
	r.keep(hub.WireStatus, rest)
	r.restore(shapeObjects, carried)
	r.finish()
	return nil
}

// carriedMember returns the member that Carried is; another's of that name is kept.
func (r *reading) carriedMember(v jsontree.Value, rest *[]member) jsontree.Value {
	switch {
	case !v.Exists():
	case isCarried(v):
		return v
	default:
		*rest = append(*rest, member{name: memberCarried, value: v})
	}
	return jsontree.Value{}
}

// appendRest appends the members that rode along on the wire that is written and
// stand there, and the member that Carried is, where one is needed. says takes out of
// what was received what the form says beside them; nil for nothing.
func (w *writing) appendRest(dst []byte, wire hub.Wire, writesNumber bool, placeOf func(jsontree.Value) place, says func(*hub.Received)) []byte {
	members := w.On(wire).Members
	start, foreign := len(dst), false
	split := func(beside place) {
		var riding []byte
		dst, riding = splitMembers(dst[:start], members, func(m jsontree.Value) place {
			if m.NameIs(memberCarried) {
				foreign = true
				return beside
			}
			return placeOf(m)
		})
		w.received = w.received[:0]
		w.receive(writesNumber, func(r *hub.Received) {
			if r.Wire == wire {
				r.Members = riding
			}
			if says != nil {
				says(r)
			}
		})
	}
	split(stands)
	if !w.carries(wire) {
		return dst
	}
	if foreign { // another's member of that name gives way
		split(rides)
	}
	return w.appendCarriedMember(dst)
}

// statusCode reads the code of a Status: a number, the text of one, or the name of a
// code. Anything else is UNKNOWN, and not ok.
func statusCode(v jsontree.Value) (int32, bool) {
	switch v.Kind() {
	case jsontree.Missing, jsontree.Null:
		return 0, true
	case jsontree.String:
		if n, named := code.Code_value[v.Text()]; named {
			return n, true
		}
	}
	if n, ok := readNumber(v); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
		return int32(n), true
	}
	return int32(code.Code_UNKNOWN), false
}
