package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// All packages have one version, which their releases are tagged with.
func TestVersion(t *testing.T) {
	t.Parallel()
	files := map[string]*regexp.Regexp{
		"polyglot/typescript/package.json":          regexp.MustCompile(`(?m)^  "version": "(.*)",$`),
		"polyglot/generators/npm/package.json":      regexp.MustCompile(`(?m)^  "version": "(.*)",$`),
		"polyglot/python/pyproject.toml":            regexp.MustCompile(`(?m)^version = "(.*)"$`),
		"polyglot/generators/python/pyproject.toml": regexp.MustCompile(`(?m)^version = "(.*)"$`),
	}
	versions := make(map[string][]string)
	for name, pattern := range files {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		match := pattern.FindSubmatch(content)
		if match == nil {
			t.Errorf("%s says no version", name)
			continue
		}
		versions[string(match[1])] = append(versions[string(match[1])], name)
	}
	if len(versions) != 1 {
		t.Errorf("the packages differ in their versions: %v", versions)
	}
}
