package errmapmcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/errmap/errmap/errmap"
)

type evidenceKey struct{}

// evidence is what is known of one request of the client besides the error that
// the SDK makes of it. It travels in the request's context.
type evidence struct {
	maxMessage int   // 0 for no cap
	link       *link // nil where the session is not known
	connecting bool  // there is no request yet, a transport connects

	mu      sync.Mutex
	sealed  bool
	sent    bool
	last    *exchange
	open    int    // bodies that the SDK still reads
	within  string // the session that the request was sent in last
	finish  func()
	unpend  func()
	emptied bool // the result had an empty cursor
	asks    bool // the result had requests for input, or a state
	// resultType is what the result said it is, nil where it said nothing.
	resultType jsonValue
}

func withEvidence(ctx context.Context, ev *evidence) context.Context {
	return context.WithValue(ctx, evidenceKey{}, ev)
}

func evidenceOf(ctx context.Context) *evidence {
	ev, _ := ctx.Value(evidenceKey{}).(*evidence)
	return ev
}

// use calls f unless the request is over.
func (ev *evidence) use(f func()) bool {
	if ev == nil {
		return false
	}
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if !ev.sealed {
		f()
	}
	return !ev.sealed
}

// seal ends the request. finish is called once no body of it is open.
func (ev *evidence) seal(finish func()) {
	ev.mu.Lock()
	ev.sealed = true
	unpend, now := ev.unpend, ev.open == 0
	if !now {
		ev.finish = finish
	}
	ev.mu.Unlock()
	if unpend != nil {
		unpend()
	}
	if now {
		finish()
	}
}

func (ev *evidence) opened() {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.open++
}

func (ev *evidence) closed() {
	ev.mu.Lock()
	ev.open--
	finish := ev.finish
	now := finish != nil && ev.open == 0
	ev.mu.Unlock()
	if now {
		finish()
	}
}

// exchange is one HTTP request and its response. The members are written before
// the SDK sees what they tell of, and read when the SDK has returned.
type exchange struct {
	ev     *evidence
	id     []byte // of the JSON-RPC request, nil for a notification
	resume bool   // the request resumes a stream of events

	mu          sync.Mutex
	written     bool // the request
	status      int
	header      http.Header
	received    time.Time
	session     string
	object      []byte
	answered    bool
	problem     Reason
	contentType string
	tooLarge    *Error
	failure     error  // of the round trip or of reading the body
	gone        []byte // the JSON-RPC error by which the server said that the session is lost
	renewal     error  // why the session could not be renewed
	cut         bool   // the body of a bad status broke off
	overdue     bool   // the deadline of the request had passed by then
}

func (x *exchange) note(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// failed takes in the error of the round trip or of reading the body.
func (x *exchange) failed(ctx context.Context, err error) {
	// The context of an http.Client's own timeout may end a moment after the
	// request that the client cancels for it.
	deadline, has := ctx.Deadline()
	x.note(func() {
		x.failure = err
		x.overdue = has && !time.Now().Before(deadline)
	})
}

// verdict returns the error that the exchange was, nil where it tells of none.
// cause is the SDK's error.
func (x *exchange) verdict(cause error) *Error {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.tooLarge != nil:
		return x.tooLarge
	case x.object != nil:
		var delay *time.Duration
		if d, ok := x.retryDelay(); ok {
			delay = &d
		}
		// No cause: the SDK takes some codes of servers for its own.
		return fromRPCError(x.object, delay, append(x.challenge(), WithData(DataHTTPStatus, x.status))...)
	case x.bad():
		return x.badStatus(cause)
	case x.problem != "":
		opts := []ErrorOption{WithCause(cause), WithData(DataHTTPStatus, x.status)}
		if x.contentType != "" {
			opts = append(opts, WithData(DataContentType, bounded(x.contentType)))
		}
		return newError(KindProtocol, x.problem, opts...)
	case x.failure == nil:
		return nil
	}
	e := ioError(x.failure, x.overdue)
	if e.kind == KindTransport && (x.written || x.status != 0) {
		// HTTP/2 has errors of its own for the end of a stream or a connection.
		return newError(KindConnectionDown, ReasonReset, WithCause(x.failure))
	}
	return e
}

func (x *exchange) isAnswered() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.answered
}

// bad tells whether the status says that the request failed. The stream of a
// request that is under way is resumed or lost: of the statuses of that only
// those count which say more.
func (x *exchange) bad() bool {
	switch {
	case x.status == 0 || x.status >= 200 && x.status < 300:
		return false
	case x.resume:
		return x.status == http.StatusUnauthorized || x.status == http.StatusForbidden || x.expired()
	}
	return true
}

func (x *exchange) expired() bool { return x.status == http.StatusNotFound && x.session != "" }

func (x *exchange) badStatus(cause error) *Error {
	opts := []ErrorOption{WithCause(cause), WithData(DataHTTPStatus, x.status)}
	if d, ok := x.retryDelay(); ok {
		opts = append(opts, WithRetryDelay(d))
	}
	kind := KindTransport
	switch {
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		kind = KindAuth
		opts = append(opts, x.challenge()...)
	case x.status == http.StatusTooManyRequests:
		kind = KindRateLimited
	case x.expired() && x.resume:
		// The server may have run the request, whose answer went with the session.
		return newError(KindConnectionDown, ReasonSession, opts...)
	case x.expired():
		kind = KindSessionExpired
		opts = append(opts, WithData(DataSession, NewSecret(x.ev.link.sessionID(x.session))))
		if x.renewal != nil {
			opts = append(opts, WithCause(x.renewal))
		}
		if x.gone != nil {
			opts = append(opts, WithData(DataError, json.RawMessage(x.gone)))
		}
	case x.cut: // what it was to say is not known
		return newError(KindConnectionDown, ReasonEOF, opts...)
	}
	return newError(kind, NewReason(tokenHTTP, int64(x.status)), opts...)
}

// challenge returns the data that the challenge of the server is.
func (x *exchange) challenge() []ErrorOption {
	var opts []ErrorOption
	if challenge := strings.Join(x.header.Values("Www-Authenticate"), ", "); challenge != "" {
		opts = append(opts, WithData(DataChallenge, bounded(challenge)))
	}
	if scope := scopeOf(x.header); scope != "" {
		opts = append(opts, WithData(DataScope, bounded(scope)))
	}
	return opts
}

func (x *exchange) retryDelay() (time.Duration, bool) {
	value := x.header.Get("Retry-After")
	if value == "" {
		return 0, false
	}
	return errmap.ParseRetryAfter(value, x.received)
}

// scopeOf returns the scope of the first Bearer challenge that names one.
func scopeOf(header http.Header) string {
	challenges, err := oauthex.ParseWWWAuthenticate(header.Values("Www-Authenticate"))
	if err != nil {
		return ""
	}
	for _, challenge := range challenges {
		if scope := challenge.Params["scope"]; scope != "" && challenge.Scheme == "bearer" {
			return scope
		}
	}
	return ""
}

// ioError returns what an error of a connection is. overdue tells that a deadline
// of the request had passed when it came.
func ioError(err error, overdue bool) *Error {
	if e := inChain(err); e != nil {
		return e
	}
	if overdue || errors.Is(err, context.DeadlineExceeded) {
		return newError(KindTimeout, ReasonDeadline, WithCause(err))
	}
	cause := WithCause(err)
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return newError(KindTransport, ReasonDNS, cause)
	}
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case isOp && op.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED):
		return newError(KindTransport, ReasonRefused, cause)
	case isOp && op.Op == "dial":
		return newError(KindTransport, ReasonDial, cause)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return newError(KindTimeout, ReasonDeadline, cause)
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return newError(KindConnectionDown, ReasonReset, cause)
	case ended(err) || isOp && (op.Op == "read" || op.Op == "write"):
		return newError(KindConnectionDown, ReasonEOF, cause)
	}
	return newError(KindTransport, ReasonFailed, cause)
}

// ended tells whether an error says that a connection is over.
func ended(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
