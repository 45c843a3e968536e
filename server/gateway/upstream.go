package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adapter"
)

// Protocol is how an upstream is spoken to.
type Protocol int

const (
	// ProtocolConnect is the Connect protocol, over HTTP/1.1 or HTTP/2.
	ProtocolConnect Protocol = iota
	// ProtocolGRPC is gRPC, over HTTP/2.
	ProtocolGRPC
	// ProtocolGRPCWeb is gRPC-Web, over HTTP/1.1 or HTTP/2.
	ProtocolGRPCWeb
)

// String returns "connect", "grpc" or "grpc-web".
func (p Protocol) String() string {
	switch p {
	case ProtocolConnect:
		return "connect"
	case ProtocolGRPC:
		return "grpc"
	case ProtocolGRPCWeb:
		return "grpc-web"
	}
	return fmt.Sprintf("protocol %d", int(p))
}

// ParseProtocol returns the protocol of that name. Its error lists the names.
func ParseProtocol(name string) (Protocol, error) {
	for _, p := range []Protocol{ProtocolConnect, ProtocolGRPC, ProtocolGRPCWeb} {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("gateway: unknown protocol %q: want connect, grpc or grpc-web", name)
}

// Upstream is a service that runs elsewhere.
type Upstream struct {
	client   *http.Client
	url      string
	protocol Protocol
	limits   ReflectionLimits
}

// An UpstreamOption changes what [NewUpstream] makes.
type UpstreamOption interface{ applyUpstream(*Upstream) }

type upstreamOption func(*Upstream)

func (f upstreamOption) applyUpstream(u *Upstream) { f(u) }

// NewUpstream returns the upstream at a base URL, to which procedure paths are
// appended. A nil client is that of [NewHTTPClient]. It is safe for concurrent use.
func NewUpstream(client *http.Client, url string, protocol Protocol, opts ...UpstreamOption) *Upstream {
	if client == nil {
		client = NewHTTPClient()
	}
	u := &Upstream{client: client, url: strings.TrimSuffix(url, "/"), protocol: protocol}
	for _, opt := range opts {
		opt.applyUpstream(u)
	}
	u.limits = u.limits.withDefaults()
	return u
}

// Transport returns the transport of calls to the upstream.
func (u *Upstream) Transport() connect.Transport {
	client := *u.client
	switch u.protocol {
	case ProtocolGRPC:
		client.Transport = adapter.Abortable(client.Transport)
		return connecthttp.NewTransport(&client, u.url, connecthttp.WithGRPC())
	case ProtocolGRPCWeb:
		client.Transport = adapter.Abortable(client.Transport)
		return connecthttp.NewTransport(&client, u.url, connecthttp.WithGRPCWeb())
	case ProtocolConnect:
	}
	// connect gives up an error of which one part is malformed, and one with very
	// many details costs it minutes. It aborts calls as the others do, too.
	client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.Connect)
	return connecthttp.NewTransport(&client, u.url)
}
