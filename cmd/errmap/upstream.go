package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/server/gateway"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// hopeless tells whether asking an upstream for its schema once more gives the
// same error: it answered, or it is not what it is taken for.
func hopeless(err error) bool {
	remote, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return true // the upstream has answered, and the schema is of no use
	}
	if misspoken(err) || untrusted(err) || needsHTTP2(err) {
		return true
	}
	if status := statusOf(err); status != 0 {
		again := status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
		return status/100 == 4 && !again
	}
	switch remote.Code() {
	case connect.CodeUnimplemented, connect.CodeUnauthenticated, connect.CodePermissionDenied, connect.CodeNotFound, connect.CodeInvalidArgument:
		return true
	}
	return wrongProtocol(err)
}

// withRemedy adds to an error of reflection what to do about it. url and protocol
// are what the upstream was spoken to by.
func withRemedy(err error, url string, protocol gateway.Protocol) error {
	remedy := ""
	remote, ok := errors.AsType[*connect.Error](err)
	switch {
	case !ok:
		return err
	case misspoken(err):
		remedy = "the upstream has no TLS there: use http:// in --upstream"
	case untrusted(err):
		remedy = "have its certificate signed by an authority that this machine trusts (SSL_CERT_FILE names others)"
	case needsHTTP2(err):
		remedy = "reflection needs HTTP/2, which the upstream does not speak there: give --descriptors with a file of `buf build -o FILE`"
	case strings.Contains(err.Error(), "HTTP/1.1 header"):
		remedy = "the upstream speaks no HTTP/2 there: turn HTTP/2 without TLS on (h2c), or use https://"
	case brokeOff(err) && strings.HasPrefix(url, "http:"):
		remedy = "if the upstream speaks TLS there, use https:// in --upstream"
	case wrongProtocol(err):
		remedy = "try --protocol " + others(protocol)
	case remote.Code() == connect.CodeDeadlineExceeded && !remote.IsRemote():
		remedy = "something listens there and does not answer: look at --upstream, and at --protocol"
	case remote.Code() == connect.CodeUnimplemented, statusOf(err) == http.StatusNotFound:
		remedy = "turn reflection on in the upstream, or give --descriptors with a file of `buf build -o FILE`"
	case remote.Code() == connect.CodeUnauthenticated, remote.Code() == connect.CodePermissionDenied:
		remedy = "reflection is asked for without credentials: give --descriptors with a file of `buf build -o FILE`"
	}
	if remedy == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, remedy)
}

// misspoken tells whether TLS was spoken to a server that speaks none.
func misspoken(err error) bool {
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	return plain || errors.Is(err, http.ErrSchemeMismatch)
}

func untrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// needsHTTP2 tells whether a server of HTTP/1.1 was asked by reflection, which is a
// stream in both directions.
func needsHTTP2(err error) bool {
	return statusOf(err) == http.StatusHTTPVersionNotSupported || strings.Contains(err.Error(), "bidi streams require at least HTTP/2")
}

// brokeOff tells whether the upstream ended a connection that it had accepted, as
// TLS servers do that hear none. net/http has several words for that.
func brokeOff(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return strings.Contains(err.Error(), "client conn could not be established")
}

// wrongProtocol tells whether a server answered that speaks another protocol.
func wrongProtocol(err error) bool {
	return statusOf(err) == http.StatusUnsupportedMediaType || strings.Contains(err.Error(), "invalid content-type")
}

// statusOf returns the HTTP status of an answer that was none of the protocol, 0
// where there is none. Connect tells it in the text alone.
func statusOf(err error) int {
	if response, ok := errors.AsType[*errmaphttp.ResponseError](err); ok {
		return response.StatusCode
	}
	e, ok := errors.AsType[*connect.Error](err)
	if !ok || e.IsRemote() {
		return 0
	}
	rest, _ := strings.CutPrefix(e.Message(), "HTTP status ")
	number, _, _ := strings.Cut(rest, " ")
	status, _ := strconv.Atoi(number)
	return status
}

// others names the protocols that are not p.
func others(p gateway.Protocol) string {
	var names []string
	for _, other := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
		if other != p {
			names = append(names, other.String())
		}
	}
	return strings.Join(names, " or ")
}

// readDescriptors reads a descriptor set in binary, or in JSON.
func readDescriptors(path string) (*descriptorpb.FileDescriptorSet, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(raw, set); err != nil {
		if jsonErr := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, set); jsonErr != nil {
			return nil, fmt.Errorf("%s is no descriptor set: %w", path, err)
		}
	}
	return set, nil
}

// healthz tells whether the upstream answers: by its health service, or where it
// has none, or does not let everybody ask it, by answering at all.
func healthz(upstream *gateway.Upstream) http.HandlerFunc {
	client := connect.NewClient(upstream.Transport())
	spec := connect.Spec{Procedure: "/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/Check"}
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		answer := new(grpc_health_v1.HealthCheckResponse)
		err := client.CallUnary(ctx, spec, new(grpc_health_v1.HealthCheckRequest), answer)
		if err == nil && answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING || hasNoHealth(err) {
			fmt.Fprintln(w, "ok")
			return
		}
		http.Error(w, "the upstream does not serve", http.StatusServiceUnavailable)
	}
}

// hasNoHealth tells whether a server answered that does not tell its health: in the
// protocol, or by an HTTP status, as routers do for a path that they do not know.
func hasNoHealth(err error) bool {
	switch statusOf(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	e, ok := errors.AsType[*connect.Error](err)
	if !ok || !e.IsRemote() {
		return false
	}
	switch e.Code() {
	case connect.CodeUnimplemented, connect.CodeUnauthenticated, connect.CodePermissionDenied, connect.CodeNotFound:
		return true
	}
	return false
}

// joined writes names in a row.
func joined[T ~string](names []T) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}
