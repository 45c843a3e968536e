package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/sync/singleflight"
)

// maxResponseHeader bounds the header of an upstream's response, and its trailers.
// It is far more than servers write into them, and little enough for connect, which
// takes time with the square of the number of details.
const maxResponseHeader = 64 << 10

// askTimeout is how long a server may take to show its version of HTTP.
const askTimeout = 3 * time.Second

// idleHTTP1 is how long a connection of HTTP/1.1 without TLS is kept. Node closes
// such after 5 s, and a request that is on its way then is lost: it is no GET, so
// nobody may repeat it.
const idleHTTP1 = 4 * time.Second

// NewHTTPClient returns a client for the upstreams of a gateway. A program that
// needs another, such as one with certificates of its own, gives it to
// [NewUpstream].
//
// To https:// addresses it speaks the version of HTTP that the server chooses. To
// http:// ones it speaks HTTP/2 (h2c, by prior knowledge) where the server does,
// else HTTP/1.1: it asks each server once, over a connection of its own, and again
// after a request has failed. Requests of gRPC, which needs HTTP/2, are sent by
// that without asking. Headers and trailers of an answer may have 64 KiB. The
// environment's proxies are used as [http.ProxyFromEnvironment] says.
func NewHTTPClient() *http.Client {
	newTransport := func() *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own
		t.MaxResponseHeaderBytes = maxResponseHeader
		t.MaxIdleConnsPerHost = t.MaxIdleConns // there is one host, and two would be closed again and again
		return t
	}
	t := &transport{http1: newTransport(), h2c: newTransport(), tls: newTransport(), speaksHTTP2: make(map[string]bool)}
	t.http1.Protocols = new(http.Protocols)
	t.http1.Protocols.SetHTTP1(true)
	t.http1.IdleConnTimeout = idleHTTP1
	t.h2c.Protocols = new(http.Protocols)
	t.h2c.Protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: t}
}

// transport sends requests by the version of HTTP that their server speaks.
type transport struct {
	http1, h2c, tls *http.Transport

	asking      singleflight.Group
	mu          sync.Mutex
	speaksHTTP2 map[string]bool // by address; without an entry it is not known
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" {
		return t.tls.RoundTrip(r)
	}
	if needsHTTP2(r) {
		return t.h2c.RoundTrip(r)
	}
	if proxy, err := t.http1.Proxy(r); proxy != nil || err != nil {
		return t.http1.RoundTrip(r) // proxies are spoken to by HTTP/1.1
	}
	address := addressOf(r.URL)
	by := t.http1
	overHTTP2, err := t.ask(r.Context(), address)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	if overHTTP2 {
		by = t.h2c
	}
	response, err := by.RoundTrip(r)
	if err != nil && r.Context().Err() == nil ||
		err == nil && (response.StatusCode == http.StatusHTTPVersionNotSupported || response.StatusCode == http.StatusUpgradeRequired) {
		t.forget(address) // another server may listen there by now
	}
	return response, err
}

// CloseIdleConnections closes those of every version.
func (t *transport) CloseIdleConnections() {
	for _, of := range []*http.Transport{t.http1, t.h2c, t.tls} {
		of.CloseIdleConnections()
	}
}

// needsHTTP2 tells whether a request is one of gRPC, not of gRPC-Web.
func needsHTTP2(r *http.Request) bool {
	kind := r.Header.Get("Content-Type")
	return kind == "application/grpc" || strings.HasPrefix(kind, "application/grpc+")
}

func addressOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func (t *transport) forget(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.speaksHTTP2, address)
}

// ask tells whether a server speaks HTTP/2. Calls that want to know it at the same
// time share one question.
func (t *transport) ask(ctx context.Context, address string) (bool, error) {
	t.mu.Lock()
	known, ok := t.speaksHTTP2[address]
	t.mu.Unlock()
	if ok {
		return known, nil
	}
	answer := t.asking.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
		defer cancel()
		speaks, err := askHTTP2(ctx, t.h2c.DialContext, address)
		if errors.Is(err, errSilent) {
			return false, nil // which may be for now
		}
		if err == nil {
			t.mu.Lock()
			t.speaksHTTP2[address] = speaks
			t.mu.Unlock()
		}
		return speaks, err
	})
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case a := <-answer:
		speaks, _ := a.Val.(bool)
		return speaks, a.Err
	}
}

// errSilent says that a server accepted a connection and said nothing.
var errSilent = errors.New("gateway: no answer to the preface of HTTP/2")

// askHTTP2 begins a connection of HTTP/2: a server of that begins with its
// settings, and one of HTTP/1.1 refuses a request with the method PRI.
func askHTTP2(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), address string) (bool, error) {
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	framer := http2.NewFramer(conn, conn)
	_, _ = conn.Write([]byte(http2.ClientPreface)) // what a broken connection means, the answer tells
	_ = framer.WriteSettings()
	frame, err := framer.ReadFrame()
	if err != nil && ctx.Err() != nil {
		return false, errSilent
	}
	_, speaks := frame.(*http2.SettingsFrame)
	return err == nil && speaks, nil
}
