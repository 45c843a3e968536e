package wire

import (
	"net/http"
	"sync"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"

	"github.com/errmap/errmap/internal/schema"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"
)

const domainMCP = "modelcontextprotocol.io"

// The numbers that JSON-RPC 2.0 reserves.
var reservedNumbers = [2]int64{-32768, -32000}

// Generic is JSON-RPC 2.0 itself.
func Generic() *Profile { return generic() }

// A2A is A2A 1.0.1.
func A2A() *Profile { return a2a() }

// MCP is MCP 2026-07-28.
func MCP() *Profile { return mcp() }

// MCP20251125 is MCP 2025-11-25.
func MCP20251125() *Profile { return mcp20251125() }

// Profiles returns the profiles that are built in.
func Profiles() []*Profile { return []*Profile{Generic(), A2A(), MCP(), MCP20251125()} }

func builtIn(p *Profile) *Profile {
	_ = p.Compile() // a test has that it succeeds
	return p
}

var (
	generic = sync.OnceValue(func() *Profile { return builtIn(&Profile{Name: "generic"}) })

	a2a = sync.OnceValue(func() *Profile {
		own := make([]OwnError, 0, 9)
		messages := a2av1.File_errmap_a2a_v1_errors_proto.Messages()
		for i := range messages.Len() {
			if d, err := schema.DefinitionOf(messages.Get(i)); err == nil {
				number, _ := d.JSONRPCCode()
				own = append(own, OwnError{Number: int64(number), Definition: d})
			}
		}
		return builtIn(&Profile{Name: "a2a", Domain: schema.DomainA2A, Own: own, Reserved: reservedNumbers, RepeatsAll: true, BareMethods: true})
	})

	mcp = sync.OnceValue(func() *Profile {
		return builtIn(&Profile{
			Name: "mcp", Domain: domainMCP, Objects: true,
			Own: []OwnError{
				{Number: -32020, Definition: definitionOf(&mcpv1.HeaderMismatchError{})},
				{Number: -32021, Definition: definitionOf(&mcpv1.MissingRequiredClientCapabilityError{}), Members: []Member{{"requiredCapabilities", "{}"}}},
				{Number: -32022, Definition: definitionOf(&mcpv1.UnsupportedProtocolVersionError{}), Members: []Member{{"supported", "[]"}, {"requested", `""`}}},
				{Number: numberInvalidParams, Definition: definitionOf(&mcpv1.ResourceNotFoundError{}), Members: []Member{{"uri", `""`}}, Alone: true},
			},
			Reserved:     reservedNumbers,
			Repeats:      []int64{numberParseError, numberInvalidRequest, numberMethodNotFound, numberInvalidParams, numberInternalError, -32020, -32021, -32022},
			Codes:        map[int64]code.Code{-32002: code.Code_NOT_FOUND, -32042: code.Code_FAILED_PRECONDITION},
			HTTPStatuses: map[int64]int{numberMethodNotFound: 404, numberParseError: 400, numberInvalidRequest: 400, -32020: 400, -32021: 400, -32022: 400},
			Accepted:     http.StatusAccepted, NoBatches: true, NoNullIDs: true, Origins: true,
		})
	})

	mcp20251125 = sync.OnceValue(func() *Profile {
		return builtIn(&Profile{
			Name: "mcp-2025-11-25", Domain: domainMCP, Objects: true,
			Own: []OwnError{
				{Number: -32002, Definition: definitionOf(&mcpv1.ResourceNotFoundError{}), Members: []Member{{"uri", `""`}}},
				{Number: -32042, Definition: definitionOf(&mcpv1.UrlElicitationRequiredError{}), Members: []Member{{"elicitations", "[]"}}},
			},
			Reserved: reservedNumbers, RepeatsAll: true,
			Accepted: http.StatusAccepted, NoBatches: true, NoNullIDs: true, Origins: true,
		})
	})
)

func definitionOf(m proto.Message) *schema.Definition {
	d, _ := schema.DefinitionOf(m.ProtoReflect().Descriptor())
	return d
}
