package errmap

import (
	"reflect"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/wire"
)

var messageType = reflect.TypeFor[proto.Message]()

// As lets errors.As and errors.AsType find the annotated message that e says:
// target is a pointer to a pointer to a generated message type whose domain and
// reason one of the error's ErrorInfo details has. Its fields come from the
// metadata of that ErrorInfo and from the other details; one that does not parse
// stays unset.
func (e *Error) As(target any) bool {
	if e == nil {
		return false
	}
	v := reflect.ValueOf(target)
	if known, ok := targets.Load(reflect.TypeOf(target)); ok && !v.IsNil() {
		d := known.(*schema.Definition)
		at, says := e.says(d)
		if !says {
			return false
		}
		made := reflect.New(d.GoType().Elem())
		e.fill(d, made.Interface().(proto.Message), at)
		v.Elem().Set(made)
		return true
	}
	if v.Kind() != reflect.Pointer || v.IsNil() || !v.Type().Elem().Implements(messageType) || v.Type().Elem().Kind() != reflect.Pointer {
		return false
	}
	m, ok := reflect.New(v.Type().Elem().Elem()).Interface().(proto.Message)
	if !ok {
		return false
	}
	// A type that embeds messages is asked as well, and has none yet.
	d, err := schema.DefinitionOf(schema.DescriptorOf(m))
	if err != nil || !m.ProtoReflect().IsValid() || !e.Fill(m) {
		return false
	}
	if d.GoType() == v.Type().Elem() {
		targets.Store(v.Type(), d)
	}
	v.Elem().Set(reflect.ValueOf(m))
	return true
}

// targets remembers which definition a target of As is for. Only what was found
// once is in it: pointers to pointers to generated messages.
var targets sync.Map // reflect.Type to *schema.Definition

// Fill sets the fields of an annotated message, which may be a dynamic one, to
// what e says, and tells whether e is that error. Where it is not, m is as it
// was.
func (e *Error) Fill(m proto.Message) bool {
	if e == nil || m == nil {
		return false
	}
	d, err := schema.DefinitionOf(schema.DescriptorOf(m))
	if err != nil {
		return false
	}
	at, says := e.says(d)
	if says {
		e.fill(d, m, at)
	}
	return says
}

// says returns the ErrorInfo of e that is that of the definition.
func (e *Error) says(d *schema.Definition) (schema.Info, bool) {
	catalog := e.known().schema()
	for i := range e.hub.Details {
		if in, ok := wire.InfoOf(&e.hub.Details[i], catalog); ok && e.trusts(in) && d.Identifies(string(in.Domain()), string(in.Reason())) {
			return in, true
		}
	}
	return schema.Info{}, false
}

// fill sets the fields of m to what e says, with the ErrorInfo that says found.
func (e *Error) fill(d *schema.Definition, m proto.Message, in schema.Info) {
	lookup := func(key string) (string, bool) {
		text, ok := in.Value(key)
		return string(text), ok
	}
	d.DecodeFrom(m, lookup, in.Metadata, e.readable)
}

// readable returns the bytes of the first detail of a type that can be read.
func (e *Error) readable(name string) ([]byte, bool) {
	for i := range e.hub.Details {
		if d := &e.hub.Details[i]; d.Is(name) {
			if value, ok := wire.KnownPart(d, e.known().schema()); ok {
				return value, true
			}
		}
	}
	return nil, false
}

// Is tells whether target says the same identity: an *Error whose ErrorInfo, or
// an annotated message whose option, has the domain and reason of one of the
// ErrorInfo details of e. Texts, codes and metadata do not count. An error
// without identity is only itself.
func (e *Error) Is(target error) bool {
	if e == nil {
		return target == nil
	}
	switch t := target.(type) { // errors.Is unwraps: each link is asked by itself
	case *Error:
		if t == nil {
			return false
		}
		want, ok := t.identity()
		if !ok {
			return false
		}
		catalog := e.known().schema()
		for i := range e.hub.Details {
			if in, ok := wire.InfoOf(&e.hub.Details[i], catalog); ok && e.trusts(in) && string(in.Domain()) == string(want.Domain()) && string(in.Reason()) == string(want.Reason()) {
				return true
			}
		}
	case proto.Message:
		if d, err := schema.DefinitionOf(schema.DescriptorOf(t)); err == nil {
			_, says := e.says(d)
			return says
		}
	}
	return false
}
