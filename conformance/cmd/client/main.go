// Command client is the client under test of the conformance suite: it makes the
// calls that the suite asks for with errmap's interceptors installed.
//
//	connectconformance --mode client … -- client [--with connect|connectv1|grpc|jsonrpc]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/internal/caller"
	"github.com/errmap/errmap/conformance/internal/framing"
)

func main() {
	library := flag.String("with", "connect", "the library to call with: connect, connectv1, grpc or jsonrpc")
	parallel := flag.Int("parallel", runtime.GOMAXPROCS(0)*4, "how many calls may be open at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	newCall, ok := map[string]caller.NewCall{
		"connect":   caller.Connect(),
		"connectv1": caller.ConnectV1(),
		"grpc":      caller.GRPC(),
		"jsonrpc":   caller.JSONRPC(),
	}[*library]
	if !ok {
		fmt.Fprintf(os.Stderr, "client: no library %q\n", *library)
		os.Exit(2)
	}
	if err := run(ctx, newCall, *parallel, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run makes the calls that come on in and reports each on out, until in ends.
func run(ctx context.Context, newCall caller.NewCall, parallel int, in io.Reader, out io.Writer) error {
	var (
		open    = make(chan struct{}, max(parallel, 1))
		calls   sync.WaitGroup
		mu      sync.Mutex // guards out and failure
		failure error
	)
	for {
		request := new(conformancev1.ClientCompatRequest)
		err := framing.Read(in, request)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		open <- struct{}{}
		calls.Go(func() {
			defer func() { <-open }()
			response := report(ctx, newCall, request)
			mu.Lock()
			defer mu.Unlock()
			if err := framing.Write(out, response); err != nil && failure == nil {
				failure = err
			}
		})
	}
	calls.Wait()
	return failure
}

func report(ctx context.Context, newCall caller.NewCall, request *conformancev1.ClientCompatRequest) *conformancev1.ClientCompatResponse {
	response := &conformancev1.ClientCompatResponse{TestName: request.GetTestName()}
	result, err := caller.Do(ctx, request, newCall)
	if err != nil {
		response.Result = &conformancev1.ClientCompatResponse_Error{Error: &conformancev1.ClientErrorResult{Message: err.Error()}}
	} else {
		response.Result = &conformancev1.ClientCompatResponse_Response{Response: result}
	}
	return response
}
