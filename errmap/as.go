package errmap

import (
	"reflect"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/rpcjson"
	"github.com/errmap/errmap/internal/schema"
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
		at := e.says(d)
		if at == nil {
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
	at := e.says(d)
	if at != nil {
		e.fill(d, m, at)
	}
	return at != nil
}

// says returns the ErrorInfo of e that is that of the definition, nil where there
// is none.
func (e *Error) says(d *schema.Definition) *RawDetail {
	for i := range e.details {
		detail := &e.details[i]
		if detail.typeURL != typeErrorInfo && detail.Name() != nameErrorInfo {
			continue
		}
		if detail.json == nil {
			if reason, domain, ok := rpcjson.ErrorInfoFields(detail.value); ok {
				if d.Identifies(string(domain), string(reason)) {
					return detail
				}
				continue
			}
		}
		if info := errorInfo(Linked(), *detail); info != nil && d.Identifies(info.GetDomain(), info.GetReason()) {
			return detail
		}
	}
	return nil
}

// fill sets the fields of m to what e says, with the ErrorInfo that says found.
func (e *Error) fill(d *schema.Definition, m proto.Message, detail *RawDetail) {
	if detail.json == nil {
		if _, _, ok := rpcjson.ErrorInfoFields(detail.value); ok {
			lookup := func(key string) (string, bool) {
				text, ok := rpcjson.ErrorInfoValue(detail.value, key)
				return string(text), ok
			}
			all := func() map[string]string { return errorInfo(Linked(), *detail).GetMetadata() }
			d.DecodeFrom(m, lookup, all, e.readable)
			return
		}
	}
	d.Decode(m, errorInfo(Linked(), *detail), e.readable)
}

// readable returns the bytes of the first detail of a type that can be read.
func (e *Error) readable(name string) ([]byte, bool) {
	for _, detail := range e.details {
		if string(detail.Name()) != name {
			continue
		}
		if detail.json == nil {
			return detail.value, true
		}
		if known, ok := knownPart(Linked(), detail); ok {
			return known.value, true
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
	var identifies func(domain, reason string) bool
	switch t := target.(type) { // errors.Is unwraps: each link is asked by itself
	case *Error:
		wantDomain, wantReason := t.domainAndReason()
		if wantReason == "" {
			return false
		}
		identifies = func(domain, reason string) bool { return domain == wantDomain && reason == wantReason }
	case proto.Message:
		d, err := schema.DefinitionOf(schema.DescriptorOf(t))
		if err != nil {
			return false
		}
		identifies = d.Identifies
	default:
		return false
	}
	for _, detail := range e.details {
		if info := errorInfo(Linked(), detail); info != nil && identifies(info.GetDomain(), info.GetReason()) {
			return true
		}
	}
	return false
}
