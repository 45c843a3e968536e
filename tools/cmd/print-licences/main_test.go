package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/licences.md names what is built, no more and no less.
func TestPrint(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := print(&got, "../../.."); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("docs/licences.md is not what is built, run make licences:\n%s", got.String())
	}
}

func TestLicences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := licences(dir); err == nil {
		t.Error("a module without a licence passed")
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("All rights reserved."), 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := licences(dir); err == nil {
		t.Errorf("an unknown licence passed as %v", names)
	}
}
