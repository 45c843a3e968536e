package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// drainTime is how long calls that run may go on after the gateway was told to
// stop.
const drainTime = 20 * time.Second

var errCutOff = errors.New("calls were cut off")

type gatewayFlags struct {
	upstream, protocol, descriptors, listen, profile, names string
	wait                                                    time.Duration
}

func runGateway(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	var f gatewayFlags
	fs := newFlagSet("gateway", "gateway --upstream URL [flags]", `
Puts JSON-RPC (POST /) and HTTP+JSON in front of a running Connect or gRPC
service, next to Connect, gRPC and gRPC-Web. The schema comes from the service's
reflection, or from a descriptor set as "buf build -o FILE" writes it. Errors of
the service go to the callers whole; its headers stay behind. The gateway has no
reflection of its own: tools that want the schema ask the service.

GET /healthz answers 200 while the upstream does. SIGTERM and SIGINT stop the
gateway after the calls that run.`, `
errmap gateway --upstream http://localhost:50051 --protocol grpc
errmap gateway --upstream https://shop.example.com --descriptors shop.binpb --listen :9090
curl -s localhost:8080 -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'`)
	fs.StringVar(&f.upstream, "upstream", "", "the `URL` of the service")
	fs.StringVar(&f.protocol, "protocol", "grpc", "how it is spoken to: `connect`, grpc or grpc-web")
	fs.StringVar(&f.descriptors, "descriptors", "", "a `file` with a descriptor set; without it the service is asked")
	fs.StringVar(&f.listen, "listen", ":8080", "the `address` to listen on")
	fs.StringVar(&f.profile, "profile", "generic", "the dialect of JSON-RPC: `generic`, a2a or mcp")
	fs.StringVar(&f.names, "names", "", "JSON-RPC method names: `slash` (pkg.Service/Method), dotted or bare (default slash, bare under a2a)")
	fs.DurationVar(&f.wait, "wait", 30*time.Second, "how long to wait at the start for an upstream that does not answer")
	if code, done := fs.parse(args, stdout, stderr); done {
		return code
	}
	protocol, opts, err := f.read(fs.Args())
	if err != nil {
		return fs.misused(stderr, "%s", message(err))
	}
	err = f.serve(ctx, protocol, opts, stdout, stderr)
	if err != nil && ctx.Err() == nil || errors.Is(err, errCutOff) {
		fmt.Fprintf(stderr, "errmap: gateway: %s\n", message(err))
		return exitFailure
	}
	fmt.Fprintln(stdout, "stopped")
	return exitOK
}

// read turns what the flags say into what the packages want.
func (f *gatewayFlags) read(rest []string) (gateway.Protocol, []server.Option, error) {
	if len(rest) > 0 {
		return 0, nil, fmt.Errorf("unexpected argument %q", rest[0])
	}
	if err := checkURL("--upstream", f.upstream); err != nil {
		return 0, nil, err
	}
	if err := checkAddress("--listen", f.listen); err != nil {
		return 0, nil, err
	}
	protocol, err := gateway.ParseProtocol(f.protocol)
	if err != nil {
		return 0, nil, err
	}
	profile, err := errmap.ParseProfile(f.profile)
	if err != nil {
		return 0, nil, err
	}
	opts := []server.Option{server.WithProfile(profile), server.WithDiscovery("errmap gateway", version())}
	switch f.names {
	case "":
	case "slash":
		opts = append(opts, server.WithMethodNames(server.SlashNames))
	case "dotted":
		opts = append(opts, server.WithMethodNames(server.DottedNames))
	case "bare":
		opts = append(opts, server.WithMethodNames(server.BareNames))
	default:
		return 0, nil, fmt.Errorf("--names %q: want slash, dotted or bare", f.names)
	}
	return protocol, opts, nil
}

func (f *gatewayFlags) serve(ctx context.Context, protocol gateway.Protocol, opts []server.Option, stdout, stderr io.Writer) error {
	client := gateway.NewHTTPClient()
	upstream := gateway.NewUpstream(client, f.upstream, protocol)
	schema, err := f.schema(ctx, upstream, protocol, stdout)
	if err != nil {
		return err
	}
	for _, warning := range schema.Warnings() {
		fmt.Fprintln(stdout, "note:", warning)
	}
	stopping := make(chan struct{})
	guard := errmap.WithShutdown(stopping)
	log := slog.New(slog.NewTextHandler(stderr, nil))
	g := gateway.New(upstream.Transport(), schema, gateway.WithLogger(log))
	mux := http.NewServeMux()
	if err := server.Mount(mux, g.Server(), append(opts, server.WithCatalog(g.Catalog()), server.WithGuard(guard))...); err != nil {
		return err
	}
	if err := httpjson.Mount(mux, g.Server(), httpjson.WithCatalog(g.Catalog()), httpjson.WithGuard(guard)); err != nil {
		return err
	}
	connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
	mux.HandleFunc("GET /healthz", healthz(upstream))
	return listenAndServe(ctx, f.listen, mux, func(address string) {
		fmt.Fprintf(stdout, "gateway to %s (%s) on %s\n", f.upstream, protocol, address)
		for _, s := range schema.Services() {
			fmt.Fprintf(stdout, "  %s: %d methods\n", s.FullName(), s.Methods().Len())
		}
	}, func() { close(stopping) })
}

// schema reads the descriptor set, or asks the upstream until it answers.
func (f *gatewayFlags) schema(ctx context.Context, upstream *gateway.Upstream, protocol gateway.Protocol, stdout io.Writer) (*gateway.Schema, error) {
	if f.descriptors != "" {
		set, err := readDescriptors(f.descriptors)
		if err != nil {
			return nil, err
		}
		return gateway.NewSchema(set)
	}
	deadline := time.Now().Add(f.wait)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		schema, err := upstream.Reflect(ctx)
		if err == nil || ctx.Err() != nil {
			return schema, err
		}
		if hopeless(err) || time.Now().Add(pause).After(deadline) {
			return nil, withRemedy(err, f.upstream, protocol)
		}
		if pause == 100*time.Millisecond {
			fmt.Fprintf(stdout, "waiting up to %v for %s: %s\n", f.wait, f.upstream, message(err))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// readDescriptors reads a descriptor set in binary, or in JSON.
func readDescriptors(path string) (*descriptorpb.FileDescriptorSet, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(raw, set); err != nil {
		if jsonErr := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, set); jsonErr != nil {
			return nil, fmt.Errorf("%s is no descriptor set: %w", path, err)
		}
	}
	return set, nil
}

// healthz tells whether the upstream answers: by its health service, or where it
// has none by answering at all.
func healthz(upstream *gateway.Upstream) http.HandlerFunc {
	client := connect.NewClient(upstream.Transport())
	spec := connect.Spec{Procedure: "/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/Check"}
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		answer := new(grpc_health_v1.HealthCheckResponse)
		err := client.CallUnary(ctx, spec, new(grpc_health_v1.HealthCheckRequest), answer)
		remote, isConnect := errors.AsType[*connect.Error](err)
		switch {
		case err == nil && answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING,
			isConnect && remote.IsRemote() && remote.Code() == connect.CodeUnimplemented:
			fmt.Fprintln(w, "ok")
		default:
			http.Error(w, "the upstream does not serve", http.StatusServiceUnavailable)
		}
	}
}

// listenAndServe serves until ctx ends, over HTTP/1.1 and HTTP/2 without TLS, and
// then drains: no new connections, drainTime for the calls that run.
func listenAndServe(ctx context.Context, address string, h http.Handler, listening func(address string), stopping func()) error {
	l, err := listen(ctx, "--listen", address)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	listening(l.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stopping()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := s.Shutdown(drain); err != nil {
		_ = s.Close()
		return fmt.Errorf("%w after %v: %w", errCutOff, drainTime, err)
	}
	return nil
}
