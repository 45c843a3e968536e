// Package errmapa2a has the errors of the Agent2Agent protocol, version 1.0.1, and
// the way from and to those of its Go SDK, github.com/a2aproject/a2a-go/v2.
// docs/agent.md tells what 1.0.1 changed in them.
//
// An agent makes them with one of fourteen constructors:
//
//	return nil, errmapa2a.TaskNotFound(map[string]any{"taskId": id})
//
// On JSON-RPC that is
//
//	{"code":-32001,"message":"Task not found","data":[{
//	  "@type":"type.googleapis.com/google.rpc.ErrorInfo",
//	  "reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}]}
//
// and on gRPC, Connect and HTTP+JSON the same code, reason, domain and metadata.
// A client finds the generated message in it, *a2av1.TaskNotFoundError, with
// errors.As, through any wire.
//
// # Agents built on the SDK
//
// Handlers that return a2a.ErrTaskNotFound, an *a2a.Error, or what wraps or joins
// them, need not change: [Recognize] tells the [errmap.Guard] of a server what
// they say to the caller. What the agent's own texts around a sentinel say stays
// in the log, as docs/wire.md section 10 asks; an *a2a.Error is made for the
// caller, so its message and details speak.
//
//	| returned                                   | the caller gets                     |
//	|--------------------------------------------|-------------------------------------|
//	| a2a.ErrTaskNotFound, wrapped or joined     | TaskNotFound, the standard's text   |
//	| a2a.NewError(a2a.ErrTaskNotFound, "gone")  | TaskNotFound with the text "gone"   |
//	| a2a.ErrUnauthenticated, a2a.ErrUnauthorized| UNAUTHENTICATED, PERMISSION_DENIED  |
//	| a2a.ErrInternalError, a2a.ErrServerError   | INTERNAL, hidden, with a request id |
//	| an *a2a.Error without text around another  | INTERNAL, hidden, with a request id |
//
// An agent that keeps the SDK's own servers installs [ServerInterceptor] in them,
// which does the same there.
//
// [FromError] and [ToError] translate one error, [Sentinel] answers which of the SDK's
// errors one is, and [ClientInterceptor] makes what an SDK client receives known
// as received, so that an agent which calls another one does not repeat it to
// its own callers by mistake.
package errmapa2a
