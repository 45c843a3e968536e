package errmap

import "github.com/errmap/errmap/internal/hub"

// Remote tells whether a peer sent the error. Returned from a handler such an
// error is hidden, unless Forward says that it is for the caller.
func (e *Error) Remote() bool { return e != nil && e.hub.Origin == hub.Remote }

// WithRemote returns e as an error that a peer sent: for adapters, and for tests
// that need what a client would have received.
func (e *Error) WithRemote() *Error {
	return e.changed(func(c *Error) { c.hub.Origin = hub.Remote })
}

// Local tells whether the error is of a call that this program made and that
// failed here, without a word of its peer: it was canceled, it timed out, the
// peer was not reached, or what answered was no peer. It is then the text of the
// program or of its RPC library. Returned from a handler such an error is hidden,
// unless Forward says that it is for the caller. An error that the program made
// for a caller is neither Local nor Remote.
func (e *Error) Local() bool { return e != nil && e.hub.Origin == hub.Local }

// WithLocal returns e as the error of a call that failed here: for adapters, and
// for tests that need what a client would have met.
func (e *Error) WithLocal() *Error {
	return e.changed(func(c *Error) { c.hub.Origin = hub.Local })
}
