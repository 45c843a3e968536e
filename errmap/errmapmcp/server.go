package errmapmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/goexit"
)

// The range that JSON-RPC 2.0 section 5.1 reserves, and the domains whose
// protocols define numbers in it.
const (
	firstReserved = -32768
	lastReserved  = -32000
	domainMCP     = "modelcontextprotocol.io"
	domainA2A     = "a2a-protocol.org"
)

// ownCodes are the reserved codes that a server of MCP may send: those of JSON-RPC
// and of MCP 2026-07-28.
var ownCodes = []int64{
	jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
	mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities, mcp.CodeUnsupportedProtocolVersion,
}

// olderCodes are those that 2025-11-25 has besides.
var olderCodes = []int64{codeResourceNotFound, mcp.CodeURLElicitationRequired}

const (
	methodCallTool  = "tools/call"
	methodGetPrompt = "prompts/get"
)

// A ServerOption changes what InstallServer does.
type ServerOption interface{ applyServer(*serverErrors) }

type serverOption func(*serverErrors)

func (f serverOption) applyServer(s *serverErrors) { f(s) }

// WithGuard has g decide what callers may see of an error; the default is
// that of [errmap.NewGuard].
func WithGuard(g *errmap.Guard) ServerOption {
	return serverOption(func(s *serverErrors) { s.Guard = g })
}

// WithObserver has f told of each request that failed: see [errmap.Observer]. The
// procedure is the method of MCP; the failure of a tool, which is a result, counts, and
// what the SDK itself refuses before its handlers does not. The default, and nil, is
// nobody.
func WithObserver(f errmap.Observer) ServerOption {
	return serverOption(func(s *serverErrors) { s.Observer = f })
}

// WithCatalog names the errors that the server knows. The default is
// [errmap.Linked].
func WithCatalog(c *errmap.Catalog) ServerOption {
	return serverOption(func(s *serverErrors) { s.catalog = c })
}

// WithCodes names JSON-RPC codes that the server sends, such as those from
// a configuration, for InstallServer to check.
func WithCodes(codes ...int64) ServerOption {
	return serverOption(func(s *serverErrors) { s.codes = append(s.codes, codes...) })
}

// InstallServer makes the errors of a server errmap's, by a receiving middleware
// on it:
//
//   - An annotated message, an [*errmap.Error] and a [*jsonrpc.Error], wrapped or
//     not, keep code and data (docs/wire.md section 7 under the profile
//     of MCP).
//   - Any other error, and a panic, is hidden as the guard does it.
//   - An error of code NOT_FOUND that the reading of a resource fails with is sent
//     as -32602, or -32002 before 2026-07-28, with the URI in data, its own details
//     with it.
//   - The error of a tool becomes a result that says isError. Its text is written
//     for a model to act on: the message, what to change, whether to try again and
//     when. The error itself is in its _meta under [MetaKeyError], for
//     [FromResult]; its structured content stays what the tool's own schema says.
//     But a bare [*jsonrpc.Error] of a tool stays an error of the protocol.
//
// A tool that [mcp.AddTool] added, rather than AddTool of this package, keeps the
// SDK's handling of errors that are not made for callers: the SDK's own text for
// arguments that do not fit looks the same there.
//
// It refuses, with an error that names each, numbers of errors in the catalogue
// and codes of WithCodes that [CheckCode] refuses.
func InstallServer(server *mcp.Server, opts ...ServerOption) error {
	s := &serverErrors{catalog: errmap.Linked()}
	for _, opt := range opts {
		opt.applyServer(s)
	}
	if err := s.check(); err != nil {
		return err
	}
	server.AddReceivingMiddleware(s.receiving)
	return nil
}

// CheckCode tells whether an MCP server may choose a JSON-RPC code for an error
// of its own. It refuses 0, which is no error, and all of -32768 to -32000, where
// only JSON-RPC and MCP define codes (JSON-RPC 2.0 section 5.1).
func CheckCode(code int64) error {
	switch {
	case code == 0:
		return errors.New("errmapmcp: 0 is not the code of an error")
	case code >= firstReserved && code <= lastReserved:
		return fmt.Errorf("errmapmcp: the code %d is reserved: want one outside of %d to %d", code, firstReserved, lastReserved)
	}
	return nil
}

// ResourceNotFound returns the error of a resource that is not there, or that
// the caller may not see: -32602, or -32002 before 2026-07-28, with the URI in data.
func ResourceNotFound(uri string) error { return &mcpv1.ResourceNotFoundError{Uri: uri} }

// AddTool adds a tool as [mcp.AddTool] does. What its handler fails with is known
// to InstallServer as the handler's, so that an error that is not made for
// callers is hidden from them.
func AddTool[In, Out any](server *mcp.Server, tool *mcp.Tool, handler mcp.ToolHandlerFor[In, Out]) {
	mcp.AddTool(server, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		result, out, err := handler(ctx, req, in)
		if err != nil && bareWireError(err) == nil {
			err = &toolFailure{err}
		}
		return result, out, err
	})
}

// toolFailure is the error of a tool's handler.
type toolFailure struct{ err error }

// Error returns the text of the error.
func (f *toolFailure) Error() string { return f.err.Error() }

// Unwrap returns the error.
func (f *toolFailure) Unwrap() error { return f.err }

// serverErrors is what a server does with errors.
type serverErrors struct {
	adapter.Server
	catalog *errmap.Catalog
	codes   []int64
}

// check refuses codes that the server must not send.
func (s *serverErrors) check() error {
	var refused []error
	for _, code := range s.codes {
		refused = append(refused, CheckCode(code))
	}
	for _, d := range s.catalog.Definitions() {
		number, ok := d.JSONRPCCode()
		if !ok || d.Domain() == domainMCP || d.Domain() == domainA2A {
			continue // MCP's are its own, and A2A's are never written here
		}
		if err := CheckCode(int64(number)); err != nil {
			refused = append(refused, fmt.Errorf("%s: %w", d.FullName(), err))
		}
	}
	return errors.Join(refused...)
}

// receiving is the middleware on what the server receives. A handler that calls
// runtime.Goexit fails as one that panics does.
func (s *serverErrors) receiving(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		goexit.Contain(func() {
			returned := false
			defer func() {
				if value := adapter.Exit(recover(), returned); value != nil {
					result, err = s.failed(method, req, s.Panicked(ctx, method, errmap.WireJSONRPC, value))
				}
			}()
			result, err = next(ctx, method, req)
			returned = true
			result, err = s.answer(ctx, method, req, result, err)
		})
		return result, err
	}
}

// answer returns what a request is answered with, of what its handler returned.
func (s *serverErrors) answer(ctx context.Context, method string, req mcp.Request, result mcp.Result, err error) (mcp.Result, error) {
	if err == nil {
		if tool, ok := result.(*mcp.CallToolResult); ok && tool.IsError {
			return s.toolResult(ctx, req, tool), nil
		}
		return result, nil
	}
	if wire := wireFirst(err); wire != nil {
		s.told(ctx, method, err, wire, req)
		if method == methodCallTool && bareWireError(err) == nil {
			return s.newFailedResult(req, s.readWire(wire, profileOf(revisionOf(req)))), nil
		}
		return nil, s.legal(wire, method, profileOf(revisionOf(req)))
	}
	return s.failed(method, req, s.Outgoing(ctx, method, errmap.WireJSONRPC, err))
}

// told tells the observer of an error that is of JSON-RPC already.
func (s *serverErrors) told(ctx context.Context, method string, err error, wire *jsonrpc.Error, req mcp.Request) {
	if s.Observer != nil {
		sent := s.readWire(wire, profileOf(revisionOf(req)))
		s.Observer.Observe(ctx, errmap.Event{Procedure: method, Wire: errmap.WireJSONRPC, Err: err, Sent: sent})
	}
}

// failed returns what a request fails with: for a tool a result, else an error of
// the protocol.
func (s *serverErrors) failed(method string, req mcp.Request, e *errmap.Error) (mcp.Result, error) {
	if method == methodCallTool {
		return s.newFailedResult(req, e), nil
	}
	if method == methodReadResource && e.Code() == code.Code_NOT_FOUND && e.Domain() != domainMCP {
		e = missingResource(req, e)
	}
	return nil, s.wire(e, profileOf(revisionOf(req)))
}

// wire returns an error as the SDK sends it: bare, or the SDK would drop its
// data.
func (s *serverErrors) wire(e *errmap.Error, p errmap.Profile) *jsonrpc.Error {
	var wire jsonrpc.Error
	object := errmap.EncodeJSONRPC(e, p, errmap.WithCatalog(s.catalog))
	if err := json.Unmarshal(object, &wire); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
	}
	return &wire
}

// legal returns an error of the SDK's kind as the revision has it: with the code of
// an internal error where MCP does not allow the one it has, and in the newer form
// or the older one where the other revision has it.
func (s *serverErrors) legal(wire *jsonrpc.Error, method string, p errmap.Profile) *jsonrpc.Error {
	older := p == errmap.ProfileMCP20251125
	switch {
	case slices.Contains(olderCodes, wire.Code) && older:
		return wire
	case slices.Contains(olderCodes, wire.Code):
		return s.wire(s.readWire(wire, errmap.ProfileMCP20251125), p)
	case wire.Code == jsonrpc.CodeInvalidParams && method == methodReadResource && older:
		// The SDK answers an unknown URI alike in all revisions.
		if e := s.readWire(wire, errmap.ProfileMCP); e.Code() == code.Code_NOT_FOUND {
			return s.wire(e, p)
		}
		return wire
	case CheckCode(wire.Code) == nil || slices.Contains(ownCodes, wire.Code):
		return wire
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: wire.Message, Data: wire.Data}
}

// readWire reads an error of the SDK's kind.
func (s *serverErrors) readWire(wire *jsonrpc.Error, p errmap.Profile) *errmap.Error {
	object, err := json.Marshal(wire)
	if err != nil {
		return errmap.NewCode(code.Code_INTERNAL, wire.Message)
	}
	e, err := errmap.DecodeJSONRPC(object, p, errmap.WithCatalog(s.catalog))
	if err != nil {
		return errmap.NewCode(code.Code_INTERNAL, wire.Message)
	}
	return e
}

// missingResource returns the error that MCP has for a resource that is not
// there, with the details of e.
func missingResource(req mcp.Request, e *errmap.Error) *errmap.Error {
	params, ok := req.GetParams().(*mcp.ReadResourceParams)
	if !ok || params == nil {
		return e
	}
	status := errmap.New(&mcpv1.ResourceNotFoundError{Uri: params.URI}).WithMessage(e.Message()).Status()
	status.Details = append(status.Details, e.Status().GetDetails()...)
	missing, err := errmap.FromStatus(status)
	if err != nil {
		return e
	}
	return missing.WithCause(e)
}

// bareWireError returns err where it is an error of the SDK's kind itself, which
// the SDK takes for an error of the protocol.
func bareWireError(err error) *jsonrpc.Error {
	wire, _ := err.(*jsonrpc.Error) // as the SDK asks it
	return wire
}

// wireFirst returns the error of the SDK's kind that stands in a chain before
// anything that errmap knows; nil where none does.
func wireFirst(err error) *jsonrpc.Error {
	var wire *jsonrpc.Error
	firstKnown(err, func(link error) { wire = bareWireError(link) })
	return wire
}

// speaks tells whether anything in a chain is an error of errmap's.
func speaks(err error) bool {
	known := false
	firstKnown(err, func(error) { known = true })
	return known
}

// firstKnown calls found with the first link of a chain, depth first, that is an
// error of errmap's or of the SDK's kind, and tells whether there is one.
func firstKnown(err error, found func(link error)) bool {
	if err == nil {
		return false
	}
	if isKnown(err) {
		found(err)
		return true
	}
	switch wrapper := err.(type) { // a link, not a chain
	case interface{ Unwrap() error }:
		return firstKnown(wrapper.Unwrap(), found)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(wrapper.Unwrap(), func(member error) bool { return firstKnown(member, found) })
	}
	return false
}

func isKnown(link error) bool {
	switch l := link.(type) { // a link, not a chain
	case *errmap.Error, *jsonrpc.Error:
		return true
	case proto.Message:
		return errmap.New(l).Reason() != "" // New hides what is not annotated
	}
	return false
}
