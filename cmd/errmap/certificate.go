package main

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
)

// certificate is that of a listener. It may be renewed while it is in use.
type certificate struct {
	cert, key string // files
	current   atomic.Pointer[tls.Certificate]
}

func loadCertificate(cert, key string) (*certificate, error) {
	c := &certificate{cert: cert, key: key}
	return c, c.reload()
}

// reload reads the files again. Where they cannot be used, what was there stays.
func (c *certificate) reload() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.cert, c.key, err)
	}
	c.current.Store(&pair)
	return nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }}
}
