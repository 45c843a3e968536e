package errmap

import (
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/rpcjson"
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
	if v.Kind() != reflect.Pointer || v.IsNil() || !v.Type().Elem().Implements(messageType) || v.Type().Elem().Kind() != reflect.Pointer {
		return false
	}
	m, ok := reflect.New(v.Type().Elem().Elem()).Interface().(proto.Message)
	if !ok || !e.Fill(m) {
		return false
	}
	v.Elem().Set(reflect.ValueOf(m))
	return true
}

// Fill sets the fields of an annotated message, which may be a dynamic one, to
// what e says, and tells whether e is that error. Where it is not, m is as it
// was.
func (e *Error) Fill(m proto.Message) bool {
	if e == nil || m == nil {
		return false
	}
	d, err := DefinitionOf(m.ProtoReflect().Descriptor())
	if err != nil {
		return false
	}
	for _, detail := range e.details {
		if detail.Name() != nameErrorInfo {
			continue
		}
		if detail.json == nil {
			if reason, domain, ok := rpcjson.ErrorInfoFields(detail.value); ok {
				if !d.identifies(string(domain), string(reason)) {
					continue
				}
				lookup := func(key string) (string, bool) {
					text, ok := rpcjson.ErrorInfoValue(detail.value, key)
					return string(text), ok
				}
				all := func() map[string]string { return errorInfo(Linked(), detail).GetMetadata() }
				d.decodeFrom(m, lookup, all, e.readable)
				return true
			}
		}
		if info := errorInfo(Linked(), detail); info != nil && d.identifies(info.GetDomain(), info.GetReason()) {
			d.decode(m, info, e.readable)
			return true
		}
	}
	return false
}

// readable returns the bytes of the first detail of a type that can be read.
func (e *Error) readable(name protoreflect.FullName) ([]byte, bool) {
	for _, detail := range e.details {
		if detail.Name() != name {
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

// identifies tells whether an ErrorInfo is that of the definition.
func (d *Definition) identifies(domain, reason string) bool {
	if domain != d.Domain() {
		return false
	}
	return reason == d.Reason() || domain == domainA2A && d.Reason() == reasonExtendedCard && reason == reasonCardBefore10
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
		d, err := DefinitionOf(t.ProtoReflect().Descriptor())
		if err != nil {
			return false
		}
		identifies = d.identifies
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
