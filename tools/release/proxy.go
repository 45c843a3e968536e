package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// writeProxy writes every released module as the protocol of GOPROXY has it in
// files (https://go.dev/ref/mod#goproxy-protocol).
func (r *repository) writeProxy(dir string) error {
	all, err := r.all()
	if err != nil {
		return err
	}
	for _, m := range all {
		escaped, err := module.EscapePath(m.version.Path)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(at, 0o755); err != nil { //nolint:gosec // sources
			return err
		}
		info, err := json.Marshal(map[string]any{"Version": r.version, "Time": time.Now().UTC().Truncate(time.Second)})
		if err != nil {
			return err
		}
		for name, content := range map[string][]byte{
			"list":              []byte(r.version + "\n"),
			r.version + ".info": info,
			r.version + ".mod":  m.mod,
			r.version + ".zip":  m.zip,
		} {
			if err := os.WriteFile(filepath.Join(at, name), content, 0o644); err != nil { //nolint:gosec // sources
				return err
			}
		}
	}
	return nil
}

func sumOfGoMod(content []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(content))), nil
	})
}
