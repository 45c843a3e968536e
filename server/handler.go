package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/deadline"
	"github.com/errmap/errmap/internal/goexit"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/jsonrpc"
	"github.com/errmap/errmap/internal/loglimit"
	"github.com/errmap/errmap/internal/origin"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"

	headerAccept          = "Accept"
	headerAcceptEncoding  = "Accept-Encoding"
	headerAcceptPost      = "Accept-Post"
	headerAllow           = "Allow"
	headerContentEncoding = "Content-Encoding"
	headerContentLength   = "Content-Length"
	headerContentType     = "Content-Type"

	maxPooledBytes = 64 << 10
	maxEchoBytes   = 128
)

// handler serves the methods of a server as JSON-RPC.
type handler struct {
	*options
	server    *connect.Server
	methods   map[string]*method
	guard     *errmap.Guard
	rules     jsonrpc.Rules
	marshal   protojson.MarshalOptions
	unmarshal protojson.UnmarshalOptions
	discover  func() ([]byte, error)
	calls     inflight.Slots // that run
	streams   inflight.Slots
	rule      *origin.Rule
	held      *inflight.Budget // of answers, and of bodies that were unpacked
	reads     *deadline.Watch
	writes    *deadline.Watch
	log       *loglimit.Limiter
	exchanges sync.Pool
}

// exchange is what one HTTP request needs while it is served.
type exchange struct {
	parser   jsonrpc.Parser
	reading  deadline.Span
	writing  deadline.Span
	coding   string // of the body as it came
	body     []byte
	unpacked inflight.Unpacked // the body as it is read, where it is compressed
	weighed  int64             // bytes that are counted for what is made of the body
	answer   []byte
	ended    bool // without a panic, after which something may still use the buffers
}

func newHandler(server *connect.Server, o *options) (*handler, error) {
	methods, err := nameMethods(server, o.names, o.catalog)
	if err != nil {
		return nil, err
	}
	var rules []origin.Option
	if o.profile.ChecksOrigins() {
		rules = append(rules, origin.EveryOrigin())
	}
	rule, err := origin.New(o.origins, o.hosts, rules...)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	h := &handler{
		options: o,
		server:  server,
		methods: methods,
		rule:    rule,
		guard:   o.guard.With(errmap.WithRecognizer(errmapconnect.Recognize)),
		rules:   jsonrpc.Rules{MaxDepth: o.limits.Depth, MaxItems: o.limits.BatchItems},
		// Clients and servers are not always of the same version of a schema.
		unmarshal: protojson.UnmarshalOptions{DiscardUnknown: true},
	}
	if o.profile.RefusesBatches() {
		h.rules.Batches = jsonrpc.BatchesRefused
	}
	if o.profile.RefusesNullIDs() {
		h.rules.NullIDs = jsonrpc.NullIDsRefused
	}
	if o.catalog != nil {
		h.marshal.Resolver, h.unmarshal.Resolver = o.catalog, o.catalog
		h.encoding = append([]errmap.EncodeOption{errmap.WithCatalog(o.catalog)}, o.encoding...)
	}
	if o.discovery != nil {
		h.discover = sync.OnceValues(func() ([]byte, error) {
			document, err := describeAPI(h)
			return jsonrpc.End(document), err
		})
	}
	h.reads, h.writes = deadline.NewReadWatch(o.times.Read), deadline.NewWriteWatch(o.times.Write)
	h.held, h.log = inflight.New(int64(o.limits.HeldBytes)), loglimit.New()
	if o.dropped == nil {
		o.dropped = h.logDropped
	}
	h.exchanges.New = func() any { return new(exchange) }
	return h, nil
}

// ServeHTTP implements [net/http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor < 2 {
		h.serveHTTP(w, r)
		return
	}
	goexit.Serve(w, r, h.serveHTTP)
}

func (h *handler) serveHTTP(w http.ResponseWriter, r *http.Request) {
	inflight.Counts(w)
	x := h.exchanges.Get().(*exchange) //nolint:errcheck,forcetypeassert // the pool holds nothing else
	x.ended = false
	defer h.release(r, x)
	h.reads.Begin(&x.reading, w, r)
	h.serve(w, r, x)
	x.ended = true
}

// serve answers a request.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, x *exchange) {
	x.coding = first(r.Header[headerContentEncoding])
	refusal := h.admit(w, r, x.coding)
	if refusal == nil {
		refusal = h.read(r, x)
	}
	if refusal != nil {
		// net/http reads some of the rest of the body before it answers, and that
		// must end too.
		h.reads.Keep(&x.reading)
		h.refuse(w, r, x, refusal)
		return
	}
	h.reads.End(&x.reading)
	requests, err := x.parser.ParseRequests(x.body, h.rules)
	if err != nil {
		h.refuse(w, r, x, h.unreadable(err))
		return
	}
	ctx := r.Context()
	timeout, limited, err := deadline.Timeout(r.Header)
	if err != nil {
		var id jsonrpc.ID
		if !requests.Batch {
			id = requests.Items[0].ID
		}
		h.refuse(w, r, x, h.invalid("Invalid Request: "+err.Error(), id))
		return
	}
	if limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if requests.Batch {
		h.serveBatch(ctx, w, r, x, requests.Items)
		return
	}
	h.serveOne(ctx, w, r, x, &requests.Items[0])
}

func (h *handler) release(r *http.Request, x *exchange) {
	if x.unpacked.Source != nil {
		h.held.Give(r, x.unpacked.Held)
		x.unpacked = inflight.Unpacked{}
	}
	h.held.Give(r, x.weighed)
	x.weighed = 0
	h.reads.End(&x.reading) // where reading the body panicked
	// One large request must not keep its memory for the life of the pool.
	if !x.ended || cap(x.body) > maxPooledBytes || cap(x.answer) > maxPooledBytes {
		return
	}
	h.exchanges.Put(x)
}

// refusal is the answer to a request that reaches no method.
type refusal struct {
	status  int
	number  int
	message string
	id      jsonrpc.ID
	header  [2]string
	silent  bool
	failure *errmap.Error // in place of number and message
}

// admit looks at what HTTP says of the request.
func (h *handler) admit(w http.ResponseWriter, r *http.Request, coding string) *refusal {
	if err := h.rule.Check(r); err != nil && !origin.IsChecked(w) {
		return h.refusal(http.StatusForbidden, err.Error(), "", "")
	}
	if r.Method != http.MethodPost {
		return h.refusal(http.StatusMethodNotAllowed, "the HTTP method must be POST", headerAllow, http.MethodPost)
	}
	if len(r.Header) > h.limits.Headers {
		return h.refusal(http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("there are more than %d headers", h.limits.Headers), "", "")
	}
	if !isJSON(first(r.Header[headerContentType])) {
		return h.refusal(http.StatusUnsupportedMediaType, "the content type must be "+typeJSON, headerAcceptPost, typeJSON)
	}
	if !isIdentity(coding) && h.compressor(coding) == nil {
		names := h.compressorNames()
		return h.refusal(http.StatusUnsupportedMediaType, "the content encoding must be one of: "+names, headerAcceptEncoding, names)
	}
	return nil
}

// read reads the body into x.
func (h *handler) read(r *http.Request, x *exchange) *refusal {
	x.body = x.body[:0]
	if r.ContentLength == 0 {
		return nil
	}
	if r.ContentLength > int64(h.limits.RequestBytes) {
		return h.tooLarge()
	}
	source := io.Reader(r.Body)
	if compressor := h.compressor(x.coding); compressor != nil {
		opened, err := compressor.Decompress(r.Body)
		if err != nil {
			return h.undecodable(r, err)
		}
		defer opened.Close()
		x.unpacked = inflight.Unpacked{Source: opened, Budget: h.held, Request: r}
		source = &x.unpacked
	}
	var err error
	x.body, err = jsonrpc.ReadBody(x.body, source, h.limits.RequestBytes)
	_, limited := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil:
		return h.weigh(r, x)
	case limited, errors.Is(err, jsonrpc.ErrTooLarge):
		return h.tooLarge()
	case errors.Is(err, inflight.ErrNoRoom):
		return &refusal{id: h.id(nil), failure: busy()}
	}
	return h.undecodable(r, err)
}

// weigh counts what is made of a body.
func (h *handler) weigh(r *http.Request, x *exchange) *refusal {
	if len(x.body) <= inflight.Free {
		return nil
	}
	values := inflight.Values(x.body)
	if values > h.limits.RequestValues {
		return h.refusal(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d values", h.limits.RequestValues), "", "")
	}
	weighed := h.held.Weighed(values)
	if !h.held.Take(r, weighed) {
		return &refusal{id: h.id(nil), failure: busy()}
	}
	x.weighed = weighed
	return nil
}

func (h *handler) tooLarge() *refusal {
	return h.refusal(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", h.limits.RequestBytes), "", "")
}

// undecodable is the refusal of a body that could not be read to its end.
func (h *handler) undecodable(r *http.Request, err error) *refusal {
	switch {
	// net/http cancels the request for any failure to read, this one too.
	case errors.Is(err, os.ErrDeadlineExceeded):
		return h.refusal(http.StatusRequestTimeout, "the body did not arrive in time", "Connection", "close")
	case r.Context().Err() != nil:
		return &refusal{silent: true}
	}
	return h.unreadable(&jsonrpc.Error{
		Code: jsonrpc.CodeParseError, Message: "Parse error: the body could not be read", ID: jsonrpc.NullID(),
	})
}

// refusal is an invalid request with an HTTP status of its own.
func (h *handler) refusal(status int, message, key, value string) *refusal {
	return &refusal{
		status: status, number: jsonrpc.CodeInvalidRequest, message: "Invalid Request: " + message,
		id: h.id(nil), header: [2]string{key, value},
	}
}

// unreadable is the refusal of a body that is no envelope.
func (h *handler) unreadable(err error) *refusal {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		refused = &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error", ID: jsonrpc.NullID()}
	}
	id := refused.ID
	if id.IsNull() {
		id = h.id(nil)
	}
	return &refusal{status: h.profile.HTTPStatus(int64(refused.Code)), number: refused.Code, message: refused.Message, id: id}
}

// invalid is the refusal of an envelope for what else came with it.
func (h *handler) invalid(message string, id jsonrpc.ID) *refusal {
	status := h.profile.HTTPStatus(jsonrpc.CodeInvalidRequest)
	return &refusal{status: status, number: jsonrpc.CodeInvalidRequest, message: message, id: h.id(id)}
}

// refuse writes a refusal. What of the body was not read is left to net/http,
// which reads a little and else closes the connection.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, x *exchange, f *refusal) {
	if f.silent {
		return
	}
	if f.header[0] != "" {
		w.Header().Set(f.header[0], f.header[1])
	}
	if f.failure != nil {
		answer, number := h.appendFailure(nil, f.id, f.failure, h.limits.ResponseBytes)
		h.write(w, r, x, h.profile.HTTPStatus(number), answer, nil)
		return
	}
	h.write(w, r, x, f.status, jsonrpc.AppendError(nil, f.id, f.number, f.message), nil)
}

// id is the id of an answer: where none could be read, null, or none under a profile
// that has no null ids.
func (h *handler) id(id jsonrpc.ID) jsonrpc.ID {
	if id != nil || h.profile.RefusesNullIDs() {
		return id
	}
	return jsonrpc.NullID()
}

// accepted answers a request that has no answer.
func (h *handler) accepted(w http.ResponseWriter) { w.WriteHeader(h.profile.AcceptedStatus()) }

// isJSON reports whether a content type is JSON in UTF-8. The other two names
// are those of the older drafts of JSON-RPC over HTTP.
func isJSON(contentType string) bool {
	if contentType == typeJSON {
		return true
	}
	name, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	switch name {
	case typeJSON, "application/json-rpc", "application/jsonrequest":
		return true
	}
	return false
}

// first is the first value of a header, "" where there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// clip shortens a peer's text for a message.
func clip(text []byte) string {
	if len(text) <= maxEchoBytes {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:maxEchoBytes]), "") + "…"
}
