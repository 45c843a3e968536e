package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// The gateway listens with TLS, for HTTP/1.1 and HTTP/2, and takes a new certificate
// while it runs.
func TestGateway_TLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := newCertificate(t, cert, key, "first")
	host, out, _ := gatewayBefore(t, serveHTTP1(t, newConnectLibrary()), "--protocol", "connect", "--refresh", "20ms",
		"--descriptors", libraryFile(t, "", libraryv1.File_library_v1_library_proto), "--tls-cert", cert, "--tls-key", key)
	if !strings.Contains(out.String(), ", with TLS\n") {
		t.Errorf("got %s", out)
	}
	for _, name := range []string{"first", "second"} {
		if name == "second" {
			pool = newCertificate(t, cert, key, name)
		}
		served := ""
		for range 100 {
			if served = fetchTLS(t, host, pool, 2); served == name {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if served != name {
			t.Errorf("the certificate is %q, want %q", served, name)
		}
		if got := fetchTLS(t, host, pool, 1); got != name {
			t.Errorf("over HTTP/1.1: %q", got)
		}
	}
}

// fetchTLS makes a call over a new connection, and returns the name in the
// certificate.
func fetchTLS(t *testing.T, host string, roots *x509.CertPool, major int) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "localhost"}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(major == 1)
	transport.Protocols.SetHTTP2(major == 2)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Post("https://"+host+"/", "application/json", strings.NewReader(getBook))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || response.ProtoMajor != major || string(got) != `{"jsonrpc":"2.0","id":1,"result":{"name":"b"}}` {
		t.Errorf("over %s: %s %v", response.Proto, got, err)
	}
	return response.TLS.PeerCertificates[0].Subject.CommonName
}

// newCertificate writes a certificate for localhost that signs itself.
func newCertificate(t *testing.T, cert, key, name string) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
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
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	for path, text := range map[string][]byte{key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), cert: encoded} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(encoded)
	return pool
}
