// Package errmapgateway gives a gRPC-Gateway (github.com/grpc-ecosystem/grpc-gateway/v2)
// the errors of errmap: AIP-193, or application/problem+json for a client that
// prefers it, where the gateway itself writes a google.rpc.Status without the name
// of its code.
//
//	conn, err := grpc.NewClient(target, append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(creds))...)
//	if err != nil {
//		return err
//	}
//	mux := runtime.NewServeMux(runtime.WithErrorHandler(errmapgateway.ErrorHandler()))
//	return register(ctx, mux, conn) // a Register…Handler that protoc-gen-grpc-gateway wrote
//
// A service that has no gateway yet needs none: [server/httpjson] binds it by the
// same google.api.http options, and [server/gateway] one that runs elsewhere.
//
// [server/httpjson]: https://pkg.go.dev/github.com/errmap/errmap/server/httpjson
// [server/gateway]: https://pkg.go.dev/github.com/errmap/errmap/server/gateway
package errmapgateway

import (
	"context"
	"errors"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/status"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
)

// ErrorHandler returns a handler for runtime.WithErrorHandler, which writes each
// error as errmaphttp.WriteError does, with Retry-After where there is a RetryInfo.
// It is safe for concurrent use.
//
//   - What the service sent is written whole: a gateway stands for its service.
//   - Where the way to the service failed, the answer is UNAVAILABLE, or the end of
//     the request, with a fixed text. The connection needs errmapgrpc.DialOptions to
//     tell that from what the service sent; without them grpc-go's text goes out,
//     which has addresses.
//   - What the gateway found wrong with a request, and a status error of grpc-go
//     otherwise, is written with its own code and text; a runtime.HTTPStatusError
//     with its HTTP status.
//   - Of a service in the same process the error of the handler comes here itself:
//     annotated messages and *errmap.Error are written, others are hidden and
//     logged, as by any [errmap.Guard].
//
// A guard of errmaphttp.WithGuard needs errmap.WithRecognizer(errmapgrpc.Recognize),
// or the status errors are hidden. Headers and trailers that the service set beside
// its error stay behind. Errors in the middle of a stream are not written here:
// the gateway's own form of them has the details.
func ErrorHandler(opts ...errmaphttp.WriteOption) runtime.ErrorHandlerFunc {
	guard := errmap.NewGuard(errmap.WithRecognizer(errmapgrpc.Recognize))
	opts = append([]errmaphttp.WriteOption{errmaphttp.WithGuard(guard)}, opts...)
	return func(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
		w.Header().Del("Trailer")
		w.Header().Del("Transfer-Encoding")
		_ = errmaphttp.WriteError(w, r, outgoing(err), opts...) // a write that fails is the client's going
	}
}

// outgoing returns the error that the guard is to see.
func outgoing(err error) error {
	if routed, ok := errors.AsType[*runtime.HTTPStatusError](err); ok && routed != nil {
		// An error read of a status keeps it, and is written with it again.
		if e, decodeErr := errmap.DecodeHTTP(nil, errmap.WithHTTPStatus(routed.HTTPStatus)); decodeErr == nil {
			return errmap.Forward(e.WithMessage(status.Convert(routed.Err).Message()).WithCause(err))
		}
	}
	e, ok := errors.AsType[*errmap.Error](err)
	switch {
	case !ok:
		return err
	case e.Remote():
		return errmap.Forward(err)
	case e.Local() && e.Code() == code.Code_UNAVAILABLE:
		return errmap.NewCode(code.Code_UNAVAILABLE, "the service cannot be reached").WithCause(err)
	}
	return err
}
