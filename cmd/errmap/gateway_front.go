package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
)

// front answers calls by the schema that the upstream has at the time.
type front struct {
	upstream *gateway.Upstream
	opts     []server.Option
	guard    []errmap.GuardOption
	headers  string // as --headers has it
	timeout  time.Duration
	log      *slog.Logger
	notes    io.Writer

	schema  *gateway.Schema
	handler atomic.Pointer[http.Handler]
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*f.handler.Load()).ServeHTTP(w, r)
}

// use has new calls answered by that schema. Those that run go on by the one that
// they began with.
func (f *front) use(schema *gateway.Schema) error {
	for _, warning := range schema.Warnings() {
		fmt.Fprintln(f.notes, "note:", warning)
	}
	if unread := schema.Unread(); len(unread) > 0 {
		fmt.Fprintf(f.notes, "note: to serve %s too, give --descriptors with a file of `buf build -o FILE`\n", joined(unread))
	}
	h, err := f.mount(schema)
	if err != nil {
		return err
	}
	f.schema = schema
	f.handler.Store(&h)
	return nil
}

// note tells of mistakes in a schema that leave parts of it out.
func (f *front) note(err error) {
	for line := range strings.Lines(message(err)) {
		fmt.Fprintln(f.notes, "note:", strings.TrimSuffix(line, "\n"))
	}
}

// tell lists what is served.
func (f *front) tell() {
	for _, s := range f.schema.Services() {
		fmt.Fprintf(f.notes, "  %s: %d methods\n", s.FullName(), s.Methods().Len())
	}
}

// keep looks again and again whether the schema, and the certificate, have changed.
// What cannot be fetched or used now leaves what is there.
func (f *gatewayFlags) keep(ctx context.Context, served *front, cert *certificate) {
	ticker := time.NewTicker(f.refresh)
	defer ticker.Stop()
	failed := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		why := ""
		if cert != nil {
			if err := cert.reload(); err != nil {
				why = "the certificate stays as it was: " + message(err)
			}
		}
		if err := f.renew(ctx, served); err != nil && ctx.Err() == nil {
			why = "the schema stays as it was: " + message(err)
		}
		if why != failed && why != "" {
			served.log.Warn(why)
		}
		failed = why
	}
}

// renew fetches the schema, and uses it if it is another.
func (f *gatewayFlags) renew(ctx context.Context, served *front) error {
	schema, err := f.readSchema(ctx, served.upstream)
	if err != nil {
		return err
	}
	if schema.Equal(served.schema) {
		return nil
	}
	for _, s := range served.schema.Services() {
		if slices.Contains(schema.Unread(), s.FullName()) {
			return fmt.Errorf("the service %s cannot be read: %s", s.FullName(), strings.Join(schema.Warnings(), "; "))
		}
	}
	if err := served.use(schema); err != nil {
		return err
	}
	fmt.Fprintln(served.notes, "the schema has changed:")
	served.tell()
	return nil
}

// readSchema reads the descriptor set, or asks the upstream.
func (f *gatewayFlags) readSchema(ctx context.Context, upstream *gateway.Upstream) (*gateway.Schema, error) {
	if f.descriptors == "" {
		return upstream.Reflect(ctx)
	}
	set, err := readDescriptors(f.descriptors)
	if err != nil {
		return nil, err
	}
	return gateway.NewSchema(set)
}

// attemptTime is how long the upstream may take to tell its schema even where that
// is more than --wait.
const attemptTime = time.Second

// awaitSchema reads the descriptor set, or asks the upstream until it answers.
func (f *gatewayFlags) awaitSchema(ctx context.Context, upstream *gateway.Upstream, protocol gateway.Protocol, stdout io.Writer) (*gateway.Schema, error) {
	if f.descriptors != "" {
		return f.readSchema(ctx, upstream)
	}
	deadline := time.Now().Add(f.wait)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		attempt, cancel := context.WithTimeout(ctx, max(time.Until(deadline), attemptTime))
		schema, err := f.readSchema(attempt, upstream)
		cancel()
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

// headerRule reads what --headers says; nil where it says nothing.
func headerRule(list string) func(string) bool {
	if list == "" {
		return nil
	}
	var prefixes []string
	names := make(map[string]bool)
	for name := range strings.SplitSeq(list, ",") {
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			prefixes = append(prefixes, prefix)
		} else {
			names[name] = true
		}
	}
	return func(name string) bool {
		return names[name] || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
}
