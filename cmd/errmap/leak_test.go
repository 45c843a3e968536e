package main

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
)

// What an error says is for standard output; notes and mistakes on standard error,
// which often goes to a log, show none of its values.
func TestLeaks_stderr(t *testing.T) {
	t.Parallel()
	secret := "Sk" + rand.Text()
	debug := `{"@type":"type.googleapis.com/google.rpc.DebugInfo","detail":"password=` + secret + `","stackEntries":["` + strings.Repeat(secret, 400) + `"]}`
	unlinked := `{"@type":"type.googleapis.com/acme.v9.Mystery","token":"` + secret + `"}`
	for name, args := range map[string][]string{
		"over budget":        {`{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[` + debug + `]}}`, "convert", "--from", "http", "--to", "grpc"},
		"unlinked":           {`{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[` + unlinked + `]}}`, "convert", "--from", "http", "--to", "connect"},
		"broken value":       {`{"code":"not_found","message":"gone","details":[{"type":"acme.v9.Mystery","value":"%` + secret + `"}]}`, "convert", "--from", "connect", "--to", "http"},
		"duplicate member":   {`{"code":"not_found","message":"gone","message":"` + secret + `"}`, "convert", "--from", "connect", "--to", "http"},
		"member in capitals": {`{"code":"not_found","message":"gone","Message":"` + secret + `"}`, "convert", "--from", "connect", "--to", "http"},
		"explained":          {`{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[` + debug + `]}}`, "explain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, _ := runErrmap(t, args[0], args[1:]...)
			if stdout == "" {
				t.Errorf("nothing came out; stderr: %s", stderr)
			}
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))[:36]} {
				if strings.Contains(stderr, form) {
					t.Errorf("standard error shows the secret: %s", stderr)
				}
			}
		})
	}
}
