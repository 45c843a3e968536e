package errmap

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/wire"
)

// Profile is a dialect of JSON-RPC 2.0: which numbers an error has there and
// what its data looks like. A caller chooses it; it is never guessed from a
// number. The zero value is ProfileGeneric. Profiles are compared with ==, and are
// safe for concurrent use. NewProfile makes one of a program's own.
type Profile struct{ of *profileOf }

// profileOf makes a profile when it is first used.
type profileOf struct{ get func() *wire.Profile }

// The profiles that are built in.
var (
	// ProfileGeneric is plain JSON-RPC 2.0: every number, data is an array of
	// typed objects.
	ProfileGeneric = Profile{}
	// ProfileA2A is A2A 1.0.1: its nine errors always carry their ErrorInfo.
	ProfileA2A = Profile{&profileOf{wire.A2A}}
	// ProfileMCP is MCP 2026-07-28: its own errors have the data of its schema.
	ProfileMCP = Profile{&profileOf{wire.MCP}}
	// ProfileMCP20251125 is MCP 2025-11-25: a resource that was not found is -32002,
	// and the demand for a URL elicitation is -32042.
	ProfileMCP20251125 = Profile{&profileOf{wire.MCP20251125}}
)

// Profiles returns the profiles that are built in.
func Profiles() []Profile {
	return []Profile{ProfileGeneric, ProfileA2A, ProfileMCP, ProfileMCP20251125}
}

// ProfileSpec says what a profile is. Its zero value, with a name, is generic
// JSON-RPC 2.0.
type ProfileSpec struct {
	// Name is what String returns.
	Name string
	// Domain is that of the errors that the protocol itself defines; "" for none. Their
	// ErrorInfo is supplied where an error of one of their numbers comes without one.
	Domain string
	// Errors are those errors.
	Errors []ProfileError
	// ObjectData tells that the data of such an error is an object, with the members
	// that it requires, and with all else that it says under "details". Otherwise data
	// is an array of typed objects, as of any error.
	ObjectData bool
	// Reserved are the first and the last of the numbers that only Errors have, such as
	// -32768 and -32000; zeros for none. An error of another domain whose own number is
	// among them gets that of its code.
	Reserved [2]int64
	// Repeats are the numbers among the reserved ones that are written again where they
	// were received; RepeatsAll tells that all are.
	Repeats    []int64
	RepeatsAll bool
	// Codes are numbers that stand for a code alone: they are read, and never written.
	Codes map[int64]code.Code
	// HTTPStatuses has the HTTP status of an answer with an error of a number, where
	// it is not 200.
	HTTPStatuses map[int64]int
	// AcceptedStatus is the HTTP status of the answer to notifications alone; 0 is 204.
	AcceptedStatus int
	// RefusesBatches tells that a batch is answered with one error, RefusesNullIDs that
	// a request with a null id is invalid, and that an answer to a request whose id is
	// not known has none.
	RefusesBatches, RefusesNullIDs bool
	// ChecksOrigins tells that a request with an Origin header is refused unless that
	// origin is allowed, as MCP wants it of servers over HTTP.
	ChecksOrigins bool
	// BareMethods tells that the protocol calls a method by its name alone, SendMessage,
	// unless WithMethodNames of a server says otherwise; else it is Service/Method.
	BareMethods bool
}

// ProfileError is an error that a protocol itself defines.
type ProfileError struct {
	// Definition is of the annotated message that is the error: its identity, code and
	// texts.
	Definition *Definition
	// Number is the code of the error object; 0 is the one that the definition has.
	Number int64
	// Data are the members that data requires, in the order in which they are written.
	// They are read into ErrorInfo.metadata, and so into the fields of the message.
	Data []ProfileMember
	// OnlyWithData tells that the number means this error only where data is an object
	// of exactly these members, each of its type, and of nothing else but details.
	OnlyWithData bool
	// ReadOnly tells that the number is read, and not written.
	ReadOnly bool
}

// ProfileMember is a member that the data of an error requires.
type ProfileMember struct {
	Name string
	// Empty is the JSON of the value that says nothing, which is written where the
	// error has no other: "\"\"", "[]", "{}". Its type is the member's.
	Empty string
}

// NewProfile returns a profile. Its error names every mistake: two errors of one
// number, an error of another domain, a member without a type.
func NewProfile(s ProfileSpec) (Profile, error) {
	p := &wire.Profile{
		Name: s.Name, Domain: s.Domain, Objects: s.ObjectData, Reserved: s.Reserved,
		Repeats: slices.Clone(s.Repeats), RepeatsAll: s.RepeatsAll, Accepted: s.AcceptedStatus,
		NoBatches: s.RefusesBatches, NoNullIDs: s.RefusesNullIDs, Origins: s.ChecksOrigins, BareMethods: s.BareMethods,
		Codes: map[int64]code.Code{}, HTTPStatuses: map[int64]int{},
	}
	for n, c := range s.Codes {
		p.Codes[n] = c
	}
	for n, status := range s.HTTPStatuses {
		p.HTTPStatuses[n] = status
	}
	for _, e := range s.Errors {
		own := wire.OwnError{Number: e.Number, Definition: e.Definition.schema(), Alone: e.OnlyWithData, ReadOnly: e.ReadOnly}
		if own.Number == 0 {
			number, _ := e.Definition.JSONRPCCode()
			own.Number = int64(number)
		}
		for _, m := range e.Data {
			own.Members = append(own.Members, wire.Member(m))
		}
		p.Own = append(p.Own, own)
	}
	if err := p.Compile(); err != nil {
		return Profile{}, err
	}
	return Profile{&profileOf{func() *wire.Profile { return p }}}, nil
}

// ParseProfile returns the built-in profile of that name. Its error lists the names.
func ParseProfile(name string) (Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if p.String() == name {
			return p, nil
		}
		names = append(names, p.String())
	}
	last := len(names) - 1
	return Profile{}, fmt.Errorf("errmap: unknown profile %q: want %s or %s", name, strings.Join(names[:last], ", "), names[last])
}

// String returns the name: "generic", "a2a", "mcp", "mcp-2025-11-25", or that of
// ProfileSpec.
func (p Profile) String() string { return p.wire().Name }

// HTTPStatus returns the HTTP status of the answer that holds an error of that
// number: 200, but for what the transport of a protocol says of some numbers.
func (p Profile) HTTPStatus(number int64) int { return p.wire().HTTPStatus(number) }

// AcceptedStatus returns the HTTP status of the answer to notifications alone.
func (p Profile) AcceptedStatus() int { return p.wire().Accepted }

// RefusesBatches tells whether a batch is answered with one error.
func (p Profile) RefusesBatches() bool { return p.wire().NoBatches }

// RefusesNullIDs tells whether a request with a null id is invalid, and whether an
// answer to a request whose id is not known has no id.
func (p Profile) RefusesNullIDs() bool { return p.wire().NoNullIDs }

// ChecksOrigins tells whether a request with an Origin header is refused unless that
// origin is allowed.
func (p Profile) ChecksOrigins() bool { return p.wire().Origins }

// BareMethods tells whether the protocol calls a method by its name alone.
func (p Profile) BareMethods() bool { return p.wire().BareMethods }

func (p Profile) wire() *wire.Profile {
	if p.of == nil {
		return wire.Generic()
	}
	return p.of.get()
}
