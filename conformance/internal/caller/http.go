package caller

import (
	"net"
	"net/http"
	"strconv"
	"sync"

	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
)

// httpClients keeps one HTTP client for each way in which calls need one.
type httpClients struct {
	mu      sync.Mutex
	clients map[wayOfHTTP]*http.Client
}

type wayOfHTTP struct {
	version conformancev1.HTTPVersion
	// A call over HTTP/1.1 that ends early may take a connection with it that the
	// next call has just been given; such calls get connections of their own.
	endsEarly bool
	gzip      bool
}

// of returns the client for a request, and the URL of the server.
func (c *httpClients) of(request *conformancev1.ClientCompatRequest) (*http.Client, string) {
	way := wayOfHTTP{
		version:   request.GetHttpVersion(),
		endsEarly: request.GetCancel() != nil || request.TimeoutMs != nil,
		gzip:      request.GetCompression() == conformancev1.Compression_COMPRESSION_GZIP,
	}
	url := "http://" + net.JoinHostPort(request.GetHost(), strconv.Itoa(int(request.GetPort())))
	c.mu.Lock()
	defer c.mu.Unlock()
	if client, ok := c.clients[way]; ok {
		return client, url
	}
	t := &http.Transport{Protocols: new(http.Protocols), DisableCompression: !way.gzip}
	if way.version == conformancev1.HTTPVersion_HTTP_VERSION_2 {
		t.Protocols.SetUnencryptedHTTP2(true)
	} else {
		t.Protocols.SetHTTP1(true)
		t.DisableKeepAlives = way.endsEarly
	}
	if c.clients == nil {
		c.clients = make(map[wayOfHTTP]*http.Client)
	}
	c.clients[way] = &http.Client{Transport: t}
	return c.clients[way], url
}
