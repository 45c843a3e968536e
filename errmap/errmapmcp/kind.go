package errmapmcp

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// The kinds, in their order. What each means for a program is in docs/mcp.md.
const (
	// KindTimeout says that a deadline passed: the caller's or that of the
	// http.Client.
	KindTimeout = Kind(mcpv1.Kind_KIND_TIMEOUT)
	// KindTransport says that the transport failed: a refused connection, a
	// name that does not resolve, a bad HTTP status.
	KindTransport = Kind(mcpv1.Kind_KIND_TRANSPORT)
	// KindProtocol says that the peer broke the protocol, or answered with a
	// JSON-RPC error.
	KindProtocol = Kind(mcpv1.Kind_KIND_PROTOCOL)
	// KindDenied says that the local policy or an approver refused.
	KindDenied = Kind(mcpv1.Kind_KIND_DENIED)
	// KindNotFound says that the tool, resource or prompt is hidden or unknown.
	KindNotFound = Kind(mcpv1.Kind_KIND_NOT_FOUND)
	// KindHook says that a hook before or after the call failed.
	KindHook = Kind(mcpv1.Kind_KIND_HOOK)
	// KindUnavailable says that the connection was gone before the request was
	// sent.
	KindUnavailable = Kind(mcpv1.Kind_KIND_UNAVAILABLE)
	// KindClosed says that the client was closed.
	KindClosed = Kind(mcpv1.Kind_KIND_CLOSED)
	// KindOverloaded says that a local limit was reached: on calls in flight,
	// on waiting calls or on stdio servers.
	KindOverloaded = Kind(mcpv1.Kind_KIND_OVERLOADED)
	// KindInputHandler says that a handler of the client failed during a
	// multi-round-trip request.
	KindInputHandler = Kind(mcpv1.Kind_KIND_INPUT_HANDLER)
	// KindAuth says that authorization is required or failed.
	KindAuth = Kind(mcpv1.Kind_KIND_AUTH)
	// KindRateLimited says that the server or a local limiter rejected the
	// request.
	KindRateLimited = Kind(mcpv1.Kind_KIND_RATE_LIMITED)
	// KindSessionExpired says that a legacy session ended and could not be
	// renewed.
	KindSessionExpired = Kind(mcpv1.Kind_KIND_SESSION_EXPIRED)
	// KindMRTRRoundLimit says that a multi-round-trip loop hit its cap of
	// rounds, inputs or state.
	KindMRTRRoundLimit = Kind(mcpv1.Kind_KIND_MRTR_ROUND_LIMIT)
	// KindPaginationCycle says that a cursor repeated, or that the cap of pages
	// was hit.
	KindPaginationCycle = Kind(mcpv1.Kind_KIND_PAGINATION_CYCLE)
	// KindMessageTooLarge says that a message was over the byte cap.
	KindMessageTooLarge = Kind(mcpv1.Kind_KIND_MESSAGE_TOO_LARGE)
	// KindConnectionDown says that the connection exited while the request was
	// under way.
	KindConnectionDown = Kind(mcpv1.Kind_KIND_CONNECTION_DOWN)
)

// Domain is the domain of the ErrorInfo that says a kind on a wire.
const Domain = "mcp-client.errmap.github.io"

// Kind is one of the seventeen ways in which an MCP client fails. The set is
// closed. A Kind is an error only so that errors.Is(err, KindTimeout) can be
// asked; what a client returns is an [*Error]. The zero Kind is none.
type Kind int32

// Kinds returns all kinds in their order.
func Kinds() []Kind {
	kinds := make([]Kind, len(kindTable())-1)
	for i := range kinds {
		kinds[i] = Kind(i + 1)
	}
	return kinds
}

// ParseKind returns the kind of a name such as "rate_limited". Its error lists
// the names.
func ParseKind(name string) (Kind, error) {
	for _, k := range Kinds() {
		if k.String() == name {
			return k, nil
		}
	}
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.String())
	}
	return 0, fmt.Errorf("errmapmcp: unknown kind %q: want one of %s", name, strings.Join(names, ", "))
}

// String returns the name of the kind: its name in the schema in lower case,
// such as "rate_limited"; "kind 42" for a number that is no kind.
func (k Kind) String() string {
	if !k.known() {
		return fmt.Sprintf("kind %d", int32(k))
	}
	return kindTable()[k].name
}

// Error returns the name of the kind, so that it prints like that too.
func (k Kind) Error() string { return k.String() }

// Definition returns what every error of the kind shares: its google.rpc.Code,
// its domain and reason, its title, and whether to retry. It is nil for a number
// that is no kind.
func (k Kind) Definition() *errmap.Definition {
	if !k.known() {
		return nil
	}
	return kindTable()[k].definition
}

// Code returns the google.rpc.Code of the kind, OK for a number that is no kind.
func (k Kind) Code() code.Code { return k.Definition().Code() }

// Retryable tells whether the same request may succeed when it is made again,
// once what docs/mcp.md asks for was done.
func (k Kind) Retryable() bool {
	retryable, _ := k.Definition().Retryable()
	return retryable
}

// MarshalText returns the name of the kind, and an error for a number that is no
// kind.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.known() {
		return nil, fmt.Errorf("errmapmcp: %s is not one of the kinds", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads the name of a kind as ParseKind does.
func (k *Kind) UnmarshalText(text []byte) error {
	parsed, err := ParseKind(string(text))
	if err == nil {
		*k = parsed
	}
	return err
}

func (k Kind) known() bool { return k > 0 && int(k) < len(kindTable()) }

// kindRow is what the schema says of a kind.
type kindRow struct {
	name       string
	message    proto.Message
	definition *errmap.Definition
}

// kindTable returns the rows of the kinds by their number; the first is empty.
var kindTable = sync.OnceValue(func() []kindRow {
	rows := make([]kindRow, 1, len(kindMessages)+1)
	for i, message := range kindMessages {
		// The schema is our own, and a test holds that each message is annotated.
		definition, _ := errmap.DefinitionOf(message.ProtoReflect().Descriptor())
		name := mcpv1.Kind(i + 1).String()
		rows = append(rows, kindRow{strings.ToLower(strings.TrimPrefix(name, "KIND_")), message, definition})
	}
	return slices.Clip(rows)
})

// kindMessages are the messages of the kinds, in their order.
var kindMessages = []proto.Message{
	(*mcpv1.TimeoutError)(nil),
	(*mcpv1.TransportError)(nil),
	(*mcpv1.ProtocolError)(nil),
	(*mcpv1.DeniedError)(nil),
	(*mcpv1.NotFoundError)(nil),
	(*mcpv1.HookError)(nil),
	(*mcpv1.UnavailableError)(nil),
	(*mcpv1.ClosedError)(nil),
	(*mcpv1.OverloadedError)(nil),
	(*mcpv1.InputHandlerError)(nil),
	(*mcpv1.AuthError)(nil),
	(*mcpv1.RateLimitedError)(nil),
	(*mcpv1.SessionExpiredError)(nil),
	(*mcpv1.MrtrRoundLimitError)(nil),
	(*mcpv1.PaginationCycleError)(nil),
	(*mcpv1.MessageTooLargeError)(nil),
	(*mcpv1.ConnectionDownError)(nil),
}
