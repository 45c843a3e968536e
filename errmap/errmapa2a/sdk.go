package errmapa2a

import (
	"errors"
	"maps"
	"reflect"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

const typeMember = "@type"

// Recognize is the [errmap.Recognizer] of the SDK's errors: give it to the guard
// of a server with [errmap.WithRecognizer].
//
// A sentinel says the error that it stands for, with the standard's text. An
// *a2a.Error says that of the first sentinel, *errmap.Error or annotated message
// in it, with its own message and details; one that has neither message nor
// details says nothing of its own. a2a.ErrInternalError and a2a.ErrServerError
// do not speak.
func Recognize(link error) (e *errmap.Error, known bool) {
	if sdk, ok := link.(*a2a.Error); ok { // a link of a chain, which the guard walks
		return recognizeError(sdk)
	}
	k := kindOfSentinel(link)
	switch {
	case k == nil:
		return nil, false
	case k.fault:
		return nil, true
	}
	return k.plain(), true
}

// FromError returns what any Go error says, as [errmap.From] does, and knows the
// errors of the SDK besides: the first in a wrap or join that speaks is the
// error. Nil gives nil. What leaves a server goes through a guard with
// [Recognize] instead.
func FromError(err error) *errmap.Error {
	var found *errmap.Error
	visit(err, func(link error) (deeper bool) {
		if found != nil {
			return false
		}
		if asOwn(link) != nil {
			found = errmap.From(err) // which looks for the same link
			return false
		}
		e, known := Recognize(link)
		if e != nil {
			found = e.WithCause(err)
		}
		return !known
	})
	if found == nil {
		return errmap.From(err)
	}
	return found
}

// Sentinel returns the error of the SDK that an error is, such as
// a2a.ErrTaskNotFound: the first sentinel, *errmap.Error or annotated message in
// a wrap or join decides, the latter two by identity, through any wire, else by
// the number or code where that stands for one; a NOT_FOUND without identity is
// no a2a.ErrTaskNotFound. It is nil where the SDK has no such error, and for nil.
func Sentinel(err error) error {
	var k *kind
	decided := false
	visit(err, func(link error) (deeper bool) {
		if decided {
			return false
		}
		if own := asOwn(link); own != nil {
			k, decided = kindOf(own), true
		} else if found := kindOfSentinel(link); found != nil {
			k, decided = found, true
		}
		return !decided
	})
	if k == nil {
		return nil
	}
	return k.sentinel
}

// ToError returns an error as the SDK's own type, for its clients and servers: its
// Err finds Sentinel(err), or a2a.ErrServerError where there is none, and the
// *errmap.Error, with errors.Is and errors.As; Message is the message;
// TypedDetails are the details, and Details is free-form data, under the key
// "data" where it is no object. Nil gives nil.
//
// The SDK's own servers write the message, the metadata of an ErrorInfo and the
// other details, but the reason and the domain of the sentinel: errors of other
// domains arrive whole only through the adapters of this module.
func ToError(err error) *a2a.Error {
	e := FromError(err)
	if e == nil {
		return nil
	}
	sentinel := Sentinel(err)
	if sentinel == nil {
		sentinel = a2a.ErrServerError
	}
	// The SDK's servers ask for each sentinel in no order: one of another error in
	// the chain must not be found.
	visit(e.Unwrap(), func(link error) (deeper bool) {
		if k := kindOfSentinel(link); k != nil && k.sentinel != sentinel {
			e = e.WithCause(nil)
		}
		return true
	})
	sdk := a2a.NewError(&both{sentinel, e}, e.Message())
	sdk.Details, sdk.TypedDetails = sdkDetails(e)
	return sdk
}

// both is a sentinel of the SDK with the error that it stands for. A guard sees
// the error alone: a sentinel must not speak for one that a peer sent.
type both struct {
	sentinel error
	e        *errmap.Error
}

// Error returns the text of the error, for logs.
func (b *both) Error() string { return b.e.Error() }

// Is finds the sentinel.
func (b *both) Is(target error) bool { return target == b.sentinel } //nolint:errorlint // one link, not a chain

// Unwrap finds the error.
func (b *both) Unwrap() error { return b.e }

// sdkDetails returns the details of an error as the SDK has them.
func sdkDetails(e *errmap.Error) (map[string]any, []*errordetails.Typed) {
	switch data := ToMap(e)["data"].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return data, nil
	case []any:
		if typed := typedDetails(data); typed != nil {
			return nil, typed
		}
		return map[string]any{"data": data}, nil
	default:
		return map[string]any{"data": data}, nil
	}
}

// typedDetails returns the elements of data as the SDK has them; nil where one
// is no typed object.
func typedDetails(data []any) []*errordetails.Typed {
	var typed []*errordetails.Typed
	for _, element := range data {
		object, _ := element.(map[string]any)
		url, ok := object[typeMember].(string)
		if !ok {
			return nil
		}
		value := maps.Clone(object)
		delete(value, typeMember)
		typed = append(typed, errordetails.NewTyped(url, value))
	}
	return typed
}

// recognizeError returns what an *a2a.Error says.
func recognizeError(sdk *a2a.Error) (*errmap.Error, bool) {
	if sdk == nil {
		return nil, true
	}
	if sdk.Message == "" && len(sdk.Details) == 0 && len(sdk.TypedDetails) == 0 {
		return nil, false // what it wraps speaks for itself, or does not
	}
	var k *kind
	var own *errmap.Error
	visit(sdk.Err, func(link error) (deeper bool) {
		if k == nil && own == nil {
			k, own = kindOfSentinel(link), asOwn(link)
		}
		return k == nil && own == nil
	})
	switch {
	case own.Remote(), own.Local():
		return nil, false // it speaks where it was forwarded, and then by itself
	case own != nil:
		return within(own, sdk), true
	case k == nil:
		k = internalError
	}
	message := sdk.Message
	if message == "" {
		message = k.message
	}
	data := k.elements(sdk)
	if len(data) == 0 {
		return k.plain().WithMessage(message).WithCause(sdk), true
	}
	return k.read(message, data).WithCause(sdk), true
}

// within returns an error with the message and details of an *a2a.Error around
// it.
func within(own *errmap.Error, sdk *a2a.Error) *errmap.Error {
	object := ToMap(own)
	if _, made := errors.AsType[*both](sdk.Err); made {
		details, typed := sdkDetails(own)
		if reflect.DeepEqual(details, sdk.Details) && reflect.DeepEqual(typed, sdk.TypedDetails) {
			return own.WithMessage(sdk.Message).WithCause(sdk)
		}
		delete(object, "data") // it came along as the details
	}
	if sdk.Message != "" {
		object["message"] = sdk.Message
	}
	k := kindOf(own)
	if k == nil {
		k = serverError
	}
	if more := k.elements(sdk); len(more) > 0 {
		data, ok := object["data"].([]any)
		if !ok && object["data"] != nil {
			data = []any{object["data"]}
		}
		object["data"] = append(data, more...)
	}
	e, err := errmap.FromMap(object, errmap.ProfileA2A)
	if err != nil { // beyond the limits of a reader
		e = own.WithMessage(sdk.Message)
	}
	return e.WithCause(sdk)
}

// elements returns the details of an *a2a.Error as elements of data. The SDK
// gives every error an ErrorInfo of A2A's domain, the standard ones too; those
// have no reason, so of theirs only the metadata is kept.
func (k *kind) elements(sdk *a2a.Error) []any {
	var elements []any
	repeated := false
	for _, d := range sdk.TypedDetails {
		if d == nil {
			continue
		}
		// The SDK's client puts the first detail into Details as well.
		repeated = repeated || reflect.DeepEqual(d.Value, sdk.Details)
		switch {
		case d.TypeURL == errordetails.ErrorInfoType && (d.Value["domain"] == a2a.ProtocolDomain || d.Value["domain"] == nil):
			metadata := d.Value["metadata"]
			if isEmpty(metadata) {
				continue
			}
			if k.annotated == nil {
				elements = append(elements, map[string]any{typeMember: errordetails.StructType, "value": metadata})
				continue
			}
			info := k.plain().ErrorInfo()
			elements = append(elements, map[string]any{
				typeMember: errordetails.ErrorInfoType,
				"reason":   info.GetReason(), "domain": info.GetDomain(), "metadata": metadata,
			})
		case d.TypeURL == errordetails.StructType, d.TypeURL == "":
			elements = append(elements, structElement(d.Value))
		default:
			object := map[string]any{}
			maps.Copy(object, d.Value)
			object[typeMember] = d.TypeURL
			elements = append(elements, object)
		}
	}
	if len(sdk.Details) > 0 && !repeated {
		elements = append(elements, structElement(sdk.Details))
	}
	return elements
}

// structElement returns the ProtoJSON of a google.protobuf.Struct in an Any. The
// SDK puts the fields beside the "@type"; what its client received from a peer
// that writes ProtoJSON has them under "value" already.
func structElement(fields map[string]any) map[string]any {
	if inner, ok := fields["value"].(map[string]any); ok && len(fields) == 1 {
		fields = inner
	}
	return map[string]any{typeMember: errordetails.StructType, "value": fields}
}

func isEmpty(m any) bool {
	v := reflect.ValueOf(m)
	return !v.IsValid() || v.Kind() == reflect.Map && v.Len() == 0
}

// kindOfSentinel returns the kind whose sentinel one link is.
func kindOfSentinel(link error) *kind {
	for _, k := range kinds {
		if link == k.sentinel { //nolint:errorlint // one link, not a chain
			return k
		}
	}
	return nil
}

// asOwn returns the *errmap.Error that one link is or says.
func asOwn(link error) *errmap.Error {
	if e, ok := link.(*errmap.Error); ok {
		return e
	}
	m, ok := link.(proto.Message)
	if !ok {
		return nil
	}
	if e := errmap.New(m); e.Reason() != "" { // New hides what is not annotated
		return e
	}
	return nil
}

// visit walks a tree of errors depth first, as errors.Is does.
func visit(err error, f func(link error) (deeper bool)) {
	if err == nil || !f(err) {
		return
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		visit(wrapper.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, member := range wrapper.Unwrap() {
			visit(member, f)
		}
	}
}
