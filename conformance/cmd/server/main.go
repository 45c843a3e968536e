// Command server is the server under test of the conformance suite: the suite's
// service with errmap's interceptors installed.
//
//	connectconformance --mode server … -- server [--with connect|connectv1|grpc|jsonrpc]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2/connecthttp"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connect"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connectv1"
	"github.com/errmap/errmap/conformance/internal/framing"
	"github.com/errmap/errmap/conformance/internal/service"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/server"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // the suite compresses with it
)

// handlers makes the service for each library, within the limit of a message's
// bytes; 0 is none.
var handlers = map[string]func(limit int) (http.Handler, error){
	"connect":   connectHandler,
	"connectv1": connectV1Handler,
	"jsonrpc":   jsonRPCHandler,
}

func main() {
	library := flag.String("with", "connect", "the library to serve with: connect, connectv1, grpc or jsonrpc")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *library, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves what the runner asks for on in, and says where on out, until ctx
// ends.
func run(ctx context.Context, library string, in io.Reader, out io.Writer) error {
	var request conformancev1.ServerCompatRequest
	if err := framing.Read(in, &request); err != nil {
		return err
	}
	if request.GetUseTls() {
		return errors.New("the configuration asks for TLS, which says nothing about errors")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	serve, stop, err := program(library, int(request.GetMessageReceiveLimit()))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, stop)
	where := listener.Addr().(*net.TCPAddr)
	if err := framing.Write(out, &conformancev1.ServerCompatResponse{Host: where.IP.String(), Port: uint32(where.Port)}); err != nil {
		return err
	}
	if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// program returns what serves with a library, and what ends that.
func program(library string, limit int) (serve func(net.Listener) error, stop func(), err error) {
	if library == "grpc" {
		opts := errmapgrpc.ServerOptions()
		if limit > 0 {
			opts = append(opts, grpc.MaxRecvMsgSize(limit))
		}
		s := grpc.NewServer(opts...)
		conformancev1.RegisterConformanceServiceServer(s, service.GRPC{})
		return s.Serve, s.Stop, nil
	}
	newHandler, ok := handlers[library]
	if !ok {
		return nil, nil, fmt.Errorf("no library %q", library)
	}
	handler, err := newHandler(limit)
	if err != nil {
		return nil, nil, err
	}
	s := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	return s.Serve, func() { _ = s.Close() }, nil
}

func connectHandler(limit int) (http.Handler, error) {
	s := errmapconnect.NewServer()
	conformancev1connect.RegisterConformanceServiceHandler(s, service.Connect{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, connecthttp.WithReadMaxBytes(limit))
	return mux, nil
}

func connectV1Handler(limit int) (http.Handler, error) {
	opts := []connectv1.HandlerOption{errmapconnectv1.WithServer()}
	if limit > 0 {
		opts = append(opts, connectv1.WithReadMaxBytes(limit))
	}
	mux := http.NewServeMux()
	mux.Handle(conformancev1connectv1.NewConformanceServiceHandler(service.ConnectV1{}, opts...))
	return mux, nil
}

// jsonRPCHandler serves at every path, with the limit of one message as that of
// the envelope around it: the difference is smaller than what the suite sends
// beyond it.
func jsonRPCHandler(limit int) (http.Handler, error) {
	s := errmapconnect.NewServer()
	conformancev1connect.RegisterConformanceServiceHandler(s, service.Connect{})
	return server.NewHandler(s, server.WithLimits(server.Limits{RequestBytes: limit}))
}
