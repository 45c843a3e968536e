package errmap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	procedures "github.com/errmap/errmap/internal/procedure"
	"github.com/errmap/errmap/internal/schema"
)

// declaration is what the (errmap.v1.errors) option of a method names.
type declaration struct {
	errors []*Definition
	// unlinked are the names of messages that are not in the program.
	unlinked []protoreflect.FullName
}

// declarations has those that were asked for, by procedure.
var declarations sync.Map

func declarationOf(procedure string) *declaration {
	if found, ok := declarations.Load(procedure); ok {
		return found.(*declaration)
	}
	method := linkedMethod(procedure)
	if method == nil {
		return new(declaration) // not kept: a caller may have named it
	}
	d := new(declaration)
	names, _, _ := schema.Option[[]string](method.Options(), new(descriptorpb.MethodOptions), errmapv1.E_Errors)
	for _, name := range names {
		found, err := Linked().FindMessageByName(protoreflect.FullName(name))
		if err == nil {
			if definition, err := DefinitionOf(found.Descriptor()); err == nil {
				d.errors = append(d.errors, definition)
				continue
			}
		}
		d.unlinked = append(d.unlinked, protoreflect.FullName(name))
	}
	declarations.Store(procedure, d)
	return d
}

// linkedMethod returns the method of a procedure, nil where it is not in the program.
func linkedMethod(procedure string) protoreflect.MethodDescriptor {
	service, name, ok := strings.Cut(strings.TrimPrefix(procedure, "/"), "/")
	if !ok {
		return nil
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil
	}
	descriptor, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil
	}
	return descriptor.Methods().ByName(protoreflect.Name(name))
}

// DeclaredErrors returns the errors that a method declares by its (errmap.v1.errors)
// option, in the order of the option; those whose messages are not linked into the program
// are not among them. A procedure is "/shop.v1.Cart/Get". It is nil for a method that is
// not linked, and for one that declares none.
func DeclaredErrors(procedure string) []*Definition {
	return slices.Clone(declarationOf(procedure).errors)
}

// Undeclared tells whether e is of a reason that the method of a procedure does not
// declare. A method that declares no errors promises nothing, and an error without a
// google.rpc.ErrorInfo breaks no promise: for both it is false. So it is for a reason that
// the name of a declared message makes which is not linked into the program, whatever the
// domain, since only its schema knows that.
//
// Use it in an Observer, to count or to log; a Guard has WithUndeclared, and errmaptest
// fails a test.
func Undeclared(procedure string, e *Error) bool {
	if e == nil {
		return false
	}
	in, ok := e.identity()
	if !ok {
		return false
	}
	d := declarationOf(procedure)
	if d.errors == nil && d.unlinked == nil {
		return false
	}
	domain, reason := string(in.Domain()), string(in.Reason())
	return !slices.ContainsFunc(d.errors, func(f *Definition) bool { return f.Domain() == domain && f.Reason() == reason }) &&
		!slices.ContainsFunc(d.unlinked, func(name protoreflect.FullName) bool {
			return schema.DefaultReason(string(name.Name())) == reason
		})
}

// UndeclaredAction is what a Guard does with an error of a reason that its method does not
// declare.
type UndeclaredAction int

// What a Guard may do. The zero action sends such an error as any other.
const (
	SendUndeclared UndeclaredAction = iota
	// LogUndeclared sends it too, and tells the log.
	LogUndeclared
	// HideUndeclared keeps it from the caller, as if the handler had returned an error
	// that does not speak: INTERNAL, a fixed text and a request id.
	HideUndeclared
)

// WithUndeclared makes the (errmap.v1.errors) options of methods a promise that is watched:
// see Undeclared for what breaks it. The log of the guard gets a Report with Undeclared set.
// Begin with LogUndeclared; hide where clients switch over the declared errors and must
// never see another.
func WithUndeclared(action UndeclaredAction) GuardOption {
	return guardOption(func(g *Guard) { g.undeclared = action })
}

// declared returns what is left of an error that a handler returned: itself, or what hides it.
func (g *Guard) declared(ctx context.Context, e *Error, err error) *Error {
	if g.undeclared == SendUndeclared {
		return e
	}
	procedure := procedures.Of(ctx)
	if !Undeclared(procedure, e) {
		return e
	}
	r := Report{Err: fmt.Errorf("%s does not declare %s/%s: %w", procedure, e.Domain(), e.Reason(), err), Procedure: procedure, Undeclared: true}
	if g.undeclared == HideUndeclared {
		return g.hide(ctx, r)
	}
	g.report(ctx, r)
	return e
}
