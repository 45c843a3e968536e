package errmaphttp

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/goexit"
)

// ErrBegun is returned where an error cannot be written, since the response has
// begun. A handler that gets it may panic with http.ErrAbortHandler, which lets
// the client see that the response is cut off.
var ErrBegun = errors.New("errmaphttp: the response has begun")

// WriteError writes what the client of a request may see of an error, as an
// errmap.Guard has it: as application/problem+json (RFC 9457) where the request's
// Accept prefers that, else as AIP-193, whose content type is application/json, or
// application/a2a+json where Accept prefers that. Nil writes nothing.
//
// The status is that of the error's definition or of its code. A RetryInfo detail
// sets Retry-After too, in whole seconds, rounded up. Headers that a handler has
// set for another body are taken back. To HEAD no body is written.
//
// It returns ErrBegun where the response of Handle or Recover has begun, and the
// error of the write.
func WriteError(w http.ResponseWriter, r *http.Request, err error, opts ...WriteOption) error {
	o := newWriteOptions(opts)
	return o.write(w, r, o.outgoing(r, err))
}

// Write writes an error as WriteError does, but all of it: it asks not whose it
// is.
func Write(w http.ResponseWriter, r *http.Request, e *errmap.Error, opts ...WriteOption) error {
	return newWriteOptions(opts).write(w, r, e)
}

func (o *writeOptions) write(w http.ResponseWriter, r *http.Request, e *errmap.Error) error {
	if e == nil {
		return nil
	}
	if begun(w) {
		return ErrBegun
	}
	kind := chooseType(r.Header.Values("Accept"), o.problems)
	encode := errmap.EncodeHTTP
	if kind == errmap.ContentTypeProblem {
		encode = errmap.EncodeProblem
	}
	status, body := encode(e, o.Encode...)
	h := w.Header()
	for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Range", "Etag", "Last-Modified", "Cache-Control", "Expires", "Trailer"} {
		h.Del(name)
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	if after := e.RetryAfter(); after != "" {
		h.Set("Retry-After", after)
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// Handle returns a handler that answers what f returns, and its panics, with
// WriteError. Where the response has begun, the connection is broken off, so that
// no client takes the part for the whole; the error is logged by the Guard where
// it does not speak. A panic with http.ErrAbortHandler goes on. A handler that calls
// runtime.Goexit fails as one that panics does: each runs in a goroutine of its own.
func Handle(f func(http.ResponseWriter, *http.Request) error, opts ...WriteOption) http.Handler {
	o := newWriteOptions(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.serve(w, r, f)
	})
}

// Recover returns a handler that answers the panics of next as Handle does.
func Recover(next http.Handler, opts ...WriteOption) http.Handler {
	o := newWriteOptions(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.serve(w, r, func(w http.ResponseWriter, r *http.Request) error {
			next.ServeHTTP(w, r)
			return nil
		})
	})
}

func (o *writeOptions) serve(w http.ResponseWriter, r *http.Request, f func(http.ResponseWriter, *http.Request) error) {
	w = track(w)
	goexit.Contain(func() {
		returned := false
		defer o.contain(w, r, &returned)
		err := f(w, r)
		if returned = true; err != nil {
			o.finish(w, r, o.outgoing(r, err))
		}
	})
}

// contain answers a panic, and a handler that did not return. It is to be deferred.
func (o *writeOptions) contain(w http.ResponseWriter, r *http.Request, returned *bool) {
	if value := adapter.Exit(recover(), *returned); value != nil {
		if value == http.ErrAbortHandler {
			panic(value)
		}
		o.finish(w, r, o.Panicked(r.Context(), nameOf(r), o.wire(r), value))
	}
}

// maxPath bounds what the guard's log gets of the path of a request.
const maxPath = 256

// nameOf is the procedure of a request.
func nameOf(r *http.Request) string {
	if r.Pattern == "" && r.URL != nil {
		return r.Method + " " + r.URL.Path[:min(len(r.URL.Path), maxPath)]
	}
	return r.Pattern
}

// outgoing returns what the client of a request may see of an error.
func (o *writeOptions) outgoing(r *http.Request, err error) *errmap.Error {
	if err == nil {
		return nil
	}
	return o.Outgoing(r.Context(), nameOf(r), o.wire(r), err)
}

// wire returns the wire that the client of a request wants its error on.
func (o *writeOptions) wire(r *http.Request) errmap.Wire {
	if o.Observer != nil && chooseType(r.Header.Values("Accept"), o.problems) == errmap.ContentTypeProblem {
		return errmap.WireProblem
	}
	return errmap.WireHTTP
}

// finish writes an error, or breaks off a response that has begun.
func (o *writeOptions) finish(w http.ResponseWriter, r *http.Request, e *errmap.Error) {
	if errors.Is(o.write(w, r, e), ErrBegun) {
		panic(http.ErrAbortHandler)
	}
}
