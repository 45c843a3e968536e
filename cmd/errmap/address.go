package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"

	"github.com/errmap/errmap/internal/translate"
	"github.com/errmap/errmap/server/httpserver"
)

// defaultAddress is reached from this machine alone.
const defaultAddress = "localhost:8080"

// listen adds the flag --listen, and the name that it once had.
func (fs *flagSet) listen() *string {
	address := fs.String("listen", defaultAddress, "the `address` to listen on, such as :8080 for every address of this machine; port 0 takes a free one")
	fs.StringVar(address, "addr", defaultAddress, "the former name of --listen, an `address`")
	return address
}

// pages adds the flags that say which web pages and names a server is open to. What it
// returns gives the options of them, once the flags are read.
func (fs *flagSet) pages() func() []httpserver.Option {
	var opts []httpserver.Option
	list := func(option func(...string) httpserver.Option) func(string) error {
		return func(values string) error {
			o := option(strings.Split(values, ",")...)
			opts = append(opts, o)
			_, err := httpserver.Protect(nil, o)
			return err
		}
	}
	fs.Func("allow-origin", "an `origin` whose pages may call, such as https://app.example.com; may be given several times", list(httpserver.WithOrigins))
	fs.Func("allow-host", "a `host` to be asked under besides localhost, where the address is one of this machine alone, or * for any; may be given several times", list(httpserver.WithHosts))
	return func() []httpserver.Option { return opts }
}

// checkURL checks what a flag says is the base URL of a service.
func checkURL(flag, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s %q: want an http:// or https:// URL", flag, value)
	}
	return nil
}

// checkAddress checks what a flag says is an address to listen on.
func checkAddress(flag, value string) error {
	_, port, err := net.SplitHostPort(value)
	if err == nil && port != "" {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return fmt.Errorf("%s %q: want HOST:PORT such as :8080 or localhost:0", flag, value)
	}
	return nil
}

// listen listens on an address that checkAddress has found to be one. Its error
// says what to do where another program has the port.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: another program listens there; give another port with %s, or port 0 for a free one", err, flag)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%w: give a port above 1023 with %s", err, flag)
	}
	return l, err
}

// message returns the text of an error for people: without the names of the
// packages that it came through.
func message(err error) string {
	text := translate.Message(err)
	for _, name := range []string{"errmap: ", "gateway: ", "httpjson: ", "httpserver: ", "server: ", "jsontext: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	return text
}
