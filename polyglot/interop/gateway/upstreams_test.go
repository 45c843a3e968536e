package gateway_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/results"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/polyglot/interop/internal/program"
	"github.com/errmap/errmap/server/gateway"
)

const build = "../../../.build"

// What is shown of an upstream behind the gateway.
const (
	byReflection  = "its reflection, each error whole, UNAVAILABLE where it dies"
	byDescriptors = "with `--descriptors`: each error whole, UNAVAILABLE where it dies"
)

// failing is how many errors each upstream is asked for: one of each code, alone and
// in the middle of a stream.
const failing = 16

var found = results.New("../../../docs/interop.md", "gateway")

func TestMain(m *testing.M) { os.Exit(found.Run(m)) }

// upstream is a server that others wrote: what it is told, the command, and how the
// gateway is told to speak to it.
type upstream struct {
	command  []string
	scheme   string // http unless it says otherwise
	protocol string
	flags    []string
}

// check starts an upstream and the gateway before it, and looks at every error, and
// at its death.
func (u upstream) check(t *testing.T) (notes string) {
	t.Helper()
	for _, death := range []string{"unary", "stream"} {
		u, url := u.start(t)
		out, base := u.gateway(t, url)
		cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), base, connecthttp.WithGRPC())))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		if got := get(t, base+"/healthz"); got != "ok\n" {
			t.Errorf("healthz: %q", got)
		}
		if death == "unary" {
			checkErrors(ctx, t, cart)
			_, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "die"})
			checkDeath(t, err)
		} else {
			count, err := watch(ctx, cart, &shopv1.GetRequest{Sku: "die"})
			if count != 1 {
				t.Errorf("%d messages before it died", count)
			}
			checkDeath(t, err)
		}
		if got := get(t, base+"/healthz"); got != "the upstream does not serve\n" {
			t.Errorf("healthz after its death: %q", got)
		}
		notes = out()
	}
	return notes
}

func checkErrors(ctx context.Context, t *testing.T, cart shopv1connect.CartClient) {
	t.Helper()
	for range 2 {
		if got, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "A1"}); err != nil || got.GetSku() != "A1" || got.GetQty() != 1 {
			t.Errorf("got %v, %v", got, err)
		}
	}
	for n := int32(1); n <= failing; n++ {
		want := &status.Status{Code: n, Message: "No A1 left: 5 % ünder, \"✓\"\n"}
		_, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "A1", Qty: n})
		checkError(t, err, want)
		count, err := watch(ctx, cart, &shopv1.GetRequest{Sku: "A1", Qty: n})
		if count != 2 {
			t.Errorf("%d messages, want 2", count)
		}
		checkError(t, err, want)
	}
}

func checkError(t *testing.T, err error, want *status.Status) {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || int32(e.Code()) != want.GetCode() || e.Message() != want.GetMessage() {
		t.Errorf("got %v, want %v", err, want)
		return
	}
	if diff := cmp.Diff(map[string]string{"sku": "A1"}, e.ErrorInfo().GetMetadata()); diff != "" || e.Reason() != "STOCK_EMPTY" || e.Domain() != "shop.example.com" {
		t.Errorf("%v: %s of %s, %s", e.Code(), e.Reason(), e.Domain(), diff)
	}
}

func checkDeath(t *testing.T, err error) {
	t.Helper()
	if e := errmap.From(err); e.Code() != code.Code_UNAVAILABLE || !strings.Contains(e.Message(), "the upstream") {
		t.Errorf("it died, and the error is %v", err)
	}
}

func watch(ctx context.Context, cart shopv1connect.CartClient, request *shopv1.GetRequest) (count int, err error) {
	s, err := cart.Watch(ctx, request)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for {
		if _, err := s.Receive(); errors.Is(err, io.EOF) {
			return count, nil
		} else if err != nil {
			return count, err
		}
		count++
	}
}

// start runs the server until the test ends.
func (u upstream) start(t *testing.T) (started upstream, url string) {
	t.Helper()
	dir := t.TempDir()
	descriptors, cert, key := filepath.Join(dir, "cart.binpb"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeDescriptors(t, descriptors)
	writeCertificate(t, cert, key)
	command := exec.CommandContext(context.WithoutCancel(t.Context()), u.command[0], u.command[1:]...)
	command.Env = append(os.Environ(), "UPSTREAM_DESCRIPTORS="+descriptors, "UPSTREAM_CERT="+cert, "UPSTREAM_KEY="+key)
	first, _ := program.Run(t, command)
	if u.scheme == "" {
		u.scheme = "http"
	}
	u.flags = append([]string{}, u.flags...)
	for i, flag := range u.flags {
		u.flags[i] = strings.ReplaceAll(flag, "$DESCRIPTORS", descriptors)
	}
	port := strings.TrimSpace(first(`^(\d+)\n`))
	t.Setenv("SSL_CERT_FILE", cert)
	return u, u.scheme + "://localhost:" + port
}

// gateway runs the gateway before an upstream, and returns what it says and where
// it is.
func (u upstream) gateway(t *testing.T, url string) (out func() string, base string) {
	t.Helper()
	args := append([]string{"gateway", "--upstream", url, "--protocol", u.protocol, "--listen", "127.0.0.1:0", "--wait", "5s"}, u.flags...)
	first, out := program.Run(t, exec.CommandContext(context.WithoutCancel(t.Context()), build+"/errmap", args...))
	return out, "http://" + first(`gateway to \S+ \(\S+\) on (\S+)`)
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// writeDescriptors writes the schema of the cart with what it imports, and with
// google.rpc.Status.
func writeDescriptors(t *testing.T, path string) {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	add(shopv1.File_shop_v1_cart_proto)
	add((*status.Status)(nil).ProtoReflect().Descriptor().ParentFile())
	raw, err := proto.Marshal(set)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeCertificate writes a certificate for localhost that signs itself.
func writeCertificate(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// tell puts an upstream into the table, if its tests passed.
func tell(t *testing.T, peer, version, wires, result string) {
	t.Helper()
	if !t.Failed() {
		found.Add(results.Row{Peer: peer, Version: version, Wires: wires, Errors: 2*failing + 2, Result: result})
	}
}

// TestUpstream_grpcio has a service of grpcio, and its reflection.
func TestUpstream_grpcio(t *testing.T) {
	const pinned = "../python/requirements.txt"
	notes := upstream{command: []string{build + "/interop-python/bin/python", "-B", "../python/upstream.py"}, protocol: "grpc"}.check(t)
	if !strings.Contains(notes, "  shop.v1.Cart: 6 methods\n") {
		t.Errorf("got %s", notes)
	}
	tell(t, "grpcio, server, with grpcio-reflection", results.PyPI(t, pinned, "grpcio"), "gRPC", byReflection)
}

// TestUpstream_grpcio_unknownService has a service that its reflection lists and does
// not know.
func TestUpstream_grpcio_unknownService(t *testing.T) {
	u, url := upstream{command: []string{build + "/interop-python/bin/python", "-B", "../python/upstream.py", "shop.v1.Vault"}, protocol: "grpc"}.start(t)
	out, base := u.gateway(t, url)
	get(t, base+"/healthz") // all is told by then
	for _, want := range []string{"note: the service shop.v1.Vault is left out: ", "note: to serve shop.v1.Vault too, give --descriptors", "  shop.v1.Cart: 6 methods\n"} {
		if !strings.Contains(out(), want) {
			t.Errorf("no %q in %s", want, out())
		}
	}
}

// TestUpstream_grpcJS has a service of @grpc/grpc-js, and the reflection of
// @grpc/reflection.
func TestUpstream_grpcJS(t *testing.T) {
	const lock = "../javascript/package-lock.json"
	for _, made := range []string{"proto", "set"} {
		notes := upstream{command: []string{"node", "../javascript/upstream-grpc.js", made}, protocol: "grpc"}.check(t)
		if !strings.Contains(notes, "  shop.v1.Cart: 6 methods\n") {
			t.Errorf("%s: got %s", made, notes)
		}
	}
	tell(t, "@grpc/grpc-js, server, with @grpc/reflection "+results.NPM(t, lock, "@grpc/reflection"), results.NPM(t, lock, "@grpc/grpc-js"), "gRPC", byReflection)
}

// TestUpstream_connectNode has services of @connectrpc/connect-node over every
// server of Node.
func TestUpstream_connectNode(t *testing.T) {
	const lock = "../javascript/package-lock.json"
	for _, test := range []struct {
		server, scheme, version string
		protocols               []string
	}{
		{"http", "http", "HTTP/1.1", []string{"connect", "grpc-web"}},
		{"http2", "http", "h2c", []string{"connect", "grpc-web", "grpc"}},
		{"https", "https", "TLS and HTTP/1.1", []string{"connect", "grpc-web"}},
		{"http2s", "https", "TLS and HTTP/2", []string{"connect", "grpc-web", "grpc"}},
	} {
		for _, protocol := range test.protocols {
			t.Run(test.server+"/"+protocol, func(t *testing.T) {
				upstream{
					command: []string{"node", "../javascript/upstream-connect.js", test.server},
					scheme:  test.scheme, protocol: protocol, flags: []string{"--descriptors", "$DESCRIPTORS"},
				}.check(t)
				tell(t, "@connectrpc/connect-node, server", results.NPM(t, lock, "@connectrpc/connect-node"), fmt.Sprintf("%s over %s", protocol, test.version), byDescriptors)
			})
		}
	}
}

// TestUpstream_connectPython has a service of connectrpc for Python over HTTP/1.0,
// where an answer ends with its connection.
func TestUpstream_connectPython(t *testing.T) {
	const pinned = "../python/requirements.txt"
	for _, protocol := range []string{"connect", "grpc-web"} {
		t.Run(protocol, func(t *testing.T) {
			upstream{
				command:  []string{build + "/interop-python/bin/python", "-B", "../python/upstream_connect.py"},
				protocol: protocol, flags: []string{"--descriptors", "$DESCRIPTORS"},
			}.check(t)
			tell(t, "connectrpc for Python, server, with wsgiref", results.PyPI(t, pinned, "connectrpc"), protocol+" over HTTP/1.0", byDescriptors)
		})
	}
}
