package httpjson

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/deadline"
	"github.com/errmap/errmap/internal/goexit"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/negotiate"
	"github.com/errmap/errmap/internal/origin"
	"github.com/errmap/errmap/internal/register"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ProtocolName is what connect.CallInfo.Protocol says of a call that came in as
// HTTP+JSON.
const ProtocolName = errmapconnect.ProtocolNameHTTPJSON

// busyDelay is when one would try again for whom there was no room.
const busyDelay = time.Second

// ServeMux is what Mount needs of a [net/http.ServeMux].
type ServeMux interface {
	Handle(pattern string, handler http.Handler)
}

// Mount registers the handler of NewHandler on mux, under the pattern of
// WithPattern. The error is that of NewHandler, or says that mux refused the
// pattern, such as for one that is taken; nothing is registered then.
func Mount(mux ServeMux, server *connect.Server, opts ...Option) error {
	h, err := NewHandler(server, opts...)
	if err != nil {
		return err
	}
	if err := register.Handle(mux, newOptions(opts).pattern, h); err != nil {
		return fmt.Errorf("httpjson: %w", err)
	}
	return nil
}

// NewHandler returns a handler for the methods of server that have a
// google.api.http option. It fails, naming each mistake, where an option fits its
// method not, and where two bindings have the same method and path. Methods that
// are registered later have no binding. The handler is safe for concurrent use.
func NewHandler(server *connect.Server, opts ...Option) (http.Handler, error) {
	o := newOptions(opts)
	rule, err := origin.New(o.origins, o.hosts)
	if err != nil {
		return nil, fmt.Errorf("httpjson: %w", err)
	}
	h := &handler{options: o, rule: rule, server: server, held: inflight.New(int64(o.limits.HeldBytes)), writes: deadline.NewWriteWatch(o.times.Write)}
	h.errors = o.guard.With(errmap.WithRecognizer(errmapconnect.Recognize))
	h.mux = runtime.NewServeMux(
		runtime.WithDisableHTTPMethodOverride(),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithUnescapingMode(runtime.UnescapingModeAllExceptReserved),
		runtime.WithErrorHandler(h.badPath),
		runtime.WithRoutingErrorHandler(h.noRoute),
	)
	var mistakes []error
	taken := map[string]string{}
	for spec := range server.Specs() {
		all, err := bindings(spec)
		if err != nil {
			mistakes = append(mistakes, err)
		}
		for _, b := range all {
			route := b.method + " " + b.template
			if other, twice := taken[route]; twice {
				mistakes = append(mistakes, errors.New("httpjson: "+route+" is bound by both "+other+" and "+spec.Procedure))
				continue
			}
			taken[route] = spec.Procedure
			if err := h.mux.HandlePath(b.method, b.template, h.serve(b)); err != nil {
				mistakes = append(mistakes, errors.New("httpjson: "+route+" of "+spec.Procedure+": "+err.Error()))
			}
			h.methods = appendNew(h.methods, b.method)
		}
	}
	return h, errors.Join(mistakes...)
}

type handler struct {
	options
	server  *connect.Server
	mux     *runtime.ServeMux
	errors  *errmap.Guard
	methods []string // of HTTP, that any binding has
	rule    *origin.Rule
	calls   inflight.Slots
	streams inflight.Slots
	held    *inflight.Budget // of answers, and of bodies that were unpacked
	writes  *deadline.Watch
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor < 2 {
		h.serveHTTP(w, r)
		return
	}
	goexit.Serve(w, r, h.serveHTTP)
}

func (h *handler) serveHTTP(w http.ResponseWriter, r *http.Request) {
	inflight.Counts(w)
	defer h.writes.Finish(w)
	if err := h.rule.Check(r); err != nil && !origin.IsChecked(w) {
		h.fail(w, r, statusError(http.StatusForbidden, err.Error()))
		return
	}
	h.mux.ServeHTTP(&deadline.Writer{ResponseWriter: w, Watch: h.writes}, r)
}

// serve returns what answers the requests of one binding.
func (h *handler) serve(b binding) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, path map[string]string) {
		if found, probing := r.Context().Value(probeKey{}).(*bool); probing {
			*found = true
			return
		}
		if b.spec.StreamType == connect.StreamTypeServer && negotiate.Quality(r.Header.Values("Accept"), "text/event-stream") == 0 {
			h.refuse(w, r, b, errmap.NewCode(code.Code_INVALID_ARGUMENT, "the method answers with text/event-stream, which Accept excludes"))
			return
		}
		unbound := deadline.BoundReading(w, r, h.times.Read)
		unpacked := inflight.Unpacked{Budget: h.held, Request: r}
		weighed := int64(0)
		defer func() { h.held.Give(r, unpacked.Held); h.held.Give(r, weighed) }()
		body, refused := h.body(w, r, b, &unpacked)
		if refused == nil {
			weighed, refused = h.weigh(r, body)
		}
		if refused != nil {
			// The bound stays: net/http reads some of the rest of the body before
			// it answers, and that must end too.
			h.refuse(w, r, b, refused)
			return
		}
		unbound()
		ctx := r.Context()
		timeout, limited, err := deadline.Timeout(r.Header)
		if err != nil {
			h.refuse(w, r, b, errmap.NewCode(code.Code_INVALID_ARGUMENT, err.Error()))
			return
		}
		if limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		slots, limit, text := &h.calls, h.limits.Calls, "too many calls at the same time"
		if b.spec.StreamType == connect.StreamTypeServer {
			slots, limit, text = &h.streams, h.limits.Streams, "too many streams at the same time"
		}
		if !slots.Acquire(limit) {
			h.refuse(w, r, b, errmap.NewCode(code.Code_UNAVAILABLE, text))
			return
		}
		defer slots.Release()
		if !h.held.Room(r, b.size.Next()) {
			h.refuse(w, r, b, busy())
			return
		}
		s := &stream{handler: h, ctx: ctx, binding: b, w: w, r: r, path: path, body: body}
		defer func() {
			if s.exited != nil {
				// net/http ends the connection of HTTP/1 with the goroutine.
				if r.ProtoMajor < 2 {
					w.Header().Set("Connection", "close")
				}
				s.finish(s.exited)
				_ = http.NewResponseController(w).Flush()
			}
		}()
		s.call()
	}
}

// body reads the body of a request, where its binding has one.
func (h *handler) body(w http.ResponseWriter, r *http.Request, b binding, unpacked *inflight.Unpacked) ([]byte, *errmap.Error) {
	if b.body == "" {
		return nil, nil
	}
	if kind := r.Header.Get("Content-Type"); kind != "" || r.ContentLength != 0 {
		media, _, err := mime.ParseMediaType(kind)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, statusError(http.StatusUnsupportedMediaType, "the content type must be application/json")
		}
	}
	var source io.Reader = http.MaxBytesReader(w, r.Body, int64(h.limits.RequestBytes))
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unzipped, err := gzip.NewReader(source)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, unread(w, err)
		}
		if err != nil {
			return nil, errmap.NewCode(code.Code_INVALID_ARGUMENT, "the body is not gzip").WithCause(err)
		}
		unpacked.Source, source = unzipped, unpacked
	default:
		return nil, statusError(http.StatusUnsupportedMediaType, "the content encoding must be gzip or identity")
	}
	body, err := io.ReadAll(io.LimitReader(source, int64(h.limits.RequestBytes)+1))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) || len(body) > h.limits.RequestBytes {
		return nil, statusError(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	if errors.Is(err, inflight.ErrNoRoom) {
		return nil, busy()
	}
	if err != nil {
		return nil, unread(w, err)
	}
	return body, nil
}

// weigh counts what is made of a body.
func (h *handler) weigh(r *http.Request, body []byte) (weighed int64, refused *errmap.Error) {
	if len(body) <= inflight.Free {
		return 0, nil
	}
	values := inflight.Values(body)
	if values > h.limits.RequestValues {
		return 0, statusError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d values", h.limits.RequestValues))
	}
	weighed = h.held.Weighed(values)
	if !h.held.Take(r, weighed) {
		return 0, busy()
	}
	return weighed, nil
}

// What is said of a call whose answer has no room.
const (
	textBusy    = "too many answers wait for their callers"
	textLeftOut = "too many answers wait for their callers: the call was made, and its answer is left out"
)

// leftOut is the error of a call that was made. It has no delay: to try again would be to
// make the call twice.
func leftOut() *errmap.Error { return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textLeftOut) }

// busy is the error of a call that was not made.
func busy() *errmap.Error {
	return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textBusy).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(busyDelay)})
}

// unread is the error of a body that could not be read to its end.
func unread(w http.ResponseWriter, err error) *errmap.Error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.Header().Set("Connection", "close")
		return statusError(http.StatusRequestTimeout, "the body did not arrive in time")
	}
	return errmap.NewCode(code.Code_INVALID_ARGUMENT, "the body ended before it was whole").WithCause(err)
}

func (h *handler) badPath(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
	h.fail(w, r, errmap.NewCode(code.Code_INVALID_ARGUMENT, "the path has a malformed escape").WithCause(err))
}

func (h *handler) noRoute(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, status int) {
	text := "there is no such route"
	switch status {
	case http.StatusMethodNotAllowed:
		allowed := h.allowed(r)
		text = "the route has another method"
		if len(allowed) > 0 {
			text += ": want " + strings.Join(allowed, " or ")
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
	case http.StatusBadRequest:
		text = "the path is malformed"
	}
	if _, probing := r.Context().Value(probeKey{}).(*bool); probing {
		return
	}
	h.fail(w, r, statusError(status, text))
}

// probeKey marks a request that only asks whether a route is there.
type probeKey struct{}

// allowed returns the methods that the path of a request has bindings for.
func (h *handler) allowed(r *http.Request) []string {
	if _, probing := r.Context().Value(probeKey{}).(*bool); probing {
		return nil
	}
	var allowed []string
	for _, method := range h.methods {
		found := false
		probe := r.Clone(context.WithValue(r.Context(), probeKey{}, &found))
		probe.Method = method
		h.mux.ServeHTTP(discard{http.Header{}}, probe)
		if found {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// discard is the writer of a request that only asks.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// statusError is an error whose HTTP status is not the one of its code.
func statusError(status int, text string) *errmap.Error {
	e, err := errmap.DecodeHTTP(nil, errmap.WithHTTPStatus(status))
	if err != nil { // unreachable: the status is one of an error
		return errmap.NewCode(code.Code_INTERNAL, text)
	}
	return e.WithMessage(text)
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
