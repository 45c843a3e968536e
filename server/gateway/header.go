package gateway

import (
	"context"
	"strings"

	"connectrpc.com/connect/v2"
)

// upstreamContext carries the request headers on that are not of one connection
// or one protocol.
func upstreamContext(ctx context.Context) context.Context {
	in, ok := connect.CallInfoForServerContext(ctx)
	ctx, out := connect.NewClientContext(ctx)
	if !ok {
		return ctx
	}
	for key, values := range in.RequestHeader().All() {
		if travels(key) {
			out.RequestHeader().SetValues(key, values)
		}
	}
	return ctx
}

// travels tells whether a request header is for the service itself.
func travels(key string) bool {
	switch key {
	case "Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
		"Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "User-Agent":
		return false
	}
	return !strings.HasPrefix(key, "Connect-") && !strings.HasPrefix(key, "Grpc-") && !strings.HasPrefix(key, ":")
}
