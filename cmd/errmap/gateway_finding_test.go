package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpcreflect/v2"
	"github.com/errmap/errmap/errmap/errmapconnect"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const getBook = `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"b"}}`

// gatewayBefore runs a gateway on a free port until the test ends, and returns its
// address, HOST:PORT, and its two outputs.
func gatewayBefore(t *testing.T, upstream string, flags ...string) (host string, out, errs *lines) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out, errs = new(lines), new(lines)
	done := make(chan int, 1)
	args := append([]string{"gateway", "--upstream", upstream, "--listen", "127.0.0.1:0"}, flags...)
	go func() { done <- run(ctx, args, strings.NewReader(""), out, errs) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return out.await(t, `gateway to \S+ \(\S+\) on ([^\s,]+)`), out, errs
}

// serveHTTP1 serves as http.ListenAndServe does: over HTTP/1.1 alone.
func serveHTTP1(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// connectLibrary is the library as Connect has it, without a health service.
type connectLibrary struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (connectLibrary) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: r.GetName()}, nil
}

func newConnectLibrary() http.Handler {
	s := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(s, connectLibrary{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	return mux
}

// reflects is the library with reflection.
func reflects() http.Handler {
	s := connect.NewServer()
	grpcreflect.Register(s, grpcreflect.WithNamer(grpcreflect.NamerFunc(func() []string { return []string{libraryv1connect.LibraryName} })))
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	mux.Handle("/", newConnectLibrary())
	return mux
}

// libraryFile writes the descriptor set of files with what they import.
func libraryFile(t *testing.T, path string, roots ...protoreflect.FileDescriptor) string {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	}
	for _, root := range roots {
		add(root)
	}
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	if path == "" {
		path = filepath.Join(t.TempDir(), "library.binpb")
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// An upstream that accepts connections and says nothing is waited for as long as
// --wait says.
func TestFinding_A12_wait(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for _, protocol := range []string{"grpc", "connect", "grpc-web"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			start := time.Now()
			var out, errs strings.Builder
			code := run(ctx, []string{"gateway", "--upstream", "http://" + l.Addr().String(), "--protocol", protocol, "--wait", "2s"}, strings.NewReader(""), &out, &errs)
			if took := time.Since(start); took > 5*time.Second || code != exitFailure {
				t.Errorf("exit code %d after %v: %s", code, took, errs.String())
			}
			if want := "something listens there and does not answer: look at --upstream, and at --protocol\n"; !strings.HasSuffix(errs.String(), want) {
				t.Errorf("got %q, want %q", errs.String(), want)
			}
		})
	}
}

// lacking are descriptors without those of one service.
type lacking struct {
	protodesc.Resolver
	name protoreflect.FullName
}

func (l lacking) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if name == l.name {
		return nil, protoregistry.NotFound
	}
	return l.Resolver.FindDescriptorByName(name)
}

// A service that reflection cannot tell is named, with what to do.
func TestFinding_P11_note(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	libraryv1.RegisterLibraryServer(s, books{})
	reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(reflection.ServerOptions{
		Services:           services{"library.v1.Library", "secret.v1.Vault"},
		DescriptorResolver: lacking{protoregistry.GlobalFiles, "secret.v1.Vault"},
	}))
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	host, out, _ := gatewayBefore(t, "http://"+l.Addr().String())
	if got, want := fetch(t, http.MethodPost, "http://"+host, getBook), `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, want := range []string{
		"note: the service secret.v1.Vault is left out: reflection of secret.v1.Vault: ",
		"note: to serve secret.v1.Vault too, give --descriptors with a file of `buf build -o FILE`\n",
		"  library.v1.Library: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// The gateway is well while its upstream answers, with a health service or without.
func TestFinding_P12_health_without_a_health_service(t *testing.T) {
	t.Parallel()
	descriptors := libraryFile(t, "", libraryv1.File_library_v1_library_proto)
	status := func(n int) string { return answering(t, n, (*httptest.Server).Start).URL }
	h2c := httptest.NewUnstartedServer(newConnectLibrary())
	h2c.Config.Protocols = new(http.Protocols)
	h2c.Config.Protocols.SetUnencryptedHTTP2(true)
	h2c.Start()
	t.Cleanup(h2c.Close)
	for name, test := range map[string]struct {
		upstream, protocol, want string
	}{
		"Connect, HTTP/1.1":          {serveHTTP1(t, newConnectLibrary()), "connect", "ok\n"},
		"gRPC-Web, HTTP/1.1":         {serveHTTP1(t, newConnectLibrary()), "grpc-web", "ok\n"},
		"Connect, h2c":               {h2c.URL, "connect", "ok\n"},
		"gRPC of Connect, h2c":       {h2c.URL, "grpc", "ok\n"},
		"gRPC-Web, h2c":              {h2c.URL, "grpc-web", "ok\n"},
		"gRPC":                       {"http://" + grpcServer(t), "grpc", "ok\n"},
		"Connect, no credentials":    {status(401), "connect", "ok\n"},
		"gRPC, no credentials":       {status(403), "grpc", "ok\n"},
		"Connect, it is unavailable": {status(503), "connect", "the upstream does not serve\n"},
		"gRPC, it is unavailable":    {status(502), "grpc", "the upstream does not serve\n"},
		"Connect, it is gone":        {"http://127.0.0.1:1", "connect", "the upstream does not serve\n"},
		"gRPC, it is gone":           {"http://127.0.0.1:1", "grpc", "the upstream does not serve\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, _, _ := gatewayBefore(t, test.upstream, "--protocol", test.protocol, "--descriptors", descriptors)
			if got := fetch(t, http.MethodGet, "http://"+host+"/healthz", ""); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Which headers travel is a flag.
func TestFinding_A19_flag(t *testing.T) {
	t.Parallel()
	descriptors := libraryFile(t, "", libraryv1.File_library_v1_library_proto)
	for name, test := range map[string]struct {
		flags []string
		want  string
	}{
		"default": {nil, "Authorization Cookie X-Tenant-Id"},
		"a list":  {[]string{"--headers", "authorization, x-tenant-*"}, "Authorization X-Tenant-Id"},
		"all":     {[]string{"--headers", "*"}, "Authorization Cookie X-Forwarded-For X-Tenant-Id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream := serveHTTP1(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var came []string
				for _, name := range []string{"Authorization", "Cookie", "X-Forwarded-For", "X-Hop", "X-Tenant-Id"} {
					if r.Header.Get(name) != "" {
						came = append(came, name)
					}
				}
				raw, _ := proto.Marshal(&libraryv1.Book{Name: strings.Join(came, " ")})
				w.Header().Set("Content-Type", "application/proto")
				_, _ = w.Write(raw)
			}))
			host, _, _ := gatewayBefore(t, upstream, append(test.flags, "--protocol", "connect", "--descriptors", descriptors)...)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host, strings.NewReader(getBook))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Authorization", "Cookie", "X-Forwarded-For", "X-Hop", "X-Tenant-Id"} {
				r.Header.Set(name, "1")
			}
			r.Header.Set("Connection", "x-hop")
			r.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"name":%q}}`, test.want); err != nil || string(got) != want {
				t.Errorf("got %s %v, want %s", got, err, want)
			}
		})
	}
}

// Pages of other origins reach the upstream by no protocol, unless a flag lets them.
func TestFinding_A08_gateway(t *testing.T) {
	t.Parallel()
	descriptors := libraryFile(t, "", libraryv1.File_library_v1_library_proto)
	flags := []string{"--protocol", "connect", "--descriptors", descriptors}
	closed, _, _ := gatewayBefore(t, serveHTTP1(t, newConnectLibrary()), flags...)
	open, _, _ := gatewayBefore(t, serveHTTP1(t, newConnectLibrary()), append(flags, "--allow-origin", "https://app.example.com")...)
	for path, body := range map[string]string{
		"/":                           getBook,
		"/library.v1.Library/GetBook": `{"name":"b"}`,
		"/v1/shelves/1/books":         `{}`,
	} {
		for host, want := range map[string]bool{closed: true, open: false} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Origin", "https://app.example.com")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if refused := response.StatusCode == http.StatusForbidden; refused != want {
				t.Errorf("%s: %s, want that it is refused: %t", path, response.Status, want)
			}
		}
	}
}

// A schema that has changed is served without a new start, whether the upstream
// tells it or a file; what cannot be read leaves the one that is there.
func TestFinding_A12_schema_changes(t *testing.T) {
	t.Parallel()
	const discover = `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`
	const before, after = `"library.v1.Library/GetBook"`, `"shop.v1.Cart/Get"`
	await := func(t *testing.T, host, want string) {
		t.Helper()
		got := ""
		for range 100 {
			if got = fetch(t, http.MethodPost, "http://"+host, discover); strings.Contains(got, want) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("no %s in %.300s", want, got)
	}
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		file := libraryFile(t, "", libraryv1.File_library_v1_library_proto)
		host, out, errs := gatewayBefore(t, serveHTTP1(t, newConnectLibrary()), "--protocol", "connect", "--descriptors", file, "--refresh", "20ms")
		await(t, host, before)
		if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		errs.await(t, `level=WARN msg="the schema stays as it was: .*(is no descriptor set)`)
		await(t, host, before)
		libraryFile(t, file, libraryv1.File_library_v1_library_proto, shopv1.File_shop_v1_cart_proto)
		await(t, host, after)
		await(t, host, before)
		out.await(t, `the schema has changed:\n  library.v1.Library: 9 methods\n(  shop.v1.Cart: \d+ methods)`)
		if got := strings.Count(errs.String(), "stays as it was"); got != 1 {
			t.Errorf("it was told %d times: %s", got, errs)
		}
	})
	t.Run("reflection", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		serve := func(l net.Listener, lacks string, names ...string) *grpc.Server {
			s := grpc.NewServer()
			libraryv1.RegisterLibraryServer(s, books{})
			reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(reflection.ServerOptions{Services: services(names), DescriptorResolver: lacking{protoregistry.GlobalFiles, protoreflect.FullName(lacks)}}))
			go func() { _ = s.Serve(l) }()
			return s
		}
		again := func(l net.Listener) net.Listener {
			l, err := net.Listen("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		first := serve(l, "", "library.v1.Library")
		host, _, errs := gatewayBefore(t, "http://"+l.Addr().String(), "--refresh", "20ms")
		await(t, host, before)
		first.Stop()
		errs.await(t, `(the schema stays as it was: reflection: unavailable)`)
		second := serve(again(l), "", "library.v1.Library", "shop.v1.Cart")
		await(t, host, after)
		second.Stop()
		third := serve(again(l), "library.v1.Library", "library.v1.Library", "shop.v1.Cart")
		t.Cleanup(third.Stop)
		errs.await(t, `(the schema stays as it was: the service library.v1.Library cannot be read: )`)
		if got, want := fetch(t, http.MethodPost, "http://"+host, getBook), `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A bad binding of HTTP+JSON leaves itself out, and nothing else.
func TestFinding_P11_bad_binding(t *testing.T) {
	t.Parallel()
	set := compileText(t, `syntax = "proto3"; package library.v1; import "google/api/annotations.proto";
message GetBookRequest { string name = 1; }
message Book { string name = 1; }
service Library {
  rpc GetBook(GetBookRequest) returns (Book) { option (google.api.http) = { get: "/v1/{name=books/*}" }; }
  rpc Bad(GetBookRequest) returns (Book) { option (google.api.http) = { get: "/v1/{missing}" }; }
}`)
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "library.binpb")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	host, out, _ := gatewayBefore(t, serveHTTP1(t, newConnectLibrary()), "--protocol", "connect", "--descriptors", file)
	if got, want := fetch(t, http.MethodPost, "http://"+host, getBook), `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fetch(t, http.MethodGet, "http://"+host+"/v1/books/b", ""), `{"name":"books/b"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(out.String(), "note: ") || !strings.Contains(out.String(), "missing") {
		t.Errorf("got %s", out)
	}
}

// A call that runs when the gateway is told to stop is finished.
func TestGateway_finishesWhatRuns(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	upstream := serveHTTP1(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PRI" { // the gateway asks for HTTP/2
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		close(running)
		time.Sleep(500 * time.Millisecond)
		raw, _ := proto.Marshal(&libraryv1.Book{Name: "b"})
		w.Header().Set("Content-Type", "application/proto")
		_, _ = w.Write(raw)
	}))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, done := new(lines), make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"gateway", "--upstream", upstream, "--protocol", "connect", "--listen", "127.0.0.1:0",
			"--descriptors", libraryFile(t, "", libraryv1.File_library_v1_library_proto)}, strings.NewReader(""), out, out)
	}()
	host := out.await(t, `gateway to \S+ \(\S+\) on ([^\s,]+)`)
	answer := make(chan string, 1)
	go func() { answer <- fetch(t, http.MethodPost, "http://"+host, getBook) }()
	<-running
	stop()
	if got, want := <-answer, `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if code := <-done; code != exitOK || !strings.HasSuffix(out.String(), "\nstopped\n") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
