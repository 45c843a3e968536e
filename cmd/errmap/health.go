package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/server/gateway"
)

const healthAbout = `
Health asks a server whether it serves and ends with 0 if it does, with 1 if it does
not or cannot be reached, and with 2 if the command line is wrong. It is for probes of
containers, which need no curl for it: HEALTHCHECK CMD ["errmap", "health", URL].

With --protocol http, the default, it gets the URL, /healthz where the URL has no path,
and any status from 200 to 299 means that the server serves. With connect, grpc or
grpc-web it asks grpc.health.v1.Health, of the server as a whole or of --service. A
redirection is no answer.`

const healthExamples = `
errmap health http://localhost:8080
errmap health http://localhost:8080/ready --timeout 1s
errmap health http://localhost:50051 --protocol grpc --service orders.v1.Orders
`

const protocolHTTP = "http"

func setupHealth() (*flagSet, action) {
	fs := newFlagSet("health", "health URL [flags]", healthAbout, healthExamples)
	protocol := fs.String("protocol", protocolHTTP, "how it is asked: `http`, connect, grpc or grpc-web")
	service := fs.String("service", "", "the `name` of a service, for the other protocols than http")
	timeout := fs.Duration("timeout", 3*time.Second, "how long to wait for the answer")
	fs.choose("protocol", protocolHTTP, "connect", "grpc", "grpc-web")
	return fs, func(ctx context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		if fs.NArg() != 1 {
			return fs.misused(stderr, "want one URL, such as http://localhost:8080")
		}
		if err := checkURL("URL", fs.Arg(0)); err != nil {
			return fs.misused(stderr, "%s", err)
		}
		if *timeout <= 0 {
			return fs.misused(stderr, "--timeout %v: want a duration such as 5s or 2m", *timeout)
		}
		ctx, cancel := context.WithTimeout(ctx, *timeout)
		defer cancel()
		var err error
		if *protocol == protocolHTTP {
			if *service != "" {
				return fs.misused(stderr, "--service is for --protocol connect, grpc and grpc-web")
			}
			err = askHTTP(ctx, fs.Arg(0))
		} else {
			p, unknown := gateway.ParseProtocol(*protocol)
			if unknown != nil {
				return fs.misused(stderr, "unknown protocol %q: want http, connect, grpc or grpc-web", *protocol)
			}
			err = askHealth(ctx, fs.Arg(0), p, *service)
		}
		if err != nil {
			fmt.Fprintf(stderr, "errmap: health: %s\n", explain.Printable(message(err)))
			return exitFailure
		}
		fmt.Fprintln(stdout, "serving")
		return exitOK
	}
}

// askHTTP gets a URL and takes the status for the answer.
func askHTTP(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/healthz"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	response, err := client.Do(req)
	if err != nil {
		return unreached(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers with HTTP status %d: want 200 to 299", u.Redacted(), response.StatusCode)
	}
	return nil
}

// unreached returns an error of a call without its URL, which may have credentials.
func unreached(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			return errors.New("no answer in time: --timeout waits longer")
		}
		return fmt.Errorf("no answer: %w", e.Err)
	}
	return err
}

// askHealth asks grpc.health.v1.Health.
func askHealth(ctx context.Context, address string, p gateway.Protocol, service string) error {
	client := connect.NewClient(gateway.NewUpstream(gateway.NewHTTPClient(), strings.TrimSuffix(address, "/"), p).Transport())
	spec := connect.Spec{Procedure: "/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/Check"}
	answer := new(grpc_health_v1.HealthCheckResponse)
	err := client.CallUnary(ctx, spec, &grpc_health_v1.HealthCheckRequest{Service: service}, answer)
	e, _ := errors.AsType[*connect.Error](err)
	switch {
	case e != nil && e.IsRemote() && e.Code() == connect.CodeNotFound && service != "":
		return fmt.Errorf("the server knows no service %q", service)
	case e != nil && e.IsRemote() && e.Code() == connect.CodeUnimplemented:
		return errors.New("the server has no grpc.health.v1.Health: --protocol http asks it otherwise")
	case err != nil:
		return withRemedy(err, address, p)
	case answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING:
		return fmt.Errorf("the server says %s", answer.GetStatus())
	}
	return nil
}
