package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// lines is a standard output whose text another goroutine may look at.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await returns the first match of a pattern in the output.
func (l *lines) await(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for range 500 {
		if m := re.FindStringSubmatch(l.String()); m != nil {
			return m[len(m)-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %q in %q", pattern, l.String())
	return ""
}

type books struct {
	libraryv1.UnimplementedLibraryServer
}

func (books) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if strings.HasSuffix(r.GetName(), "/lost") {
		return nil, status.Error(codes.NotFound, "no such book")
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

// One command puts JSON-RPC and HTTP+JSON in front of a server of unmodified
// grpc-go, with its reflection or without.
func TestGateway(t *testing.T) {
	t.Parallel()
	set := new(descriptorpb.FileDescriptorSet)
	fd := libraryv1.File_library_v1_library_proto
	for i := range fd.Imports().Len() {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd.Imports().Get(i).FileDescriptor))
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "library.binpb")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"reflection":     {"--protocol", "grpc"},
		"descriptor set": {"--protocol", "grpc", "--descriptors", file},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := grpc.NewServer()
			libraryv1.RegisterLibraryServer(s, books{})
			healthy := health.NewServer()
			grpc_health_v1.RegisterHealthServer(s, healthy)
			if name == "reflection" {
				reflection.Register(s)
			}
			go func() { _ = s.Serve(l) }()
			t.Cleanup(s.Stop)

			ctx, stop := context.WithCancel(t.Context())
			out, done := new(lines), make(chan int, 1)
			args := append([]string{"gateway", "--upstream", "http://" + l.Addr().String(), "--listen", "127.0.0.1:0"}, flags...)
			go func() { done <- run(ctx, args, strings.NewReader(""), out, out) }()
			base := "http://" + out.await(t, `gateway to \S+ \(grpc\) on (\S+)`)

			for _, row := range []struct{ method, path, body, want string }{
				{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"b"}}`, `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}`},
				{"POST", "/", `{"jsonrpc":"2.0","id":2,"method":"library.v1.Library/GetBook","params":{"name":"shelves/1/books/lost"}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-31404,"message":"no such book"}}`},
				{"GET", "/v1/books/b", "", `{"name":"b"}`},
				{"GET", "/v1/shelves/1/books/lost", "", `{"error":{"code":404,"message":"no such book","status":"NOT_FOUND"}}`},
				{"GET", "/healthz", "", "ok\n"},
			} {
				if got := fetch(t, row.method, base+row.path, row.body); got != row.want {
					t.Errorf("%s %s: got %s, want %s", row.method, row.path, got, row.want)
				}
			}
			healthy.SetServingStatus("", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
			if got := fetch(t, "GET", base+"/healthz", ""); got != "the upstream does not serve\n" {
				t.Errorf("healthz: %q", got)
			}
			stop()
			select {
			case code := <-done:
				if code != exitOK || !strings.HasSuffix(out.String(), "\nstopped\n") {
					t.Errorf("exit code %d: %s", code, out)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it does not stop")
			}
		})
	}
}

func fetch(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGateway_misuse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, exitUsage, `--upstream "": want an http:// or https:// URL`},
		{[]string{"--upstream", "localhost:1"}, exitUsage, `want an http:// or https:// URL`},
		{[]string{"--upstream", "http://localhost:1", "--protocol", "soap"}, exitUsage, `errmap: gateway: unknown protocol "soap": want connect, grpc or grpc-web`},
		{[]string{"--upstream", "http://localhost:1", "--profile", "x"}, exitUsage, `unknown profile "x": want generic, a2a, mcp or mcp-2025-11-25`},
		{[]string{"--upstream", "http://localhost:1", "--names", "x"}, exitUsage, `--names "x": want slash, dotted or bare`},
		{[]string{"--nonsense"}, exitUsage, `unknown flag --nonsense: the flags are --addr, --allow-host, --allow-origin, --descriptors, --headers, --hide-debug, --listen`},
		{[]string{"--upstream", "http://127.0.0.1:1", "--wait", "1ms"}, exitFailure, "errmap: gateway: reflection: unavailable: dial tcp"},
		{[]string{"--upstream", "http://localhost:1", "--wait", "5"}, exitUsage, `errmap: gateway: --wait "5": want a duration such as 5s or 2m`},
		{[]string{"--upstream", "http://localhost:1", "--listen", "foo"}, exitUsage, `--listen "foo": want HOST:PORT such as :8080`},
		{[]string{"--upstream", "http://127.0.0.1:1", "--descriptors", "/nonexistent"}, exitFailure, "/nonexistent"},
		{[]string{"--upstream", "http://localhost:1", "--tls-cert", "c.pem"}, exitUsage, `--tls-cert and --tls-key: want both or neither`},
		{[]string{"--upstream", "http://localhost:1", "--refresh", "-1s"}, exitUsage, `--refresh -1s: want a duration such as 5s or 2m, or 0`},
	} {
		var out, err strings.Builder
		code := run(t.Context(), append([]string{"gateway"}, row.args...), strings.NewReader(""), &out, &err)
		if code != row.code || !strings.Contains(err.String(), row.want) {
			t.Errorf("%q: exit code %d, %s", row.args, code, err.String())
		}
	}
}
