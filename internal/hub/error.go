// Package hub holds an error as data: what every wire is read into and written
// from. It decides nothing and knows no wire.
package hub

// Error is an error in the model of google.rpc.Status, with what else a peer said.
// Its parts are shared by copies and are not changed once others have them.
type Error struct {
	// Number is that of google.rpc.Code; outside 1 to 16 it is private.
	Number int32
	// Origin tells whose error it is.
	Origin Origin
	// Forwarded is set where the program sends a peer's error on, on purpose.
	Forwarded bool
	Message   string
	// Details are in order, each as it travelled.
	Details []Detail
	// Received is in the order of Wire; none is empty.
	Received []Received
	// Notes say what was dropped or repaired; they never leave the program.
	Notes Notes
}

// Origin tells whose error it is, and so who may see it.
type Origin uint8

const (
	// Made is an error that the program made for a caller.
	Made Origin = iota
	// Hidden stands for its cause, which is for no caller.
	Hidden
	// Read was read from a wire by a codec, which asks not from whom it came.
	Read
	// Remote was sent by a peer.
	Remote
	// Local is of a call that failed here, of which its peer said nothing.
	Local
)

// Foreign tells whether the error is of a call, so that it is for the caller of a
// handler only where it was forwarded.
func (o Origin) Foreign() bool { return o == Remote || o == Local }

// Carries tells whether something may ride along: on an error that was read. One
// that was made here says all that it says in its code, message and details.
func (o Origin) Carries() bool { return o >= Read }

// Canonical tells whether a number is one of google.rpc.Code and no success.
func Canonical(number int32) bool { return number >= 1 && number <= 16 }

// On returns what a wire said; empty where nothing.
func (e *Error) On(w Wire) Received {
	for i := range e.Received {
		if e.Received[i].Wire == w {
			return e.Received[i]
		}
	}
	return Received{Wire: w}
}

// SetReceived puts r in its place, or takes it away where it is empty. The list of
// an error that others have is not changed.
func (e *Error) SetReceived(r Received) {
	kept := make([]Received, 0, len(e.Received)+1)
	placed := r.Empty()
	for _, have := range e.Received {
		if !placed && have.Wire >= r.Wire {
			kept, placed = append(kept, r), true
		}
		if have.Wire != r.Wire {
			kept = append(kept, have)
		}
	}
	if !placed {
		kept = append(kept, r)
	}
	if len(kept) == 0 {
		kept = nil
	}
	e.Received = kept
}
