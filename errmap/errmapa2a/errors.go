package errmapa2a

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

// ParseError returns the standard error -32700: the body is not JSON.
//
// The data of this and the other four standard errors, which have no reason,
// stands in the data member exactly as encoding/json writes it. See [ToMap] for
// what data may be.
func ParseError(data ...any) *errmap.Error { return parseError.made(data) }

// InvalidRequest returns the standard error -32600: the JSON is no request.
func InvalidRequest(data ...any) *errmap.Error { return invalidRequest.made(data) }

// MethodNotFound returns the standard error -32601: there is no such method. Its
// code is UNIMPLEMENTED.
func MethodNotFound(data ...any) *errmap.Error { return methodNotFound.made(data) }

// InvalidParams returns the standard error -32602: the parameters are not those
// of the method. Its code is INVALID_ARGUMENT; a *errdetails.BadRequest as data
// says which.
func InvalidParams(data ...any) *errmap.Error { return invalidParams.made(data) }

// InternalError returns the standard error -32603 as one made for the caller,
// data included. An error that is for the log alone is returned as it is: the
// guard of a server hides it.
func InternalError(data ...any) *errmap.Error { return internalError.made(data) }

// TaskNotFound returns the A2A error -32001: the task does not exist, or the
// caller may not see it.
//
// The data of this and the other eight errors of A2A itself becomes metadata of
// their ErrorInfo: an object's members by name, anything else under "data";
// strings as they are, the rest as compact JSON text.
func TaskNotFound(data ...any) *errmap.Error { return taskNotFound.made(data) }

// TaskNotCancelable returns the A2A error -32002: the task is in a state from
// which it cannot be canceled.
func TaskNotCancelable(data ...any) *errmap.Error { return taskNotCancelable.made(data) }

// PushNotificationNotSupported returns the A2A error -32003: the agent sends no
// push notifications.
func PushNotificationNotSupported(data ...any) *errmap.Error {
	return pushNotificationNotSupported.made(data)
}

// UnsupportedOperation returns the A2A error -32004: the agent does not support
// the operation, or not for this task.
func UnsupportedOperation(data ...any) *errmap.Error { return unsupportedOperation.made(data) }

// ContentTypeNotSupported returns the A2A error -32005: the agent cannot take a
// media type that was sent, or give one that was asked for.
func ContentTypeNotSupported(data ...any) *errmap.Error { return contentTypeNotSupported.made(data) }

// InvalidAgentResponse returns the A2A error -32006: the agent gave a response
// that does not conform to the specification.
func InvalidAgentResponse(data ...any) *errmap.Error { return invalidAgentResponse.made(data) }

// AuthenticatedExtendedCardNotConfigured returns the A2A error -32007: the agent
// has no extended card. The name is the one that the error had before 1.0; the
// reason on the wire is today's, EXTENDED_AGENT_CARD_NOT_CONFIGURED.
func AuthenticatedExtendedCardNotConfigured(data ...any) *errmap.Error {
	return extendedCardNotConfigured.made(data)
}

// ExtensionSupportRequired returns the A2A error -32008: the client did not
// declare support for an extension that the agent requires.
func ExtensionSupportRequired(data ...any) *errmap.Error { return extensionSupportRequired.made(data) }

// VersionNotSupported returns the A2A error -32009: the agent does not speak the
// version of the protocol that the request names.
func VersionNotSupported(data ...any) *errmap.Error { return versionNotSupported.made(data) }

// ToMap returns the error object of JSON-RPC 2.0 under the A2A profile as the map
// that JSON-RPC libraries pass around: "code" (int64), "message" (string) and,
// where there is something to say, "data". The numbers -32001 to -32009 always
// have data, an array that holds the ErrorInfo. It is nil for nil.
//
// The data of a constructor is optional, and a nil is none:
//
//   - a protobuf message, such as *errdetails.BadRequest, is a detail of its own;
//   - a Go error is the cause, which errors.Is finds and no wire carries;
//   - anything else is free-form data, as encoding/json writes it; several
//     values are one array. Data that has no JSON is left out with a note, and
//     costs neither code nor message.
//
// On wires that have no place for free-form JSON, such as gRPC, the data of the
// five standard errors rides along and stands again on the next JSON-RPC wire.
func ToMap(e *errmap.Error, opts ...errmap.EncodeOption) map[string]any {
	return errmap.ToMap(e, errmap.ProfileA2A, opts...)
}

// made returns the error of a kind with what a caller of its constructor gave.
func (k *kind) made(data []any) *errmap.Error {
	var details []proto.Message
	var free []any
	cause := k.sentinel
	for _, d := range data {
		switch d := d.(type) {
		case nil: // such as a cause that is none
		case error: // a value that the caller gave, not a chain
			cause = fmt.Errorf("%w: %w", cause, d)
		case proto.Message:
			details = append(details, d)
		default:
			free = append(free, d)
		}
	}
	var e *errmap.Error
	switch {
	case len(free) == 0:
		e = k.plain()
	case len(free) == 1:
		e = k.read(k.message, free[0])
	default:
		e = k.read(k.message, free)
	}
	for _, d := range details {
		e = e.WithDetail(d)
	}
	return e.WithCause(cause)
}
