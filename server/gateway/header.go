package gateway

import (
	"context"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
)

// DefaultRequestHeaders is the rule for the headers of a request unless
// [WithRequestHeaders] sets another: every header is sent on, Authorization and
// Cookie too, since it is the upstream that knows whom it lets in; but not
//
//   - those by which proxies tell where a request came from (Forwarded,
//     X-Forwarded-* and X-Real-Ip), which any client can write;
//   - those by which a browser tells a server which page asks (Origin and
//     Sec-Fetch-*): the server that it asks is the gateway, and to the upstream each
//     page would be one of another origin.
//
// Name is in canonical form. Where a proxy that is trusted stands before the gateway
// and the upstream wants to know what it tells, a rule of one's own lets that
// through.
func DefaultRequestHeaders(name string) bool {
	switch name {
	case "Forwarded", "Origin", "X-Real-Ip":
		return false
	}
	return !strings.HasPrefix(name, "X-Forwarded-") && !strings.HasPrefix(name, "Sec-Fetch-")
}

// upstreamContext sends the headers of a request on that are for the service
// itself.
func (g *Gateway) upstreamContext(ctx context.Context) context.Context {
	in, ok := connect.CallInfoForServerContext(ctx)
	ctx, out := connect.NewClientContext(ctx)
	if !ok {
		return ctx
	}
	header := in.RequestHeader()
	named := namedByConnection(header.Values("Connection"))
	for key, values := range header.All() {
		if !ofConnection(key) && !ofProtocol(key) && !named[key] && g.travels(key) {
			out.RequestHeader().SetValues(key, values)
		}
	}
	return ctx
}

// ofConnection tells whether a header is for the next hop alone (RFC 9110 section
// 7.6.1), whether or not Connection names it.
func ofConnection(key string) bool {
	switch key {
	case "Connection", "Http2-Settings", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}

// ofProtocol tells whether a header belongs to the protocol or to the body of the
// request, which are others on the way to the upstream.
func ofProtocol(key string) bool {
	switch key {
	case "Accept", "Accept-Encoding", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "User-Agent":
		return true
	}
	return strings.HasPrefix(key, "Connect-") || strings.HasPrefix(key, "Grpc-") || strings.HasPrefix(key, ":")
}

// namedByConnection returns the headers that the sender says are for the next hop.
func namedByConnection(values []string) map[string]bool {
	if len(values) == 0 {
		return nil
	}
	named := make(map[string]bool)
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			named[http.CanonicalHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	return named
}
