package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// answering is a server that answers every request with one status.
func answering(t *testing.T, status int, start func(*httptest.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	start(s)
	t.Cleanup(s.Close)
	return s
}

// grpcServer is a server of grpc-go without reflection, and returns its address.
func grpcServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	libraryv1.RegisterLibraryServer(s, books{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// What cannot get better ends the gateway at once, with what to do.
func TestGateway_does_not_wait_in_vain(t *testing.T) {
	t.Parallel()
	bare := grpcServer(t)
	status := func(n int) string { return answering(t, n, (*httptest.Server).Start).URL }
	secure := answering(t, http.StatusNotFound, (*httptest.Server).StartTLS)
	const descriptors = "give --descriptors with a file of `buf build -o FILE`\n"
	for name, test := range map[string]struct{ upstream, protocol, want string }{
		"no reflection":            {"http://" + bare, "grpc", "unimplemented: unknown service grpc.reflection.v1alpha.ServerReflection: turn reflection on in the upstream, or " + descriptors},
		"Connect to gRPC":          {"http://" + bare, "connect", "HTTP status 415 Unsupported Media Type: try --protocol grpc or grpc-web\n"},
		"gRPC-Web to gRPC":         {"http://" + bare, "grpc-web", "HTTP status 415 Unsupported Media Type: try --protocol connect or grpc\n"},
		"TLS to none":              {"https://" + bare, "grpc", "tls: first record does not look like a TLS handshake: the upstream has no TLS there: use http:// in --upstream\n"},
		"TLS to HTTP":              {"https://" + strings.TrimPrefix(status(404), "http://"), "grpc", "the upstream has no TLS there: use http:// in --upstream\n"},
		"an unknown authority":     {secure.URL, "grpc", "have its certificate signed by an authority that this machine trusts (SSL_CERT_FILE names others)\n"},
		"not found":                {status(404), "grpc", "HTTP status 404 Not Found: turn reflection on in the upstream, or " + descriptors},
		"not found, Connect":       {status(404), "connect", "HTTP status 404 Not Found: turn reflection on in the upstream, or " + descriptors},
		"no credentials":           {status(401), "grpc", "HTTP status 401 Unauthorized: reflection is asked for without credentials: " + descriptors},
		"forbidden":                {status(403), "grpc", "HTTP status 403 Forbidden: reflection is asked for without credentials: " + descriptors},
		"a method that it has not": {status(405), "connect", "HTTP status 405 Method Not Allowed\n"},
		"HTTP/1.1, Connect":        {serveHTTP1(t, reflects()), "connect", ": reflection needs HTTP/2, which the upstream does not speak there: " + descriptors},
		"HTTP/1.1, gRPC-Web":       {serveHTTP1(t, reflects()), "grpc-web", ": reflection needs HTTP/2, which the upstream does not speak there: " + descriptors},
		"something else":           {status(200), "grpc", "try --protocol connect or grpc-web\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var out, errs strings.Builder
			code := run(ctx, []string{"gateway", "--upstream", test.upstream, "--protocol", test.protocol, "--wait", "1h"}, strings.NewReader(""), &out, &errs)
			if got := errs.String(); code != exitFailure || !strings.HasPrefix(got, "errmap: gateway: reflection: ") || !strings.HasSuffix(got, test.want) || strings.Count(got, "gateway:") != 1 {
				t.Errorf("exit code %d, %q, want %q", code, got, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("it waited: %s", out.String())
			}
		})
	}
}

// What may get better is asked again, and an interrupt ends the wait as it ends
// the gateway.
func TestGateway_stops_while_it_waits(t *testing.T) {
	t.Parallel()
	for name, upstream := range map[string]string{
		"refused":           "http://127.0.0.1:1",
		"unavailable":       answering(t, http.StatusServiceUnavailable, (*httptest.Server).Start).URL,
		"too many requests": answering(t, http.StatusTooManyRequests, (*httptest.Server).Start).URL,
		"TLS, perhaps":      "http://" + strings.TrimPrefix(answering(t, http.StatusOK, (*httptest.Server).StartTLS).URL, "https://"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			out, errs, done := new(lines), new(lines), make(chan int, 1)
			go func() {
				done <- run(ctx, []string{"gateway", "--upstream", upstream, "--wait", "1h"}, strings.NewReader(""), out, errs)
			}()
			out.await(t, `waiting up to 1h0m0s for \S+: reflection: (\S+)`)
			stop()
			if code := <-done; code != exitOK || !strings.HasSuffix(out.String(), "\nstopped\n") || errs.String() != "" {
				t.Errorf("exit code %d, %q, %q", code, out, errs)
			}
		})
	}
}

// The wait is over with the remedy of what may be the matter.
func TestGateway_waited_in_vain(t *testing.T) {
	t.Parallel()
	secure := answering(t, http.StatusOK, (*httptest.Server).StartTLS)
	_, stderr, code := runErrmap(t, "", "gateway", "--upstream", "http://"+strings.TrimPrefix(secure.URL, "https://"), "--wait", "1ms")
	if want := ": if the upstream speaks TLS there, use https:// in --upstream\n"; code != exitFailure || !strings.HasSuffix(stderr, want) {
		t.Errorf("exit code %d, %q, want %q", code, stderr, want)
	}
}

// Whoever runs a gateway learns why its calls fail.
func TestGateway_logs_that_the_upstream_is_gone(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	dir, _ := orderFile(t)
	set, err := compile(ctx, []string{dir}, []string{"orders.proto"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "orders.binpb")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, done := new(lines), new(lines), make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"gateway", "--upstream", "http://127.0.0.1:1", "--descriptors", file, "--listen", "127.0.0.1:0"}, strings.NewReader(""), out, errs)
	}()
	base := "http://" + out.await(t, `gateway to \S+ \(grpc\) on (\S+)`)
	got := fetch(t, http.MethodPost, base, `{"jsonrpc":"2.0","id":1,"method":"orders.v1.Orders/GetOrder","params":{}}`)
	if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31503,"message":"the upstream cannot be reached"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	errs.await(t, `level=WARN msg="the upstream cannot be reached" procedure=/orders\.v1\.Orders/GetOrder error=".*(connection refused)`)
	stop()
	<-done
}

// An error that no code of Connect is in came of an answer.
func TestHopeless(t *testing.T) {
	t.Parallel()
	for want, errs := range map[bool][]error{
		true: {errors.New("no services"), connect.NewError(connect.CodeNotFound, "no such symbol").WithRemote(), connect.NewError(connect.CodeInvalidArgument, "")},
		false: {
			connect.NewError(connect.CodeUnavailable, ""), connect.NewError(connect.CodeDeadlineExceeded, ""), connect.NewError(connect.CodeCanceled, ""),
			connect.NewError(connect.CodeUnknown, "HTTP status 500 Internal Server Error"), connect.NewError(connect.CodeInternal, ""),
			connect.NewError(connect.CodeUnknown, "HTTP status 404 Not Found").WithRemote(), // the words of a peer
		},
	} {
		for _, err := range errs {
			if hopeless(err) != want {
				t.Errorf("%v: %t, want %t", err, !want, want)
			}
		}
	}
}

// services is what a server of these names tells of itself.
type services []string

func (s services) GetServiceInfo() map[string]grpc.ServiceInfo {
	info := map[string]grpc.ServiceInfo{}
	for _, name := range s {
		info[name] = grpc.ServiceInfo{}
	}
	return info
}

// A server's mistakes are told, and its errors listed all the same.
func TestCatalog_mistakes_of_an_upstream(t *testing.T) {
	t.Parallel()
	text, _, _ := strings.Cut(mistakenErrors, "message LostError")
	files, err := protodesc.NewFiles(compileText(t, text+`
message R {}
service S {
  rpc Get(R) returns (R) { option (errmap.v1.errors) = "orders.v1.GoneError"; }
  rpc List(R) returns (R) { option (errmap.v1.errors) = "orders.v1.NoSuchError"; }
}`))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(reflection.ServerOptions{Services: services{"orders.v1.S"}, DescriptorResolver: files}))
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	stdout, stderr, code := runErrmap(t, "", "catalog", "--upstream", "http://"+l.Addr().String())
	const want = `errmap: note: a method names the error orders.v1.NoSuchError, which the upstream does not know
errmap: note: mistaken.proto:1:1: http_status 200 is not that of an error, expected 400 to 599, choose one, or leave it out for the one that the code stands for
errmap: note: mistaken.proto:1:1: jsonrpc_code is 0, expected the number of an error, choose another, or leave it out for the one that the code stands for
`
	if code != exitOK || !strings.Contains(stdout, "  GONE: GONE\n") || stderr != want {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}

// compileText returns the descriptor set of a file that is called mistaken.proto.
func compileText(t *testing.T, text string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mistaken.proto"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := compile(t.Context(), []string{dir}, []string{"mistaken.proto"})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range set.File {
		file.SourceCodeInfo = nil // as servers have it
	}
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	plain := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(raw, plain); err != nil {
		t.Fatal(err)
	}
	return plain
}
