package server

import (
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/strict"
)

// DiscoverMethod is the name of the method that [WithDiscovery] answers.
const DiscoverMethod = "rpc.discover"

const reservedPrefix = "rpc."

// MethodNames gives a procedure, such as "/shop.v1.Cart/Get", the name that
// JSON-RPC calls it by; "" leaves it out.
type MethodNames func(procedure string) string

// BareNames names a procedure by its method alone, "Get", as A2A does.
func BareNames(procedure string) string {
	return procedure[strings.LastIndexByte(procedure, '/')+1:]
}

// SlashNames names a procedure as its path does, "shop.v1.Cart/Get".
func SlashNames(procedure string) string { return strings.TrimPrefix(procedure, "/") }

// DottedNames names a procedure by the full name of its method,
// "shop.v1.Cart.Get".
func DottedNames(procedure string) string {
	return strings.ReplaceAll(SlashNames(procedure), "/", ".")
}

// method is a procedure under its name.
type method struct {
	name string
	spec connect.Spec
	// params and result know the ProtoJSON of the messages; nil where protojson
	// alone does.
	params, result *protojson.Message
	required       bool              // a field of params must be set
	size           inflight.Estimate // of an answer
}

// nameMethods returns the methods by their names. Its error names every
// procedure that cannot have the name that the rule gives it.
func nameMethods(server *connect.Server, rule MethodNames, catalog *errmap.Catalog) (map[string]*method, error) {
	methods := make(map[string]*method)
	messages := protojson.NewCodec(nil) // of all that is linked
	if catalog != nil {
		messages = protojson.NewCodec(catalog)
	}
	var mistakes []error
	for spec := range server.Specs() {
		name := rule(spec.Procedure)
		if name == "" {
			continue
		}
		if strings.HasPrefix(name, reservedPrefix) {
			mistakes = append(mistakes, fmt.Errorf(
				"server: the method name %q of %s is reserved (JSON-RPC 2.0 section 4); choose other names with WithMethodNames",
				name, spec.Procedure))
			continue
		}
		if other, taken := methods[name]; taken {
			mistakes = append(mistakes, fmt.Errorf(
				"server: the method name %q is that of both %s and %s; choose other names with WithMethodNames",
				name, other.spec.Procedure, spec.Procedure))
			continue
		}
		m := &method{name: name, spec: spec}
		if schema, ok := spec.Schema.(protoreflect.MethodDescriptor); ok {
			m.params, m.result = messages.Message(schema.Input()), messages.Message(schema.Output())
			m.required = hasRequired(schema.Input())
		}
		methods[name] = m
	}
	return methods, errors.Join(mistakes...)
}

// hasRequired reports whether a request must say something: a field of it is required, in
// proto2 or by google.api.field_behavior.
func hasRequired(message protoreflect.MessageDescriptor) bool {
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		if field.Cardinality() == protoreflect.Required || strict.IsRequired(field) {
			return true
		}
	}
	return false
}
