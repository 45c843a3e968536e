// Package agent is the A2A agent that "errmap serve" runs: executor, task store
// and rules are those of the A2A SDK, in memory, and the wires are this
// module's, so that each error of A2A is the same over Connect, gRPC, gRPC-Web,
// JSON-RPC and HTTP+JSON.
package agent

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect/v2"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

// Agent is the agent on all its wires, an [http.Handler] for one port. Clear-text
// gRPC needs a server that speaks HTTP/2 without TLS. It is safe for concurrent
// use.
type Agent struct {
	handler http.Handler
	health  *grpchealth.StaticChecker
	stop    func()
}

// An Option changes what New makes.
type Option interface{ apply(*options) }

// WithURL sets the address that the agent card names, without a slash at its
// end; the default is http://localhost:8080.
func WithURL(base string) Option { return option(func(o *options) { o.base = base }) }

// WithVersion sets the version that the agent card names; the default is
// "(devel)".
func WithVersion(v string) Option { return option(func(o *options) { o.version = v }) }

// WithLogger sets where errors go that are kept from callers, and what the SDK
// tells; the default is slog.Default.
func WithLogger(l *slog.Logger) Option { return option(func(o *options) { o.log = l }) }

type options struct {
	base    string
	version string
	log     *slog.Logger
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

// New returns an agent without tasks.
func New(opts ...Option) (*Agent, error) {
	o := options{base: "http://localhost:8080", version: "(devel)", log: slog.Default()}
	for _, opt := range opts {
		opt.apply(&o)
	}
	stopped := make(chan struct{})
	guard := []errmap.GuardOption{
		errmap.WithRecognizer(errmapa2a.Recognize),
		errmap.WithShutdown(stopped),
		errmap.WithLog(func(ctx context.Context, r errmap.Report) { o.report(ctx, r) }),
	}
	all, err := newAgents(&o, stopped)
	if err != nil {
		return nil, err
	}
	rpc := errmapconnect.NewServer(
		errmapconnect.WithGuard(errmap.NewGuard(guard...)),
		errmapconnect.WithServerInterceptors(checkVersion))
	rpc.Register(all.methods()...)

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc, connecthttp.WithCodecs(httpserver.Codecs()...))
	if err := server.Mount(mux, rpc,
		server.WithProfile(errmap.ProfileA2A),
		server.WithKnownEnums(),
		server.WithGuard(errmap.NewGuard(guard...)),
		server.WithDiscovery("errmap", o.version),
	); err != nil {
		return nil, err
	}
	if err := httpjson.Mount(mux, rpc, httpjson.WithGuard(errmap.NewGuard(guard...))); err != nil {
		return nil, err
	}
	name := string(serviceDescriptor().FullName())
	health := grpchealth.NewStaticChecker(name)
	mux.Handle(grpchealth.NewHandler(health))
	mux.HandleFunc("GET /healthz", healthz(health))
	// Reflection has a server of its own: its methods are no part of JSON-RPC.
	reflection := connect.NewServer()
	grpcreflect.Register(reflection, grpcreflect.WithNamer(grpcreflect.NamerFunc(func() []string {
		return []string{grpchealth.HealthV1ServiceName, grpcreflect.ReflectV1AlphaServiceName, grpcreflect.ReflectV1ServiceName, name}
	})))
	connecthttp.Mount(mux, reflection)
	known, err := newCardHandler(card(o.base, o.version))
	if err != nil {
		return nil, err
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, known)
	return &Agent{
		handler: accommodate(mux),
		health:  health,
		stop:    sync.OnceFunc(func() { close(stopped) }),
	}, nil
}

// ServeHTTP implements [http.Handler].
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Shutdown makes the agent end its tasks and tell that it is not healthy. What
// is cancelled afterwards is UNAVAILABLE, since its caller did not cancel it.
// More calls change nothing.
func (a *Agent) Shutdown() {
	a.health.SetStatus("", grpchealth.StatusNotServing)
	a.health.SetStatus(string(serviceDescriptor().FullName()), grpchealth.StatusNotServing)
	a.stop()
}

// healthz tells over plain HTTP what the health service tells, at the path that
// errmap gateway has too.
func healthz(checker grpchealth.Checker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := checker.Check(r.Context(), &grpchealth.CheckRequest{})
		if err != nil || answer.Status != grpchealth.StatusServing {
			http.Error(w, "the agent is stopping", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n") //nolint:errcheck // nobody is left to tell
	}
}

// newAgents returns the agent and the strict one, over one store.
func newAgents(o *options, stopped <-chan struct{}) (agents, error) {
	store := taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: a2asrv.NewTaskStoreAuthenticator()})
	queues := newQueues()
	all := make(agents)
	for tenant, c := range map[string]*a2a.AgentCapabilities{"": capabilities(), tenantStrict: strictCapabilities()} {
		handler := a2asrv.NewHandler(executor{stopped}, a2asrv.WithTaskStore(store), a2asrv.WithEventQueueManager(queues),
			a2asrv.WithCapabilityChecks(c), a2asrv.WithLogger(o.log))
		intercepted, ok := handler.(*a2asrv.InterceptedHandler)
		if !ok {
			return nil, fmt.Errorf("agent: the handler of the SDK is a %T, not one that checks extensions", handler)
		}
		intercepted.Handler = rules{intercepted.Handler, store, queues, c.Streaming, stopped}
		all[tenant] = intercepted
	}
	return all, nil
}

func (o *options) report(ctx context.Context, r errmap.Report) {
	attrs := []slog.Attr{slog.String("request_id", r.ID), slog.String("error", r.Err.Error())}
	if r.Procedure != "" {
		attrs = append(attrs, slog.String("procedure", r.Procedure))
	}
	if r.Stack != nil {
		attrs = append(attrs, slog.String("stack", string(r.Stack)))
	}
	o.log.LogAttrs(ctx, slog.LevelError, "error kept from the caller", attrs...)
}
