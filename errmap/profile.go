package errmap

import (
	"fmt"
	"net/http"
	"sync"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	"github.com/errmap/errmap/internal/schema"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The numbers that JSON-RPC 2.0 section 5.1 defines.
const (
	numberParseError     = -32700
	numberInvalidRequest = -32600
	numberMethodNotFound = -32601
	numberInvalidParams  = -32602
	numberInternalError  = -32603
)

// The numbers of MCP that only its readers know.
const (
	numberMCPResourceNotFound = -32002 // before 2026-07-28
	numberMCPURLElicitation   = -32042 // 2025-11-25
)

const domainMCP = "modelcontextprotocol.io"

// Profile is a dialect of JSON-RPC 2.0: which numbers an error has there and
// what its data looks like. A caller chooses it; it is never guessed from a
// number. The zero value is ProfileGeneric.
type Profile int

const (
	// ProfileGeneric is plain JSON-RPC 2.0: every number, data is an array of
	// typed objects.
	ProfileGeneric Profile = iota
	// ProfileA2A is A2A 1.0: its nine errors always carry their ErrorInfo.
	ProfileA2A
	// ProfileMCP is MCP 2026-07-28: its own errors have the data of its schema.
	ProfileMCP
)

// String returns "generic", "a2a" or "mcp".
func (p Profile) String() string {
	switch p {
	case ProfileGeneric:
		return "generic"
	case ProfileA2A:
		return "a2a"
	case ProfileMCP:
		return "mcp"
	}
	return fmt.Sprintf("profile %d", int(p))
}

// ParseProfile returns the profile of that name. Its error lists the names.
func ParseProfile(name string) (Profile, error) {
	for _, p := range []Profile{ProfileGeneric, ProfileA2A, ProfileMCP} {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("errmap: unknown profile %q: want generic, a2a or mcp", name)
}

// HTTPStatus returns the HTTP status of the answer that holds an error of that
// number: 200, but for what the transport of MCP says of some numbers.
func (p Profile) HTTPStatus(number int64) int {
	if p != ProfileMCP {
		return http.StatusOK
	}
	switch number {
	case numberMethodNotFound:
		return http.StatusNotFound
	case numberParseError, numberInvalidRequest, -32020, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// domain is the domain whose errors the profile itself defines.
func (p Profile) domain() string {
	switch p {
	case ProfileA2A:
		return schema.DomainA2A
	case ProfileMCP:
		return domainMCP
	}
	return ""
}

// may tells whether the profile writes the number of an error of that domain.
func (p Profile) may(number int64, domain string) bool {
	switch {
	case number == 0:
		return false
	case p == ProfileGeneric:
		return true
	case domain == p.domain() && domain != "":
		return true
	}
	return number < -32768 || number > -32000
}

// mayRepeat tells whether the profile writes a number that was received.
func (p Profile) mayRepeat(number int64) bool {
	if number == 0 {
		return false
	}
	if p != ProfileMCP || number < -32768 || number > -32000 {
		return true
	}
	switch number {
	case numberParseError, numberInvalidRequest, numberMethodNotFound, numberInvalidParams, numberInternalError, -32020, -32021, -32022:
		return true
	}
	return false
}

// file is the file whose errors the profile itself defines.
func (p Profile) file() protoreflect.FileDescriptor {
	switch p {
	case ProfileA2A:
		return a2av1.File_errmap_a2a_v1_errors_proto
	case ProfileMCP:
		return mcpv1.File_errmap_mcp_v1_errors_proto
	}
	return nil
}

// own returns the catalogue of the errors that the profile itself defines.
func (p Profile) own() *Catalog {
	switch p {
	case ProfileA2A:
		return ownA2A()
	case ProfileMCP:
		return ownMCP()
	}
	return nil
}

// numbered returns the profile's own error of a number: nil where it has none,
// and for the number that MCP shares with JSON-RPC itself.
func (p Profile) numbered(number int64) *Definition {
	if number != int64(int32(number)) || number == numberInvalidParams {
		return nil
	}
	if p == ProfileMCP && number == numberMCPResourceNotFound {
		return p.own().Find(domainMCP, reasonResourceNotFound)
	}
	switch p {
	case ProfileA2A:
		return numbersA2A().find(int32(number))
	case ProfileMCP:
		return numbersMCP().find(int32(number))
	}
	return nil
}

const reasonResourceNotFound = "RESOURCE_NOT_FOUND"

var (
	ownA2A = sync.OnceValue(func() *Catalog { return (*Catalog)(schema.OfFile(a2av1.File_errmap_a2a_v1_errors_proto)) })
	ownMCP = sync.OnceValue(func() *Catalog { return (*Catalog)(schema.OfFile(mcpv1.File_errmap_mcp_v1_errors_proto)) })

	numbersA2A = sync.OnceValue(func() *ownNumbers { return newOwnNumbers(ownA2A(), schema.DomainA2A) })
	numbersMCP = sync.OnceValue(func() *ownNumbers { return newOwnNumbers(ownMCP(), domainMCP) })
)

// ownNumbers are the errors of a profile by their numbers, which lie close
// together.
type ownNumbers struct {
	first       int32
	definitions []*Definition
}

func newOwnNumbers(own *Catalog, domain string) *ownNumbers {
	n := new(ownNumbers)
	var last int32
	for _, d := range own.Definitions() {
		number, ok := d.JSONRPCCode()
		switch {
		case !ok || number == numberInvalidParams: // it means more than the error
		case n.first == 0:
			n.first, last = number, number
		default:
			n.first, last = min(n.first, number), max(last, number)
		}
	}
	n.definitions = make([]*Definition, last-n.first+1)
	for i := range n.definitions {
		n.definitions[i] = own.ByJSONRPC(domain, n.first+int32(i))
	}
	return n
}

func (n *ownNumbers) find(number int32) *Definition {
	if i := int64(number) - int64(n.first); i >= 0 && i < int64(len(n.definitions)) {
		return n.definitions[i]
	}
	return nil
}

// ownOf finds an identity among the errors that the profile itself defines, where
// known is what another catalogue says of it, and tells whether any has that
// domain.
func (p Profile) ownOf(domain, reason []byte, known *Definition) (d *Definition, knows bool) {
	if file := p.file(); file != nil && known != nil && known.Descriptor().ParentFile() == file {
		return known, true
	}
	return p.own().find(domain, reason)
}
