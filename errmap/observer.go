package errmap

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// Side is the side of a call that an Event is of.
type Side int

// The sides of a call. The zero Side is that of a server.
const (
	ServerSide Side = iota
	ClientSide
)

// String returns "server" or "client".
func (s Side) String() string {
	if s == ClientSide {
		return "client"
	}
	return "server"
}

// An Event is a call that failed, as an Observer is told of it. Fields may be added.
type Event struct {
	// Procedure is what was called: the full name of a method, such as
	// "/shop.v1.Cart/Get", or what WithProcedure says of other calls; "" where it is
	// not known.
	Procedure string
	// Wire is that which the error was sent or received on: WireGRPC for gRPC-Web
	// too, WireStatus for a call within the process, and 0 where it is not known.
	Wire Wire
	// Side tells whether the call was served or made.
	Side Side
	// Err is, on a server, what the handler returned, before the Guard; of a panic its
	// value as an error. It may hold what no caller is to see. On a client it is the
	// error that the program gets.
	Err error
	// Sent is, on a server, what the caller gets, after the Guard; on a client what
	// was received, or, where that is Local, what this side made of a call that
	// failed without an answer. It is never nil.
	Sent *Error
	// RequestID is the id of the google.rpc.RequestInfo in Sent; of an error that was
	// hidden it is that of the Report, which logs have too. "" where there is none.
	RequestID string
	// Attempt counts the attempts at a call: 1 unless what makes them tells.
	Attempt int
}

// An Observer is told of each call that failed, once, when its answer is decided, in
// the goroutine of the call, so it should not wait; it is called from several at once.
// A nil one is told of nothing and costs nothing. It changes nothing: neither what it
// returns, nor its panic, which is logged, reaches the answer.
//
// Every adapter, mount and client has an option WithObserver for one. Use it for
// metrics and telemetry of errors, to check that a method returns only errors that it
// declares, or to see what a Guard would do before callers depend on it. What is kept
// from callers is logged without it: see WithLog. An observer that is given to a
// server's interceptor and to its mount is told of a call by both.
type Observer func(ctx context.Context, e Event)

// Observe tells an observer, which may be nil, of a call that failed. It fills in what
// e leaves out and Sent has: an Err that is nil, RequestID, and the Attempt. Only
// those need it who write an adapter.
func (f Observer) Observe(ctx context.Context, e Event) {
	if f != nil && (e.Sent != nil || e.Err != nil) {
		f.tell(ctx, e)
	}
}

func (f Observer) tell(ctx context.Context, e Event) {
	defer func() {
		if value := recover(); value != nil {
			slog.ErrorContext(ctx, "the observer of errors panicked", "panic", fmt.Sprint(value))
		}
	}()
	if e.Sent == nil {
		e.Sent = From(e.Err)
	}
	if e.Err == nil {
		e.Err = e.Sent
		if cause := e.Sent.Unwrap(); cause != nil {
			e.Err = cause
		}
	}
	if info, ok := Detail[*errdetails.RequestInfo](e.Sent); ok && e.RequestID == "" {
		e.RequestID = info.GetRequestId()
	}
	e.Attempt = max(e.Attempt, 1)
	f(ctx, e)
}
