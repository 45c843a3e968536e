package errmap

import (
	"reflect"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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
		info := errorInfo(Linked(), detail)
		if info == nil || !d.identifies(info) {
			continue
		}
		d.decode(m, info, func(name protoreflect.FullName) ([]byte, bool) {
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
		})
		return true
	}
	return false
}

// identifies tells whether an ErrorInfo is that of the definition.
func (d *Definition) identifies(info *errdetails.ErrorInfo) bool {
	if info.GetDomain() != d.Domain() {
		return false
	}
	return info.GetReason() == d.Reason() ||
		d.Domain() == domainA2A && d.Reason() == reasonExtendedCard && info.GetReason() == reasonCardBefore10
}

// Is tells whether target says the same identity: an *Error whose ErrorInfo, or
// an annotated message whose option, has the domain and reason of one of the
// ErrorInfo details of e. Texts, codes and metadata do not count. An error
// without identity is only itself.
func (e *Error) Is(target error) bool {
	if e == nil {
		return target == nil
	}
	var want *errdetails.ErrorInfo
	switch t := target.(type) { // errors.Is unwraps: each link is asked by itself
	case *Error:
		want = t.ErrorInfo()
	case proto.Message:
		d, err := DefinitionOf(t.ProtoReflect().Descriptor())
		if err != nil {
			return false
		}
		want = &errdetails.ErrorInfo{Reason: d.Reason(), Domain: d.Domain()}
	}
	if want.GetReason() == "" {
		return false
	}
	for _, detail := range e.details {
		if info := errorInfo(Linked(), detail); info != nil && info.GetReason() == want.GetReason() && info.GetDomain() == want.GetDomain() {
			return true
		}
	}
	return false
}
