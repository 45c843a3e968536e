package errmap

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/schema"
)

// Catalog is a set of known errors and message types: what a reader recognises
// and renders. It is immutable and safe for concurrent use. A nil Catalog knows
// no errors, and of types only the details of google.rpc, google.rpc.Status,
// the well-known types and errmap.v1.
type Catalog schema.Catalog

// Linked returns the catalogue of every annotated message that is linked into
// the program, with every linked type: the errors of A2A and MCP are always
// among them. It is made once, at the first call. Where two errors claim one
// identity, the one whose full name sorts first has it; a message whose option
// makes no error is left out, and DefinitionOf says why.
func Linked() *Catalog { return (*Catalog)(schema.Linked()) }

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
	c, err := schema.NewCatalog(files...)
	return (*Catalog)(c), err
}

// Find returns the definition of an identity, nil where it is not known. The
// reason that A2A's -32007 had before version 1.0 finds the error of today.
func (c *Catalog) Find(domain, reason string) *Definition {
	return (*Definition)(c.schema().Find(domain, reason))
}

// Definitions returns all definitions, sorted by domain and reason.
func (c *Catalog) Definitions() []*Definition { return definitions(c.schema().Definitions()) }

// KnowsDomain tells whether any error of the catalogue has that domain.
func (c *Catalog) KnowsDomain(domain string) bool { return c.schema().KnowsDomain(domain) }

// ByProblemType returns the definition whose RFC 9457 problem type is uri, nil
// where there is none; of several, that of the identity that sorts first.
func (c *Catalog) ByProblemType(uri string) *Definition {
	return (*Definition)(c.schema().ByProblemType(uri))
}

// ByJSONRPC returns the definition in a domain that has that JSON-RPC number,
// nil where there is none.
func (c *Catalog) ByJSONRPC(domain string, number int32) *Definition {
	return (*Definition)(c.schema().ByJSONRPC(domain, number))
}

// FindMessageByURL returns the type that the last segment of a type URL names,
// protoregistry.NotFound where the catalogue does not know it. With the other
// Find methods it makes a Catalog a resolver for protojson and anypb.
func (c *Catalog) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return c.schema().FindMessageByURL(url)
}

// FindMessageByName returns a message type by its full name,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	return c.schema().FindMessageByName(name)
}

// FindExtensionByName returns an extension by its full name,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return c.schema().FindExtensionByName(name)
}

// FindExtensionByNumber returns the extension of a message by its number,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return c.schema().FindExtensionByNumber(message, number)
}
