package errmapmcp

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Client is the SDK's client, whose requests fail with an [*Error]. It is safe
// for concurrent use. Make one with NewClient, and connect it with its own
// Connect.
type Client struct {
	*mcp.Client
	config  config
	gate    *gate
	servers *bound
	receive mcp.MethodHandler // what requests of servers go through

	mu    sync.Mutex
	links map[weak.Pointer[mcp.ClientSession]]*link
}

// NewClient returns a client. opts, which may be nil, are the SDK's; the SDK's
// multi-round-trip loop is replaced by one whose failures have kinds, unless opts
// turns it off.
//
// It panics where [mcp.NewClient] does: without an implementation, and with two
// handlers for sampling.
func NewClient(impl *mcp.Implementation, opts *mcp.ClientOptions, own ...Option) *Client {
	var sdk mcp.ClientOptions
	if opts != nil {
		sdk = *opts
	}
	c := &Client{links: map[weak.Pointer[mcp.ClientSession]]*link{}}
	c.config.loop = sdk.MultiRoundTrip == nil || !sdk.MultiRoundTrip.Disabled
	for _, opt := range own {
		opt.apply(&c.config)
	}
	if c.config.maxMessage == 0 {
		c.config.maxMessage = DefaultMaxMessage
	}
	sdk.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	c.gate = newGate(&c.config)
	c.servers = &bound{limit: c.config.maxStdio}
	c.Client = mcp.NewClient(impl, &sdk)
	c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		c.receive = next
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if session, ok := req.GetSession().(*mcp.ClientSession); ok && isNotification(method) {
				c.linkOf(ctx, session).noteChanged(method)
			}
			return next(ctx, method, req)
		}
	})
	c.AddSendingMiddleware(c.sending)
	return c
}

// Connect opens a session as the SDK's client does, over any of the SDK's
// transports or one of the program's own, which is left as it is: a
// [*mcp.StreamableClientTransport] and a [*mcp.SSEClientTransport] get a
// [RoundTripper] below them, a [*mcp.CommandTransport] and a [*mcp.IOTransport]
// are replaced by the same of this package, and others are watched from above.
// A transport that wraps the streamable one should have a RoundTripper in its
// http.Client, since watching cannot be done from above there.
//
// Its error is an *Error where connecting failed, or the error of ctx.
func (c *Client) Connect(ctx context.Context, t mcp.Transport, opts *mcp.ClientSessionOptions) (*Session, error) {
	l := newLink()
	if streamable, ok := t.(*mcp.StreamableClientTransport); ok {
		// The SDK finds out with the first request, and gives up the connection.
		if _, err := url.Parse(streamable.Endpoint); err != nil {
			l.secrets.add(streamable.Endpoint) // no part of it can be told apart
			return nil, l.secrets.concealCause(newError(KindTransport, ReasonFailed, WithCause(err)))
		}
	}
	connectCtx := context.WithValue(withEvidence(ctx, nil), linkKey{}, l)
	session, err := c.Client.Connect(connectCtx, c.watch(t, l), opts)
	opened := l.connected()
	if err != nil {
		if opened != nil {
			l.close()
			_ = opened.Close()
		}
		if e := inChain(err); e != nil {
			return nil, l.secrets.concealCause(e)
		}
		return nil, l.secrets.conceal(err)
	}
	return &Session{ClientSession: session, client: c, link: l}, nil
}

// watch returns the transport that t becomes.
func (c *Client) watch(t mcp.Transport, l *link) mcp.Transport {
	var inner mcp.Transport
	switch t := t.(type) {
	case *mcp.StreamableClientTransport:
		watched := *t
		watched.HTTPClient = c.watchedClient(t.HTTPClient, l, t.Endpoint)
		watched.MaxEventSize = c.eventSize(t.MaxEventSize)
		l.http.renews, l.http.notify = !c.config.noRenewal, c.config.renewed
		return &watched
	case *mcp.SSEClientTransport:
		watched := *t
		watched.HTTPClient = c.watchedClient(t.HTTPClient, l, t.Endpoint)
		watched.MaxEventSize = c.eventSize(t.MaxEventSize)
		inner = &watched
	case *mcp.CommandTransport:
		inner = &commandTransport{t.Command, t.TerminateDuration, c.config.maxMessage, c.servers.acquire, c.servers.release}
	case *mcp.IOTransport:
		inner = &ioTransport{t, c.config.maxMessage}
	default:
		inner = t
	}
	return &watchedTransport{inner, l, c.config.maxMessage}
}

// linkOf returns what is known of the connection of a session.
func (c *Client) linkOf(ctx context.Context, session *mcp.ClientSession) *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := weak.Make(session)
	if l := c.links[key]; l != nil {
		return l
	}
	// The first request of a session is made while it connects.
	l, _ := ctx.Value(linkKey{}).(*link)
	if l == nil || !l.bind(session) {
		l = newLink()
	}
	c.links[key] = l
	runtime.AddCleanup(session, c.forget, key)
	return l
}

func (c *Client) forget(key weak.Pointer[mcp.ClientSession]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.links, key)
}

// watchedClient returns a copy of an HTTP client with an endpoint and a RoundTripper
// below it.
func (c *Client) watchedClient(client *http.Client, l *link, address string) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	watched, base := *client, client.Transport
	if own, ok := base.(*RoundTripper); ok {
		base = own.base
	}
	l.http = newEndpoint(base, l, address)
	watched.Transport = NewRoundTripper(l.http)
	return &watched
}

// eventSize returns the cap of an event that the SDK is given, which the program may
// have set: it is what bounds the stream of the session itself, which no request of
// the client has. The SDK's own default is none there.
func (c *Client) eventSize(own int) int {
	switch limit := c.config.maxMessage; {
	case own != 0:
		return own
	case limit > 0:
		return limit + envelope // the names of its fields count there
	}
	return -1
}

// ioTransport is the SDK's IOTransport with a connection of this package.
type ioTransport struct {
	inner *mcp.IOTransport
	limit int
}

// Connect returns the connection.
func (t *ioTransport) Connect(context.Context) (mcp.Connection, error) {
	limit := t.limit
	if own := t.inner.MaxLineLength; limit <= 0 || own > 0 && own < limit {
		limit = own
	}
	return newLineConn(t.inner.Reader, t.inner.Writer, limit, func(err error) *Error { return ioError(err, false) }), nil
}

// lifecycle are the requests that open and keep a connection: no policy, hook or
// limit is asked for them.
var lifecycle = []string{"initialize", "server/discover", "ping", methodListen}

const methodListen = "subscriptions/listen"

func governed(method string) bool {
	return !slices.Contains(lifecycle, method) && !isNotification(method)
}
