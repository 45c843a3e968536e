package hub

import "slices"

// HasDebug tells whether the error holds what is for debugging alone: a
// google.rpc.DebugInfo, or members that a peer put beside what its wire defines.
func (e *Error) HasDebug() bool {
	for i := range e.Details {
		if e.Details[i].Is(NameDebugInfo) {
			return true
		}
	}
	for i := range e.Received {
		if len(e.Received[i].Members) > 0 {
			return true
		}
	}
	return false
}

// DropDebug takes out what HasDebug finds. What others share is not changed.
func (e *Error) DropDebug() {
	e.Details = slices.DeleteFunc(slices.Clone(e.Details), func(d Detail) bool { return d.Is(NameDebugInfo) })
	e.Received = slices.Clone(e.Received)
	for i := range e.Received {
		e.Received[i].Members = nil
	}
	e.Received = slices.DeleteFunc(e.Received, func(r Received) bool { return r.Empty() })
}
