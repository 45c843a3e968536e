package server

import (
	"context"
	"net/http"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/jsonrpc"
	"github.com/errmap/errmap/internal/negotiate"
)

// outcome is what became of a request that was not refused by the envelope.
type outcome struct {
	ready  bool    // false until then
	answer []byte  // nil for a notification, and for a caller that left
	shared []byte  // what follows the answer and belongs to others too
	short  failing // the answer is made of it when it is written
	number int64   // of the error, 0 for a result
	held   int64   // bytes that are counted for the answer

	header, trailer connect.Header // what the method set
	left            bool           // the caller did, and nothing else happened
	exited          bool           // the method ended its goroutine
}

// size is the number of bytes of the answer.
func (o *outcome) size() int { return len(o.answer) + len(o.shared) }

// serveOne answers a request that came alone.
func (h *handler) serveOne(ctx context.Context, w http.ResponseWriter, r *http.Request, x *exchange, request *jsonrpc.Request) {
	m := h.methods[string(request.Method)]
	if m != nil && request.Invalid == "" &&
		m.spec.StreamType == connect.StreamTypeServer && !request.IsNotification() &&
		negotiate.Quality(r.Header[headerAccept], typeEvents) > 0 {
		h.serveStream(ctx, w, r, x, h.newCall(r, request, m))
		return
	}
	var out outcome
	// Also where the method ended the goroutine, which nothing holds up.
	defer h.finishOne(w, r, x, &out)
	h.handle(ctx, r, x.answer, request, m, &out)
}

// finishOne writes the answer to a request that came alone.
func (h *handler) finishOne(w http.ResponseWriter, r *http.Request, x *exchange, out *outcome) {
	if !out.ready || out.left {
		return
	}
	if out.exited && r.ProtoMajor < 2 {
		// net/http ends the connection with the goroutine.
		w.Header().Set("Connection", "close")
		defer func() { _ = h.writes.Flush(&x.writing, w) }()
	}
	addHeaders(w.Header(), &out.header, "")
	addHeaders(w.Header(), &out.trailer, trailerPrefix)
	if out.answer == nil {
		h.accepted(w)
		return
	}
	x.answer = out.answer
	status := http.StatusOK
	if out.number != 0 {
		status = h.profile.HTTPStatus(out.number)
	}
	if !h.write(w, r, x, status, out.answer, out.shared) {
		x.answer = nil
	}
	h.held.Give(r, out.held)
}

// handle brings one request of a method, nil for one that is not known, to its
// end. The answer is made in buffer, or where that is too small in a new one. Where the
// method ends its goroutine, handle has an outcome and does not return.
func (h *handler) handle(ctx context.Context, r *http.Request, buffer []byte, request *jsonrpc.Request, m *method, out *outcome) {
	discover := h.discover != nil && string(request.Method) == DiscoverMethod
	switch {
	case request.Invalid != "":
		h.refused(ctx, buffer, request, jsonrpc.CodeInvalidRequest, "Invalid Request: "+request.Invalid, out)
		return
	case discover:
	case m == nil:
		h.refused(ctx, buffer, request, jsonrpc.CodeMethodNotFound, "Method not found: "+clip(request.Method), out)
		return
	default:
		if reason := uncallable(m.spec, request); reason != "" {
			h.refused(ctx, buffer, request, jsonrpc.CodeMethodNotFound, "Method not found: "+clip(request.Method)+" "+reason, out)
			return
		}
	}
	if !h.calls.Acquire(h.limits.Calls) {
		h.failed(ctx, buffer, request, h.told(ctx, m, nil, errmap.NewCode(code.Code_UNAVAILABLE, textManyCalls)), out)
		return
	}
	defer h.calls.Release()
	if discover {
		h.handleDiscover(ctx, buffer, request, out)
		return
	}
	if !h.held.Room(r, m.size.Next()) {
		h.failed(ctx, buffer, request, h.told(ctx, m, nil, busy()), out)
		return
	}
	c := h.newCall(r, request, m)
	c.answer = buffer
	defer func() {
		if c.exited != nil {
			h.conclude(ctx, r, request, c, c.exited, out)
			out.exited = true
		}
	}()
	failure := c.run(ctx)
	h.conclude(ctx, r, request, c, failure, out)
}

// conclude makes the outcome of a call that ran.
func (h *handler) conclude(ctx context.Context, r *http.Request, request *jsonrpc.Request, c *call, failure *errmap.Error, out *outcome) {
	if failure != nil && !request.IsNotification() && clientLeft(r, failure) {
		*out = outcome{ready: true, left: true}
		return
	}
	// Not the call, which has the headers of the request.
	out.header, out.trailer = *c.info.ResponseHeader(), *c.info.ResponseTrailer()
	if failure != nil {
		h.failed(ctx, c.answer, request, failure, out)
	} else {
		out.ready = true
		if !request.IsNotification() {
			out.answer = c.answer
		}
	}
	held := inflight.Counted(len(out.answer))
	c.method.size.Saw(held)
	if !h.held.Take(r, held) {
		left := leftOut()
		if failure == nil {
			h.told(ctx, c.method, nil, left)
		}
		h.failed(ctx, nil, request, left, out)
		return
	}
	out.held = held
}

// failed makes the outcome of a request that ends with an error for its caller.
func (h *handler) failed(ctx context.Context, buffer []byte, request *jsonrpc.Request, failure *errmap.Error, out *outcome) {
	out.ready = true
	if request.IsNotification() {
		h.drop(ctx, request, failure)
		return
	}
	out.answer, out.number = h.appendFailure(buffer[:0], request.ID, failure, h.limits.ResponseBytes)
}

// refused makes the outcome of a request that reaches no method.
func (h *handler) refused(ctx context.Context, buffer []byte, request *jsonrpc.Request, number int, message string, out *outcome) {
	out.ready = true
	if h.observer != nil {
		c := code.Code_INVALID_ARGUMENT
		if number == jsonrpc.CodeMethodNotFound {
			c = code.Code_UNIMPLEMENTED
		}
		h.told(ctx, nil, nil, errmap.NewCode(c, message))
	}
	if request.IsNotification() {
		// What is no request is answered, so this is about the method.
		h.drop(ctx, request, errmap.NewCode(code.Code_UNIMPLEMENTED, message))
		return
	}
	out.answer, out.number = jsonrpc.AppendError(buffer[:0], h.id(request.ID), number, message), int64(number)
}

// drop logs the failure of a notification. A log that panics must not take the
// other calls of a batch with it.
func (h *handler) drop(ctx context.Context, request *jsonrpc.Request, failure *errmap.Error) {
	dropped := Dropped{Method: clip(request.Method), Err: failure}
	defer func() {
		if value := recover(); value != nil {
			h.logDropped(ctx, dropped)
		}
	}()
	h.dropped(ctx, dropped)
}

func (h *handler) handleDiscover(ctx context.Context, buffer []byte, request *jsonrpc.Request, out *outcome) {
	out.ready = true
	if request.IsNotification() {
		return
	}
	document, err := h.discover()
	if err != nil {
		failure := h.guard.Outgoing(errmap.WithProcedure(ctx, string(request.Method)), err)
		h.failed(ctx, buffer, request, h.told(ctx, nil, err, failure), out)
		return
	}
	out.answer, out.shared = jsonrpc.BeginResult(buffer[:0], request.ID), document
}

// uncallable says why a method has no answer of one message; "" where it has.
func uncallable(spec connect.Spec, request *jsonrpc.Request) string {
	switch {
	case spec.StreamType == connect.StreamTypeUnary:
		return ""
	case spec.StreamType != connect.StreamTypeServer:
		return "streams requests, which JSON-RPC cannot carry"
	case request.IsNotification():
		return "answers with a stream, which a notification cannot have"
	}
	return "answers with a stream: call it alone, with an Accept that names " + typeEvents
}

// clientLeft reports whether the HTTP client is gone and the call ended with
// nothing else to say.
func clientLeft(r *http.Request, failure *errmap.Error) bool {
	return r.Context().Err() != nil && failure.Code() == code.Code_CANCELLED
}
