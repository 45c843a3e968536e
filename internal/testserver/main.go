// Command testserver serves the tests' own services for the tests of other
// languages: over Connect, gRPC, gRPC-Web, JSON-RPC (POST /), HTTP+JSON and MCP (/mcp), on a
// free port of the loopback, whose URL is the first line of its output. It ends
// when its standard input does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
)

func main() {
	files := flag.String("files", "", "a `directory` to serve under /files/")
	profile := flag.String("profile", "generic", "the `profile` of JSON-RPC: generic, a2a, mcp or mcp-2025-11-25")
	flag.Parse()
	if err := run(*files, *profile, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
}

func run(files, profile string, stdin io.Reader, stdout io.Writer) error {
	handler, err := newHandler(files, profile)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true) // gRPC without TLS
	fmt.Fprintf(stdout, "http://%s\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		_ = s.Close()
	}()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newHandler(files, profile string) (http.Handler, error) {
	p, err := errmap.ParseProfile(profile)
	if err != nil {
		return nil, err
	}
	// What is kept from callers is no news in a test.
	quiet := errmap.NewGuard(errmap.WithLog(func(ctx context.Context, r errmap.Report) { slog.DebugContext(ctx, r.ID, "error", r.Err) }))
	rpc := errmapconnect.NewServer(errmapconnect.WithGuard(quiet))
	shopv1connect.RegisterCartHandler(rpc, cart{})
	libraryv1connect.RegisterLibraryHandler(rpc, library{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc, server.WithProfile(p), server.WithGuard(quiet)); err != nil {
		return nil, err
	}
	if err := httpjson.Mount(mux, rpc, httpjson.WithGuard(quiet)); err != nil {
		return nil, err
	}
	tools, err := newMCP(quiet)
	if err != nil {
		return nil, err
	}
	mux.Handle("/mcp", tools)
	if files != "" {
		mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(files))))
	}
	return mux, nil
}
