package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

// drainTime is how long calls that run may go on after the gateway was told to
// stop.
const drainTime = 20 * time.Second

const gatewayAbout = `
Puts JSON-RPC (POST /) and HTTP+JSON in front of a running Connect or gRPC
service, next to Connect, gRPC and gRPC-Web. The schema comes from the service's
reflection, or from a descriptor set as "buf build -o FILE" writes it, and is
fetched again while the gateway runs; where it has changed, new calls have the new
one. A service that reflection cannot tell is left out with a note. The gateway
has no reflection of its own: tools that want the schema ask the service.

To http:// a gRPC service is spoken to by HTTP/2, and one of Connect or gRPC-Web
by the version of HTTP that it has. Errors of the service go to the callers whole;
headers of its answers stay behind. Headers of requests are sent on, Authorization
and Cookie too, but never those of one connection or one protocol, and without
--headers none by which clients could lie about where they are (Forwarded,
X-Forwarded-*, X-Real-Ip) and none by which browsers name a page (Origin,
Sec-Fetch-*). Pages of other origins are refused, and names that are not of this
machine where the address is: --allow-origin and --allow-host let some in.

GET /healthz answers 200 while the upstream does. SIGTERM and SIGINT stop the
gateway once the calls that run are finished. Those that take longer than 20s are
given up: their callers get UNAVAILABLE, and the exit code is 1.`

const gatewayExamples = `
errmap gateway --upstream http://localhost:50051 --protocol grpc
errmap gateway --upstream https://shop.example.com --descriptors shop.binpb --listen :9090
errmap gateway --upstream http://localhost:3000 --protocol connect --headers 'authorization,traceparent,x-tenant-*'
errmap gateway --upstream http://localhost:50051 --listen :443 --tls-cert cert.pem --tls-key key.pem
curl -s localhost:8080 -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'`

type gatewayFlags struct {
	upstream, protocol, descriptors, profile, names, headers, cert, key string
	listen                                                              *string
	pages                                                               func() []httpserver.Option
	wait, refresh, timeout                                              time.Duration
	hideDebug                                                           bool
}

func setupGateway() (*flagSet, action) {
	fs := newFlagSet("gateway", "gateway --upstream URL [flags]", gatewayAbout, gatewayExamples)
	f := gatewayFlags{listen: fs.listen(), pages: fs.pages()}
	fs.StringVar(&f.upstream, "upstream", "", "the `URL` of the service")
	fs.StringVar(&f.protocol, "protocol", "grpc", "how it is spoken to: `connect`, grpc or grpc-web")
	fs.StringVar(&f.descriptors, "descriptors", "", "a `file` with a descriptor set; without it the service is asked")
	fs.StringVar(&f.profile, "profile", "generic", "the dialect of JSON-RPC: `generic`, a2a, mcp or mcp-2025-11-25")
	fs.StringVar(&f.names, "names", "", "JSON-RPC method names: `slash` (pkg.Service/Method), dotted or bare (default slash, bare under a2a)")
	fs.choose("protocol", "connect", "grpc", "grpc-web")
	fs.choose("profile", strings.Split(profileNames(), ", ")...)
	fs.choose("names", "slash", "dotted", "bare")
	fs.StringVar(&f.headers, "headers", "", "the request headers that are sent on, a `list` such as authorization,x-tenant-*; * alone is every one")
	fs.StringVar(&f.cert, "tls-cert", "", "a `file` with a certificate, in PEM with those that signed it, to listen with TLS; read again with the schema")
	fs.StringVar(&f.key, "tls-key", "", "a `file` with the key of the certificate, in PEM")
	fs.DurationVar(&f.wait, "wait", 30*time.Second, "how long to wait at the start for an upstream that does not answer")
	fs.DurationVar(&f.timeout, "timeout", gateway.DefaultTimeout, "how long the upstream may take for a call that is no stream; 0 is as long as the caller waits")
	fs.DurationVar(&f.refresh, "refresh", time.Minute, "how often to look whether the schema has changed; 0 is never")
	fs.BoolVar(&f.hideDebug, "hide-debug", false, "take google.rpc.DebugInfo, and members that frameworks add, out of the upstream's errors")
	return fs, func(ctx context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		protocol, opts, err := f.read(fs.Args())
		if err != nil {
			return fs.misused(stderr, "%s", message(err))
		}
		err = f.serve(ctx, protocol, opts, stdout, stderr)
		if err != nil && ctx.Err() == nil || errors.Is(err, httpserver.ErrGaveUp) {
			fmt.Fprintf(stderr, "errmap: gateway: %s\n", message(err))
			return exitFailure
		}
		fmt.Fprintln(stdout, "stopped")
		return exitOK
	}
}

// read turns what the flags say into what the packages want.
func (f *gatewayFlags) read(rest []string) (gateway.Protocol, []server.Option, error) {
	if len(rest) > 0 {
		return 0, nil, fmt.Errorf("unexpected argument %q", rest[0])
	}
	if err := checkURL("--upstream", f.upstream); err != nil {
		return 0, nil, err
	}
	if err := checkAddress("--listen", *f.listen); err != nil {
		return 0, nil, err
	}
	if (f.cert == "") != (f.key == "") {
		return 0, nil, errors.New("--tls-cert and --tls-key: want both or neither")
	}
	for flag, d := range map[string]time.Duration{"--refresh": f.refresh, "--timeout": f.timeout} {
		if d < 0 {
			return 0, nil, fmt.Errorf("%s %v: want a duration such as 5s or 2m, or 0", flag, d)
		}
	}
	if f.timeout == 0 {
		f.timeout = -1 // as the package has it
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
	upstream := gateway.NewUpstream(gateway.NewHTTPClient(), f.upstream, protocol)
	schema, err := f.awaitSchema(ctx, upstream, protocol, stdout)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	stopping := make(chan struct{})
	front := &front{upstream: upstream, opts: opts, headers: f.headers, timeout: f.timeout, log: log, notes: stdout, guard: []errmap.GuardOption{
		errmap.WithShutdown(stopping), errmap.WithListBytes(-1), // an upstream bounds its own lists
	}}
	if !f.hideDebug { // what an upstream tells is for its callers
		front.guard = append(front.guard, errmap.WithDebugInfo())
	}
	if err := front.use(schema); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz(upstream))
	mux.Handle("/", front)
	serving := append(f.pages(),
		httpserver.WithLog(log), httpserver.WithTimes(httpserver.Times{Drain: drainTime}),
		httpserver.WithGiveUp(func() { close(stopping) }))
	with := ""
	var cert *certificate
	if f.cert != "" {
		if cert, err = loadCertificate(f.cert, f.key); err != nil {
			return err
		}
		serving, with = append(serving, httpserver.WithTLS(cert.config())), ", with TLS"
	}
	l, err := listen(ctx, "--listen", *f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "gateway to %s (%s) on %s%s\n", f.upstream, protocol, l.Addr(), with)
	front.tell()
	keeping, stop := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	defer keeper.Wait()
	defer stop()
	if f.refresh > 0 {
		keeper.Go(func() { f.keep(keeping, front, cert) })
	}
	return httpserver.Run(ctx, l, mux, serving...)
}

// mount puts every protocol in front of an upstream. What is wrong with single
// bindings of HTTP+JSON is told and leaves those out.
func (f *front) mount(schema *gateway.Schema) (http.Handler, error) {
	guard := errmapconnect.WithGuard(errmap.NewGuard(f.guard...))
	g := gateway.New(f.upstream.Transport(), schema, gateway.WithLog(f.log), gateway.WithServerOptions(guard),
		gateway.WithRequestHeaders(headerRule(f.headers)), gateway.WithTimeout(f.timeout))
	mux := http.NewServeMux()
	if err := server.Mount(mux, g.Server(), append(f.opts, server.WithCatalog(g.Catalog()), server.WithGuard(errmap.NewGuard(f.guard...)))...); err != nil {
		return nil, err
	}
	bindings, err := httpjson.NewHandler(g.Server(), httpjson.WithCatalog(g.Catalog()), httpjson.WithGuard(errmap.NewGuard(f.guard...)))
	if err != nil {
		f.note(err)
	}
	mux.Handle(httpjson.DefaultPattern, bindings)
	connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON(), connecthttp.WithCodecs(httpserver.Codecs()...))
	return mux, nil
}
