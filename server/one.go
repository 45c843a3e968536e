package server

import (
	"context"
	"net/http"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/jsonrpc"
	"github.com/errmap/errmap/internal/negotiate"
)

// outcome is what became of a request that was not refused by the envelope.
type outcome struct {
	answer []byte // nil for a notification, and for a caller that left
	number int64  // of the error, 0 for a result
	call   *call  // nil where no method was called
	left   bool
}

// serveOne answers a request that came alone.
func (h *handler) serveOne(ctx context.Context, w http.ResponseWriter, r *http.Request, x *exchange, request *jsonrpc.Request) {
	m := h.methods[string(request.Method)]
	if m != nil && request.Invalid == "" &&
		m.spec.StreamType == connect.StreamTypeServer && !request.IsNotification() &&
		negotiate.Quality(r.Header[headerAccept], typeEvents) > 0 {
		h.serveStream(ctx, w, r, h.newCall(r, request, m))
		return
	}
	done := h.handle(ctx, r, x.answer, request, m)
	if done.left {
		return
	}
	if done.call != nil {
		addHeaders(w.Header(), done.call.info.ResponseHeader(), "")
		addHeaders(w.Header(), done.call.info.ResponseTrailer(), trailerPrefix)
	}
	if done.answer == nil {
		h.accepted(w)
		return
	}
	x.answer = done.answer
	status := http.StatusOK
	if done.number != 0 {
		status = h.profile.HTTPStatus(done.number)
	}
	if !h.write(w, r, status, done.answer) {
		x.answer = nil
	}
}

// handle brings one request of a method, nil for one that is not known, to its
// end. The answer is made in buffer, or where
// that is too small in a new one.
func (h *handler) handle(ctx context.Context, r *http.Request, buffer []byte, request *jsonrpc.Request, m *method) outcome {
	if request.Invalid != "" {
		return h.refused(ctx, buffer, request, jsonrpc.CodeInvalidRequest, "Invalid Request: "+request.Invalid)
	}
	if string(request.Method) == DiscoverMethod && h.discover != nil {
		return h.handleDiscover(ctx, buffer, request)
	}
	if m == nil {
		return h.refused(ctx, buffer, request, jsonrpc.CodeMethodNotFound, "Method not found: "+clip(request.Method))
	}
	if reason := uncallable(m.spec, request); reason != "" {
		return h.refused(ctx, buffer, request, jsonrpc.CodeMethodNotFound, "Method not found: "+clip(request.Method)+" "+reason)
	}
	c := h.newCall(r, request, m)
	c.answer = buffer
	failure := c.run(ctx)
	switch {
	case request.IsNotification():
		if failure != nil {
			h.drop(ctx, request, failure)
		}
		return outcome{call: c}
	case failure == nil:
		return outcome{answer: c.answer, call: c}
	case clientLeft(r, failure):
		return outcome{left: true}
	}
	answer, number := h.appendFailure(c.answer[:0], request.ID, failure, h.limits.ResponseBytes)
	return outcome{answer: answer, number: number, call: c}
}

// refused is the outcome of a request that reaches no method.
func (h *handler) refused(ctx context.Context, buffer []byte, request *jsonrpc.Request, number int, message string) outcome {
	if request.IsNotification() {
		// What is no request is answered, so this is about the method.
		h.drop(ctx, request, errmap.NewCode(code.Code_UNIMPLEMENTED, message))
		return outcome{}
	}
	return outcome{answer: jsonrpc.AppendError(buffer[:0], h.id(request.ID), number, message), number: int64(number)}
}

// drop logs the failure of a notification. A log that panics must not take the
// other calls of a batch with it.
func (h *handler) drop(ctx context.Context, request *jsonrpc.Request, failure *errmap.Error) {
	dropped := Dropped{Method: string(request.Method), Err: failure}
	defer func() {
		if value := recover(); value != nil {
			logDropped(ctx, dropped)
		}
	}()
	h.dropped(ctx, dropped)
}

func (h *handler) handleDiscover(ctx context.Context, buffer []byte, request *jsonrpc.Request) outcome {
	if request.IsNotification() {
		return outcome{}
	}
	document, err := h.discover()
	if err != nil {
		answer, number := h.appendFailure(buffer[:0], request.ID, h.guard.Outgoing(errmap.WithProcedure(ctx, string(request.Method)), err), h.limits.ResponseBytes)
		return outcome{answer: answer, number: number}
	}
	return outcome{answer: jsonrpc.End(append(jsonrpc.BeginResult(buffer[:0], request.ID), document...))}
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
