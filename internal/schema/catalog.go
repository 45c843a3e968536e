package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	"github.com/errmap/errmap/internal/protojson"
)

// DomainA2A is the domain of the errors of A2A.
const DomainA2A = "a2a-protocol.org"

// The reason of A2A's -32007 before version 1.0 and since.
const (
	reasonExtendedCard = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	reasonCardBefore10 = "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED"
)

// Catalog is a set of known errors and message types: what a reader recognises
// and renders. It is immutable and safe for concurrent use. A nil Catalog knows
// no errors, and of types only the details of google.rpc, google.rpc.Status,
// the well-known types and errmap.v1.
type Catalog struct {
	definitions []*Definition                     // by domain, then reason
	byDomain    map[string]map[string]*Definition // then by reason
	byNumber    map[domainNumber]*Definition
	byProblem   map[string]*Definition
	types       *protoregistry.Types // nil: all that is linked
	codec       atomic.Pointer[protojson.Codec]
}

// noCatalog is what a nil Catalog knows of types.
var noCatalog = sync.OnceValue(func() *protojson.Codec { return protojson.NewCodec((*Catalog)(nil)) })

// linkedTypes knows all types that are linked, and no errors.
var linkedTypes = new(Catalog)

// Codec returns the ProtoJSON of the types of the catalogue.
func (c *Catalog) Codec() *protojson.Codec {
	if c == nil {
		return noCatalog()
	}
	if codec := c.codec.Load(); codec != nil {
		return codec
	}
	c.codec.CompareAndSwap(nil, protojson.NewCodec(c))
	return c.codec.Load()
}

type domainNumber struct {
	domain string
	number int32
}

// Linked returns the catalogue of every annotated message that is linked into
// the program, with every linked type: the errors of A2A and MCP are always
// among them. It is made once, at the first call. Where two errors claim one
// identity, the one whose full name sorts first has it; a message whose option
// makes no error is left out, and DefinitionOf says why.
func Linked() *Catalog { return linked() }

var linked = sync.OnceValue(func() *Catalog {
	var definitions []*Definition
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for md := range Messages(file.Messages()) {
			if definition, err := DefinitionOf(md); err == nil {
				definitions = append(definitions, definition)
			}
		}
		return true
	})
	slices.SortFunc(definitions, func(a, b *Definition) int {
		return strings.Compare(string(a.FullName()), string(b.FullName()))
	})
	c := new(Catalog)
	c.codec.Store(linkedTypes.Codec())
	_ = c.index(definitions) // clashes are settled by the order
	return c
})

// NewCatalog returns the catalogue of every annotated message in files and in
// what they import, nested ones too. Files may come from anywhere, such as
// reflection: of their types, those that are linked into the program stay Go
// types and the others are dynamic messages. The errors of A2A and MCP are
// added for each of the two domains that the files define no error in.
//
// NewCatalog fails, naming every mistake, where an option makes no error (see
// DefinitionOf), and where two errors share domain and reason or, within a
// domain, the JSON-RPC number.
func NewCatalog(files ...protoreflect.FileDescriptor) (*Catalog, error) {
	c := &Catalog{types: new(protoregistry.Types)}
	definitions, mistakes := c.collect(files)
	defined := make(map[string]bool, len(definitions))
	for _, d := range definitions {
		defined[d.domain] = true
	}
	for _, builtin := range []protoreflect.FileDescriptor{
		a2av1.File_errmap_a2a_v1_errors_proto,
		mcpv1.File_errmap_mcp_v1_errors_proto,
	} {
		if domain, _ := FileDomain(builtin); defined[domain] {
			continue
		}
		more, err := c.collect([]protoreflect.FileDescriptor{builtin})
		definitions, mistakes = append(definitions, more...), append(mistakes, err...)
	}
	if err := errors.Join(append(mistakes, c.index(definitions)...)...); err != nil {
		return nil, err
	}
	return c, nil
}

// Of returns the catalogue of definitions alone. Its error names those that clash.
func Of(definitions ...*Definition) (*Catalog, error) {
	c := new(Catalog)
	return c, errors.Join(c.index(definitions)...)
}

// Find returns the definition of an identity, nil where it is not known. The
// reason that A2A's -32007 had before version 1.0 finds the error of today.
func (c *Catalog) Find(domain, reason string) *Definition {
	if c == nil {
		return nil
	}
	reasons := c.byDomain[domain]
	if d, ok := reasons[reason]; ok {
		return d
	}
	if domain == DomainA2A && reason == reasonCardBefore10 {
		return reasons[reasonExtendedCard]
	}
	return nil
}

// Lookup is Find and KnowsDomain of parts of a message's bytes; it allocates nothing.
func (c *Catalog) Lookup(domain, reason []byte) (d *Definition, knows bool) {
	if c == nil {
		return nil, false
	}
	reasons := c.byDomain[string(domain)]
	if d, ok := reasons[string(reason)]; ok || reasons == nil {
		return d, ok
	}
	return c.Find(string(domain), string(reason)), true
}

// Definitions returns all definitions, sorted by domain and reason.
func (c *Catalog) Definitions() []*Definition {
	if c == nil {
		return nil
	}
	return slices.Clone(c.definitions)
}

// KnowsDomain tells whether any error of the catalogue has that domain.
func (c *Catalog) KnowsDomain(domain string) bool {
	return c != nil && c.byDomain[domain] != nil
}

// ByProblemType returns the definition whose RFC 9457 problem type is uri, nil
// where there is none; of several, that of the identity that sorts first.
func (c *Catalog) ByProblemType(uri string) *Definition {
	if c == nil {
		return nil
	}
	return c.byProblem[uri]
}

// ByJSONRPC returns the definition in a domain that has that JSON-RPC number,
// nil where there is none.
func (c *Catalog) ByJSONRPC(domain string, number int32) *Definition {
	if c == nil {
		return nil
	}
	return c.byNumber[domainNumber{domain, number}]
}

// collect takes the types of files and of their imports into the catalogue and
// returns their definitions. A message that is there already, from a file that
// came before, stands.
func (c *Catalog) collect(files []protoreflect.FileDescriptor) (definitions []*Definition, mistakes []error) {
	seen := make(map[string]bool)
	for queue := slices.Clone(files); len(queue) > 0; queue = queue[1:] {
		file := queue[0]
		if file == nil || file.IsPlaceholder() || seen[file.Path()] {
			continue
		}
		seen[file.Path()] = true
		imports := file.Imports()
		for i := range imports.Len() {
			queue = append(queue, imports.Get(i).FileDescriptor)
		}
		for md := range Messages(file.Messages()) {
			if _, err := c.types.FindMessageByName(md.FullName()); err == nil {
				continue
			}
			definition, err := c.definitionOf(md)
			switch {
			case err == nil:
				definitions = append(definitions, definition)
			case !errors.Is(err, ErrNotAnnotated):
				mistakes = append(mistakes, err)
			}
		}
		c.add(file)
	}
	return definitions, mistakes
}

// definitionOf compiles md so that its Any fields find the types of the
// catalogue. Linked messages share one definition.
func (c *Catalog) definitionOf(md protoreflect.MessageDescriptor) (*Definition, error) {
	if _, linked := linkedType(md); linked {
		return DefinitionOf(md)
	}
	return compile(md, c)
}

// index makes the look-up tables. Of definitions that clash the first stands,
// and an error names both.
func (c *Catalog) index(definitions []*Definition) (clashes []error) {
	c.byDomain = make(map[string]map[string]*Definition)
	c.byNumber = make(map[domainNumber]*Definition)
	c.byProblem = make(map[string]*Definition, len(definitions))
	for _, d := range definitions {
		reasons := c.byDomain[d.domain]
		if first, taken := reasons[d.reason]; taken {
			clashes = append(clashes, fmt.Errorf("errmap: %s and %s are both reason %s of domain %s",
				first.FullName(), d.FullName(), d.reason, d.domain))
			continue
		}
		if reasons == nil {
			reasons = make(map[string]*Definition)
			c.byDomain[d.domain] = reasons
		}
		reasons[d.reason] = d
		c.definitions = append(c.definitions, d)
		number, ok := d.JSONRPCCode()
		if !ok {
			continue
		}
		if first, taken := c.byNumber[domainNumber{d.domain, number}]; taken {
			clashes = append(clashes, fmt.Errorf("errmap: %s and %s both have the JSON-RPC number %d in domain %s",
				first.FullName(), d.FullName(), number, d.domain))
			continue
		}
		c.byNumber[domainNumber{d.domain, number}] = d
	}
	slices.SortFunc(c.definitions, func(a, b *Definition) int {
		return cmp.Or(strings.Compare(a.domain, b.domain), strings.Compare(a.reason, b.reason))
	})
	for _, d := range c.definitions {
		if _, taken := c.byProblem[d.problem]; !taken && d.problem != "" {
			c.byProblem[d.problem] = d
		}
	}
	return clashes
}
