package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/server/gateway"
)

// hopeless tells whether asking an upstream for its schema once more gives the
// same error: it answered, or it is not what it is taken for.
func hopeless(err error) bool {
	remote, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return true // the upstream has answered, and the schema is of no use
	}
	if misspoken(err) || untrusted(err) {
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
	case strings.Contains(err.Error(), "HTTP/1.1 header"):
		remedy = "the upstream speaks no HTTP/2 there: turn HTTP/2 without TLS on (h2c), or use https://"
	case brokeOff(err) && strings.HasPrefix(url, "http:"):
		remedy = "if the upstream speaks TLS there, use https:// in --upstream"
	case wrongProtocol(err):
		remedy = "try --protocol " + others(protocol)
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
