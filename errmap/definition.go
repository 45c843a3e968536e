package errmap

import (
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/schema"
)

// ErrNotAnnotated says that a message carries no (errmap.v1.error) option, so
// it is no error. Compare with errors.Is.
var ErrNotAnnotated = schema.ErrNotAnnotated

// Definition is what every instance of one annotated message shares: code,
// identity and texts, and the way from its fields to details and back,
// compiled once. It is immutable and safe for concurrent use. A nil Definition
// is that of no error: its methods return zero values.
type Definition schema.Definition

// DefinitionOf returns the definition of an annotated message. The descriptor
// may come from generated code or from foreign files, with any copy of the
// errmap.v1 schema. It returns ErrNotAnnotated for a message without the
// option and for nil, and an error that names the message where the option
// makes no error: a code that is OK or none of google.rpc.Code, no domain in
// option or file, or a message template that does not parse or names no field.
func DefinitionOf(md protoreflect.MessageDescriptor) (*Definition, error) {
	d, err := schema.DefinitionOf(md)
	return (*Definition)(d), err
}

// FullName returns the full name of the message.
func (d *Definition) FullName() protoreflect.FullName { return d.schema().FullName() }

// Descriptor returns the descriptor of the message.
func (d *Definition) Descriptor() protoreflect.MessageDescriptor { return d.schema().Descriptor() }

// Code returns the code of the error: one of 1 to 16, OK for nil.
func (d *Definition) Code() code.Code { return d.schema().Code() }

// Reason returns the reason of the ErrorInfo: the option's, else the one that
// the message's name makes.
func (d *Definition) Reason() string { return d.schema().Reason() }

// Domain returns the domain of the ErrorInfo: the option's, else the file's.
func (d *Definition) Domain() string { return d.schema().Domain() }

// Title returns the static text that names the kind of error: the option's,
// else the reason.
func (d *Definition) Title() string { return d.schema().Title() }

// MessageTemplate returns the template of the developer-facing text as the
// option has it, "" where it has none.
func (d *Definition) MessageTemplate() string { return d.schema().MessageTemplate() }

// Metadata returns a copy of the constant entries of ErrorInfo.metadata, nil
// where there are none.
func (d *Definition) Metadata() map[string]string { return d.schema().Metadata() }

// JSONRPCCode returns the number of the error in JSON-RPC, and false where it
// has none of its own. 0 is never an error's number and counts as none.
func (d *Definition) JSONRPCCode() (int32, bool) { return d.schema().JSONRPCCode() }

// HTTPStatus returns the HTTP status of the error on HTTP+JSON, and false where
// it is the one that the code stands for. A number outside 400 to 599 is no
// status of an error and counts as none.
func (d *Definition) HTTPStatus() (int, bool) { return d.schema().HTTPStatus() }

// ProblemType returns the type URI of the error in an RFC 9457 problem: the
// option's, else https://<domain>/errors/<reason-in-kebab-case> where that is
// a valid URI, else "".
func (d *Definition) ProblemType() string { return d.schema().ProblemType() }

// Help returns a copy of the help links that every instance has, nil where
// there are none.
func (d *Definition) Help() *errdetails.Help { return d.schema().Help() }

// Retryable tells whether the same call may succeed when it is made again, and
// whether the option says anything of it.
func (d *Definition) Retryable() (retryable, known bool) { return d.schema().Retryable() }
