// Package soak_test keeps the example agent and a gateway under mixed load for a
// while, and looks at what is left afterwards.
package soak_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/agent"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

var soak = flag.Duration("soak", 0, "how long to keep the servers under load; 0 skips the test")

const (
	workers = 8
	warmUp  = 3 * time.Second
	// idleTime is how long the servers let connections be without a request.
	idleTime = 4 * time.Second
	// What may be left beyond what was there after the warm-up: goroutines that
	// net/http is about to end, their connections, and pools.
	moreGoroutines = 4
	moreFiles      = 4
	moreHeap       = 8 << 20
)

// library counts the calls that run.
type library struct {
	libraryv1connect.UnimplementedLibraryHandler
	running, done atomic.Int64
}

func (l *library) enter() func() {
	l.running.Add(1)
	return func() { l.running.Add(-1); l.done.Add(1) }
}

func (l *library) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	defer l.enter()()
	switch r.GetName() {
	case "missing":
		return nil, &libraryv1.BookNotFoundError{Name: r.GetName()}
	case "panic":
		panic("of a handler")
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

func (l *library) WatchBooks(ctx context.Context, r *libraryv1.ListBooksRequest, s libraryv1connect.LibraryWatchBooksServerStream) error {
	defer l.enter()()
	for range r.GetPageSize() {
		if err := s.Send(&libraryv1.Book{Name: "b"}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	if r.GetParent() == "missing" {
		return &libraryv1.BookNotFoundError{Name: "b"}
	}
	return nil
}

// TestSoak fails if a call is not answered by its id, if a call is wrong, or if
// calls, goroutines or memory are left. The requests to the agent create no
// tasks: the store of the A2A SDK keeps those in memory for good.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("run it with make soak")
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	upstream := new(library)
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, upstream)
	upstreamMux := http.NewServeMux()
	connecthttp.Mount(upstreamMux, rpc)
	upstreamURL := listen(t, upstreamMux)

	a, err := agent.New(agent.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	l := &load{agent: listen(t, a), gateway: listen(t, newGateway(t, upstreamURL)), counts: make(map[string]int)}
	l.run(t, warmUp)
	before := settle()
	l.counts, l.sent, l.answered = make(map[string]int), atomic.Int64{}, atomic.Int64{}
	start := time.Now()
	l.run(t, *soak)
	took := time.Since(start)
	after := settle()

	fmt.Printf("soak: %v, %d workers, %d CPUs\n", took.Round(time.Second), workers, runtime.GOMAXPROCS(0))
	total := 0
	for _, name := range slices.Sorted(keys(l.counts)) {
		fmt.Printf("  %-34s %9d\n", name, l.counts[name])
		total += l.counts[name]
	}
	fmt.Printf("  %-34s %9d  %.0f a second\n", "exchanges", total, float64(total)/took.Seconds())
	fmt.Printf("  %-34s %9d\n  %-34s %9d\n", "ids sent and waited for", l.sent.Load(), "ids answered", l.answered.Load())
	fmt.Printf("  %-34s %9d\n  %-34s %9d\n", "calls of the upstream", upstream.done.Load(), "still running", upstream.running.Load())
	fmt.Printf("  %-34s %9d  before %d\n", "goroutines", after.goroutines, before.goroutines)
	fmt.Printf("  %-34s %9d  before %d\n", "open files", after.files, before.files)
	fmt.Printf("  %-34s %9d  before %d\n", "heap in use, KiB", after.heap>>10, before.heap>>10)
	fmt.Printf("  %-34s %9d  before %d\n", "objects", after.objects, before.objects)

	if l.sent.Load() != l.answered.Load() {
		t.Errorf("%d ids were sent and %d answered", l.sent.Load(), l.answered.Load())
	}
	if n := upstream.running.Load(); n != 0 {
		t.Errorf("%d calls still run", n)
	}
	if after.goroutines > before.goroutines+moreGoroutines {
		buffer := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", after.goroutines, before.goroutines, buffer[:runtime.Stack(buffer, true)])
	}
	if after.files > before.files+moreFiles {
		t.Errorf("%d open files, %d before", after.files, before.files)
	}
	if after.heap > before.heap+moreHeap {
		t.Errorf("%d bytes of heap, %d before", after.heap, before.heap)
	}
}

func newGateway(t *testing.T, upstreamURL string) http.Handler {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	addFile(set, make(map[string]bool), libraryv1.File_library_v1_library_proto)
	schema, err := gateway.NewSchema(set)
	if err != nil {
		t.Fatal(err)
	}
	g := gateway.New(gateway.NewUpstream(nil, upstreamURL, gateway.ProtocolGRPC).Transport(), schema)
	mux := http.NewServeMux()
	connecthttp.Mount(mux, g.Server())
	if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
		t.Fatal(err)
	}
	if err := httpjson.Mount(mux, g.Server(), httpjson.WithCatalog(g.Catalog())); err != nil {
		t.Fatal(err)
	}
	return mux
}

func addFile(set *descriptorpb.FileDescriptorSet, seen map[string]bool, f protoreflect.FileDescriptor) {
	if seen[f.Path()] {
		return
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		addFile(set, seen, f.Imports().Get(i).FileDescriptor)
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
}

// listen serves a handler over HTTP/1 and HTTP/2 on the loopback interface.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := httpserver.New(h, httpserver.WithLog(slog.New(slog.DiscardHandler)), httpserver.WithTimes(httpserver.Times{
		Header: 2 * time.Second, Read: 2 * time.Second, Write: 2 * time.Second, Idle: idleTime,
	}))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

// state is what a process holds.
type state struct {
	goroutines int
	files      int
	heap       uint64
	objects    uint64
}

// settle waits until what is about to end has ended, and measures.
func settle() state {
	var m runtime.MemStats
	last := runtime.NumGoroutine() + 1
	for range 50 {
		runtime.GC()
		time.Sleep(100 * time.Millisecond)
		if n := runtime.NumGoroutine(); n >= last {
			break
		} else {
			last = n
		}
	}
	time.Sleep(time.Second)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return state{runtime.NumGoroutine(), descriptors(), m.HeapAlloc, m.HeapObjects}
}

// load is the clients of the servers.
type load struct {
	agent, gateway string
	sent, answered atomic.Int64
	mu             sync.Mutex
	counts         map[string]int
}

// run keeps every worker busy for d.
func (l *load) run(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			w := newWorker(l, rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))) //nolint:gosec // no secret
			defer w.close()
			for ctx.Err() == nil && !t.Failed() {
				name, err := w.step()
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				l.mu.Lock()
				l.counts[name]++
				l.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
