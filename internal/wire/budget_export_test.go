package wire

import "github.com/errmap/errmap/internal/hub"

// Fit is fit, and fits once more to tell of it: size is what it expects the headers to take, tries how often it asked
// for a size. Both are 0 where the error is returned as it is.
func Fit(e *hub.Error, o *Encoding, own hub.Wire) (out *hub.Error, notes hub.Notes, size, tries int) {
	if out, notes = fit(e, o, own); out == e {
		return out, notes, 0, 0
	}
	f := newFitting(e, o, own)
	f.run()
	return out, notes, f.now.size(), f.tries
}

// FitAlone is fit.
func FitAlone(e *hub.Error, o *Encoding, own hub.Wire) (*hub.Error, hub.Notes) { return fit(e, o, own) }

// WholeSize returns what the headers of an error are expected to take, and what
// they take at most at a glance.
func WholeSize(e *hub.Error, o *Encoding, own hub.Wire) (size, atMost int) {
	whole := newFitting(e, o, own).whole()
	return whole.size(), sizeAtMost(e)
}
