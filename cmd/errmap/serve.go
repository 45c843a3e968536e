package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/errmap/errmap/internal/agent"
	"github.com/errmap/errmap/server/httpserver"
)

// drainTimeout is how long calls that run may go on after the program was told to
// stop.
const drainTimeout = 5 * time.Second

const serveAbout = `
Serve runs an agent of A2A 1.0.1, held in memory, on one port: JSON-RPC, gRPC and
HTTP+JSON as A2A has them, and Connect and gRPC-Web besides. It has gRPC
health and reflection, and its agent card at /.well-known/agent-card.json.

The agent echoes what it is told. "wait 5s" makes a task that can be watched
and canceled, "ask" one that waits for another message, "fail TASK_NOT_FOUND" an
error of any reason, the same on every wire; the skills in the agent card list
them. Requests name their version with the header A2A-Version: 1.0; without it
they are of version 0.3, which is refused. "Authorization: Bearer NAME" keeps
the tasks of one name from others.

Pages of other origins are refused, and names that are not of this machine where
the address is: --allow-origin and --allow-host let some in.

It stops on an interrupt or SIGTERM, once the calls that run are finished. Those
that take longer than 5s are given up: tasks fail, callers get UNAVAILABLE, and
the exit code is 1.`

const serveExamples = `
errmap serve
errmap serve --listen localhost:0
errmap serve --listen :443 --url https://agent.example.com`

func setupServe() (*flagSet, action) {
	fs := newFlagSet("serve", "serve [flags]", serveAbout, serveExamples)
	addr := fs.listen()
	pages := fs.pages()
	base := fs.String("url", "", "the `URL` that the agent card names, where it is not the address itself")
	return fs, func(ctx context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		if fs.NArg() > 0 {
			return fs.misused(stderr, "unexpected argument %q", fs.Arg(0))
		}
		if err := checkAddress("--listen", *addr); err != nil {
			return fs.misused(stderr, "%s", err)
		}
		opts := pages()
		if *base != "" {
			if err := checkURL("--url", *base); err != nil {
				return fs.misused(stderr, "%s", err)
			}
			u, _ := url.Parse(*base)
			opts = append(opts, httpserver.WithHosts(u.Host, u.Hostname())) // a proxy may pass it on
		}
		listener, err := listen(ctx, "--listen", *addr)
		if err != nil {
			fmt.Fprintf(stderr, "errmap: serve: %s\n", message(err))
			return exitFailure
		}
		if *base == "" {
			*base = "http://" + reachable(listener.Addr())
		}
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		a, err := agent.New(agent.WithURL(*base), agent.WithVersion(version()), agent.WithLogger(log))
		if err != nil {
			fmt.Fprintf(stderr, "errmap: serve: %s\n", message(err))
			return exitFailure
		}
		fmt.Fprint(stdout, welcome(reachable(listener.Addr())))
		if err := serveUntil(ctx, listener, a, log, opts); err != nil {
			fmt.Fprintf(stderr, "errmap: serve: %s\n", message(err))
			return exitFailure
		}
		fmt.Fprintln(stdout, "stopped")
		return exitOK
	}
}

// serveUntil serves the agent until ctx ends and what runs then is over, or was
// given up.
func serveUntil(ctx context.Context, listener net.Listener, a *agent.Agent, log *slog.Logger, opts []httpserver.Option) error {
	return httpserver.Run(ctx, listener, a, append(opts,
		httpserver.WithLog(log), httpserver.WithTimes(httpserver.Times{Drain: drainTimeout}), httpserver.WithGiveUp(a.Shutdown))...)
}

// reachable is the address under which a listener is reached from here.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return addr.String()
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() || tcp.IP.IsLoopback() {
		host = "localhost"
	}
	return net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// welcome tells where everything is, and three commands to try.
func welcome(host string) string {
	return fmt.Sprintf(`The agent is on http://%[1]s (stop it with an interrupt):
  JSON-RPC        POST http://%[1]s/
  HTTP+JSON       http://%[1]s/tasks/…, /message:send, …
  Connect         POST http://%[1]s/lf.a2a.v1.A2AService/…
  gRPC, gRPC-Web  %[1]s, without TLS, with health and reflection
  Agent card      http://%[1]s/.well-known/agent-card.json

The same error on three wires:
  curl -s %[1]s -H 'content-type: application/json' -H 'A2A-Version: 1.0' -d '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"nope"}}'
  curl -s %[1]s/lf.a2a.v1.A2AService/GetTask -H 'content-type: application/json' -H 'A2A-Version: 1.0' -d '{"id":"nope"}'
  buf curl --protocol grpc --http2-prior-knowledge -H 'A2A-Version: 1.0' -d '{"id":"nope"}' http://%[1]s/lf.a2a.v1.A2AService/GetTask

`, host)
}
