package errmap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	procedures "github.com/errmap/errmap/internal/procedure"
	"github.com/errmap/errmap/internal/wire"
)

// Guard stands where errors leave a server and decides what their callers may
// see (docs/wire.md section 10). Only an error that the program made for the
// caller speaks: an annotated message, an *Error that is neither Remote nor
// Local or that was forwarded, and what the Recognizer of an adapter lets
// through. Any other goes out as INTERNAL with a fixed text, and goes whole to
// the log, with an id that the caller gets too, in a google.rpc.RequestInfo.
//
// A Guard is immutable and safe for concurrent use; a nil one has the defaults.
type Guard struct {
	log        func(context.Context, Report)
	hiddenText string
	debugInfo  bool
	hiddenCode [17]bool // by google.rpc.Code
	listBytes  int
	shutdown   <-chan struct{}
	undeclared UndeclaredAction
	recognize  []Recognizer
}

// A Report is what a Guard kept from a caller, or what it was told to watch.
type Report struct {
	// Err is the handler's error; for a panic, its value as an error.
	Err error
	// ID is the request id that the caller got.
	ID string
	// Procedure is what was called, as WithProcedure told it; "" where it is not
	// known.
	Procedure string
	// Stack is the stack of a panic, nil for an error.
	Stack []byte
	// Undeclared tells that the error is of a reason that its method does not declare:
	// see WithUndeclared. Where the ID is "", it was sent all the same.
	Undeclared bool
}

// WithProcedure returns a context that tells a Guard what was called, for its log.
// The adapters do so by themselves: with the full name of a method, such as
// "/shop.v1.Cart/Get", with the pattern of an HTTP handler or, without one, method
// and path, and with the method of A2A and MCP. An empty name leaves ctx as it is.
func WithProcedure(ctx context.Context, procedure string) context.Context {
	return procedures.With(ctx, procedure)
}

// A GuardOption changes a Guard.
type GuardOption interface{ applyGuard(*Guard) }

type guardOption func(*Guard)

func (f guardOption) applyGuard(g *Guard) { f(g) }

// NewGuard returns a Guard. Without options it logs to slog.Default.
func NewGuard(opts ...GuardOption) *Guard { return (*Guard)(nil).With(opts...) }

// With returns a Guard that is g, which may be nil, but for the options.
func (g *Guard) With(opts ...GuardOption) *Guard {
	if g == nil {
		g = new(Guard)
	}
	c := *g
	g = &c
	for _, opt := range opts {
		opt.applyGuard(g)
	}
	return g
}

// WithLog has f called with each error and each panic that is kept from a
// caller, in the goroutine of the call. The default logs to slog.Default.
func WithLog(f func(context.Context, Report)) GuardOption {
	return guardOption(func(g *Guard) { g.log = f })
}

// WithHiddenMessage sets the text of an error that is kept from its caller; the
// default is "internal error".
func WithHiddenMessage(text string) GuardOption {
	return guardOption(func(g *Guard) { g.hiddenText = text })
}

// WithDebugInfo lets google.rpc.DebugInfo details leave the server, and the members
// that peers put into their errors beside what their wires define, which may hold
// stacks just as well. The default takes both out of every error.
func WithDebugInfo() GuardOption { return guardOption(func(g *Guard) { g.debugInfo = true }) }

// WithHiddenCodes hides errors of those codes that have no identity, as if a handler had
// returned any other error: the caller gets INTERNAL, a fixed text and a request id, and
// the log gets the error. A service that exists and makes errors of database and network
// failures with the codes INTERNAL and UNKNOWN, text and all, names these two. An
// annotated message, or an error with a google.rpc.ErrorInfo, is not hidden.
func WithHiddenCodes(codes ...code.Code) GuardOption {
	return guardOption(func(g *Guard) {
		for _, c := range codes {
			if hub.Canonical(int32(c)) {
				g.hiddenCode[c] = true
			}
		}
	})
}

// DefaultListBytes is the room for lists in an error that leaves a server, in bytes,
// unless WithListBytes says otherwise: about a thousand violations.
const DefaultListBytes = 64 << 10

// WithListBytes sets how many bytes the lists in an error may take that leaves the
// server, all of them together and in Protobuf: the violations of BadRequest,
// PreconditionFailure and QuotaFailure, and the links of Help. What does not fit is cut
// from the end of its list, of which one element always stays; a note of the error that
// is sent, and a line in the log of slog.Default, say how many went. Zero means
// DefaultListBytes, a negative number no limit. In gRPC's headers errmap.WithBudget
// leaves less.
func WithListBytes(n int) GuardOption { return guardOption(func(g *Guard) { g.listBytes = n }) }

// WithShutdown names a channel that is closed when the server begins to shut
// down: a request that ends by cancellation afterwards is UNAVAILABLE, since its
// caller did not cancel it.
func WithShutdown(done <-chan struct{}) GuardOption {
	return guardOption(func(g *Guard) { g.shutdown = done })
}

// WithRecognizer adds what an adapter knows of its library's errors; nil adds nothing.
func WithRecognizer(f Recognizer) GuardOption {
	return guardOption(func(g *Guard) {
		if f != nil {
			g.recognize = append(slices.Clip(g.recognize), f)
		}
	})
}

// Outgoing returns what the caller of a request may see of a handler's error;
// nil for nil. ctx is the context of the request: only its own deadline or
// cancellation makes DEADLINE_EXCEEDED or CANCELLED of a context error.
func (g *Guard) Outgoing(ctx context.Context, err error) *Error {
	if err == nil {
		return nil
	}
	if g == nil {
		g = new(Guard)
	}
	if found := speakers(err, g.recognize, false); found.node != nil {
		if e := found.within(err); !g.hides(e) {
			return g.shorten(ctx, g.strip(g.declared(ctx, e, err)))
		}
		return g.hide(ctx, Report{Err: err})
	}
	if e := g.ended(ctx, err); e != nil {
		return e
	}
	return g.hide(ctx, Report{Err: unspoken(err)})
}

// hides tells whether an error is of a code that is hidden. What a guard hid already is
// not hidden twice.
func (g *Guard) hides(e *Error) bool {
	if !g.hiddenCode[e.Code()] {
		return false
	}
	if _, identified := e.identity(); identified {
		return false
	}
	return !slices.ContainsFunc(e.hub.Details, func(d hub.Detail) bool { return d.Is("google.rpc.RequestInfo") })
}

var errNilError = errors.New("a nil *errmap.Error was returned as an error; OK is no error")

// unspoken returns what the log is to have of an error that does not speak: the
// cause of one that stands for it, such as New makes of a message without the
// option.
func unspoken(err error) error {
	e, ok := as(err)
	switch {
	case ok && e == nil:
		return errNilError
	case ok && e.hub.Origin == hub.Hidden && e.cause != nil:
		return e.cause
	}
	return err
}

// Panicked returns what the caller of a request may see of a panic in its
// handler: nothing of its value, even where that is an error that would speak.
// Call it from the deferred function that recovers, so that the stack is the
// panic's.
func (g *Guard) Panicked(ctx context.Context, value any) *Error {
	err, ok := value.(error)
	if !ok {
		err = fmt.Errorf("%v", value)
	}
	if g == nil {
		g = new(Guard)
	}
	return g.hide(ctx, Report{Err: fmt.Errorf("panic: %w", err), Stack: debug.Stack()})
}

// ended returns the error of a request that is over, where err tells no more
// than that.
func (g *Guard) ended(ctx context.Context, err error) *Error {
	if ctx.Err() == nil || !is(err, context.Canceled) && !is(err, context.DeadlineExceeded) {
		return nil
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return deadlineExceeded(err)
	case g.shuttingDown():
		return NewCode(code.Code_UNAVAILABLE, "the server is shutting down").WithCause(err)
	}
	return canceled(err)
}

func (g *Guard) shuttingDown() bool {
	select {
	case <-g.shutdown:
		return true
	default:
		return false
	}
}

func (g *Guard) hide(ctx context.Context, r Report) *Error {
	r.ID = rand.Text()
	r.Procedure = procedures.Of(ctx)
	g.report(ctx, r)
	e := hidden(r.Err)
	e.hub.Origin = hub.Made // what it is to say, a guard decided
	if g.hiddenText != "" {
		e.hub.Message = jsontree.Clean(g.hiddenText)
	}
	return e.WithDetail(&errdetails.RequestInfo{RequestId: r.ID})
}

// report calls the log. A log that panics must not take the answer with it.
func (g *Guard) report(ctx context.Context, r Report) {
	if g.log == nil {
		logReport(ctx, r)
		return
	}
	defer func() {
		if value := recover(); value != nil {
			slog.ErrorContext(ctx, "the log of errors panicked", "panic", fmt.Sprint(value))
			logReport(ctx, r)
		}
	}()
	g.log(ctx, r)
}

// strip takes out what must not leave: DebugInfo and, with it, the members that a peer
// sent, in which frameworks put stacks; and of the program's own failed call all text,
// which names addresses, be it in the message or in what the answer of an
// intermediary held beside it.
func (g *Guard) strip(e *Error) *Error {
	if e.hub.Origin == hub.Local {
		e = e.WithMessage(strings.ToLower(strings.ReplaceAll(e.Code().String(), "_", " "))).changed(func(c *Error) {
			c.hub.Received = nil
			c.hub.Details = slices.DeleteFunc(slices.Clone(c.hub.Details), func(d hub.Detail) bool { return d.IsJSON() || !d.Is(hub.NameRetryInfo) })
		})
	}
	if g.debugInfo {
		return e
	}
	left := wire.WithoutDebug(&e.hub, e.known().schema())
	if left == &e.hub {
		return e
	}
	return e.changed(func(c *Error) { c.hub = *left })
}

// shorten cuts long lists. An error that a guard makes itself has none.
func (g *Guard) shorten(ctx context.Context, e *Error) *Error {
	most := g.listBytes
	switch {
	case most < 0:
		return e
	case most == 0:
		most = DefaultListBytes
	}
	short := wire.Shorten(&e.hub, e.known().schema(), most)
	if short == &e.hub {
		return e
	}
	slog.WarnContext(ctx, "lists of an error were cut", "procedure", procedures.Of(ctx), "notes", []string(short.Notes[len(e.hub.Notes):]))
	return e.changed(func(c *Error) { c.hub = *short })
}

func logReport(ctx context.Context, r Report) {
	attrs := []slog.Attr{slog.String("request_id", r.ID), slog.String("error", fmt.Sprint(r.Err))} // Sprint survives a nil pointer
	if r.Procedure != "" {
		attrs = append(attrs, slog.String("procedure", r.Procedure))
	}
	if r.Stack != nil {
		attrs = append(attrs, slog.String("stack", string(r.Stack)))
	}
	if r.Undeclared && r.ID == "" {
		slog.LogAttrs(ctx, slog.LevelWarn, "undeclared error sent", attrs[1:]...)
		return
	}
	slog.LogAttrs(ctx, slog.LevelError, "error kept from the caller", attrs...)
}
