package errmapa2a

import (
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

// kind is one error that the SDK has a word for.
type kind struct {
	number   int64
	code     code.Code
	message  string
	sentinel error
	// annotated is the message of an error of A2A's own; nil for the others.
	annotated proto.Message
	// fault is one of the agent, of which its caller learns no more.
	fault bool
}

var (
	parseError     = &kind{-32700, code.Code_INVALID_ARGUMENT, "Invalid JSON payload", a2a.ErrParseError, nil, false}
	invalidRequest = &kind{-32600, code.Code_INVALID_ARGUMENT, "Request payload validation error", a2a.ErrInvalidRequest, nil, false}
	methodNotFound = &kind{-32601, code.Code_UNIMPLEMENTED, "Method not found", a2a.ErrMethodNotFound, nil, false}
	invalidParams  = &kind{-32602, code.Code_INVALID_ARGUMENT, "Invalid parameters", a2a.ErrInvalidParams, nil, false}
	internalError  = &kind{-32603, code.Code_INTERNAL, "Internal error", a2a.ErrInternalError, nil, true}

	taskNotFound = &kind{-32001, code.Code_NOT_FOUND, "Task not found", a2a.ErrTaskNotFound, &a2av1.TaskNotFoundError{}, false}

	taskNotCancelable = &kind{-32002, code.Code_FAILED_PRECONDITION, "Task cannot be canceled",
		a2a.ErrTaskNotCancelable, &a2av1.TaskNotCancelableError{}, false}
	pushNotificationNotSupported = &kind{-32003, code.Code_FAILED_PRECONDITION, "Push Notification is not supported",
		a2a.ErrPushNotificationNotSupported, &a2av1.PushNotificationNotSupportedError{}, false}
	unsupportedOperation = &kind{-32004, code.Code_FAILED_PRECONDITION, "This operation is not supported",
		a2a.ErrUnsupportedOperation, &a2av1.UnsupportedOperationError{}, false}
	contentTypeNotSupported = &kind{-32005, code.Code_INVALID_ARGUMENT, "Incompatible content types",
		a2a.ErrUnsupportedContentType, &a2av1.ContentTypeNotSupportedError{}, false}
	invalidAgentResponse = &kind{-32006, code.Code_INTERNAL, "Invalid agent response",
		a2a.ErrInvalidAgentResponse, &a2av1.InvalidAgentResponseError{}, false}
	extendedCardNotConfigured = &kind{-32007, code.Code_FAILED_PRECONDITION, "Authenticated Extended Card is not configured",
		a2a.ErrExtendedCardNotConfigured, &a2av1.ExtendedAgentCardNotConfiguredError{}, false}
	extensionSupportRequired = &kind{-32008, code.Code_FAILED_PRECONDITION, "Extension support is required",
		a2a.ErrExtensionSupportRequired, &a2av1.ExtensionSupportRequiredError{}, false}
	versionNotSupported = &kind{-32009, code.Code_FAILED_PRECONDITION, "Version not supported",
		a2a.ErrVersionNotSupported, &a2av1.VersionNotSupportedError{}, false}

	unauthenticated = &kind{-31401, code.Code_UNAUTHENTICATED, "Unauthenticated", a2a.ErrUnauthenticated, nil, false}
	unauthorized    = &kind{-31403, code.Code_PERMISSION_DENIED, "Permission denied", a2a.ErrUnauthorized, nil, false}
	serverError     = &kind{-32603, code.Code_INTERNAL, "Internal error", a2a.ErrServerError, nil, true}
)

// kinds are all of them. Of those without identity that share a code, the first
// is the one that the code stands for.
var kinds = []*kind{
	invalidParams, parseError, invalidRequest, methodNotFound, internalError, serverError, unauthenticated, unauthorized,
	taskNotFound, taskNotCancelable, pushNotificationNotSupported, unsupportedOperation, contentTypeNotSupported,
	invalidAgentResponse, extendedCardNotConfigured, extensionSupportRequired, versionNotSupported,
}

// plain returns the error without data, its text the standard's.
func (k *kind) plain() *errmap.Error {
	if k.annotated != nil {
		return errmap.New(k.annotated).WithCause(k.sentinel)
	}
	return k.read(k.message, nil)
}

// read returns the error that an object of the kind's number with that message
// and data is under the A2A profile.
func (k *kind) read(message string, data any) *errmap.Error {
	object := map[string]any{"code": k.number, "message": message}
	if data != nil {
		object["data"] = data
	}
	e, err := errmap.FromMap(object, errmap.ProfileA2A)
	if err != nil { // data beyond the limits of a reader
		e = errmap.NewCode(k.code, message)
		if k.annotated != nil {
			e = errmap.New(k.annotated).WithMessage(message)
		}
	}
	return e.WithCause(k.sentinel)
}

// kindOf returns what the SDK would call an error: by its identity, else by the
// number that it came with, else by its code; nil where the SDK has no word.
func kindOf(e *errmap.Error) *kind {
	if d := errmap.Linked().Find(e.Domain(), e.Reason()); d != nil {
		for _, k := range kinds {
			if k.annotated != nil && k.annotated.ProtoReflect().Descriptor().FullName() == d.FullName() {
				return k
			}
		}
	}
	for _, r := range e.Received() {
		if r.Wire != errmap.WireJSONRPC {
			continue
		}
		for _, k := range []*kind{parseError, invalidRequest} {
			if r.Number == strconv.FormatInt(k.number, 10) && e.Code() == k.code {
				return k
			}
		}
	}
	for _, k := range kinds {
		if k.annotated == nil && k.code == e.Code() {
			return k
		}
	}
	return nil
}
