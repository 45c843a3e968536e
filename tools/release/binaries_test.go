package main

import (
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var programs = []string{"buf-plugin-errmap", "errmap", "protoc-gen-errmap-doc", "protoc-gen-errmap-es", "protoc-gen-errmap-go", "protoc-gen-errmap-python"}

// Each of six platforms has an archive with every program, built for it, and what
// their licences want beside them.
func TestBinaries(t *testing.T) {
	t.Parallel()
	machines := map[string]func(*testing.T, string) string{
		"linux_amd64": ofELF, "linux_arm64": ofELF, "darwin_amd64": ofMachO, "darwin_arm64": ofMachO, "windows_amd64": ofPE, "windows_arm64": ofPE,
	}
	for platform, machine := range machines {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			var files map[string][]byte
			extension := ""
			if strings.HasPrefix(platform, "windows") {
				extension = ".exe"
				files = unzip(t, one(t, "dist/errmap_*_"+platform+".zip"))
			} else {
				files = untar(t, one(t, "dist/errmap_*_"+platform+".tar.gz"))
			}
			dir := t.TempDir()
			want := []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_NOTICES"}
			for _, program := range programs {
				name := program + extension
				want = append(want, name)
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, files[name], 0o700); err != nil {
					t.Fatal(err)
				}
				if got, want := machine(t, path), strings.Split(platform, "_")[1]; got != want {
					t.Errorf("%s is for %s, want %s", name, got, want)
				}
				if platform == "linux_amd64" && program != "buf-plugin-errmap" {
					out := command{dir: dir}.run(t, path, "--version")
					// Go stamps no version in a work tree that git worktree added.
					if git, err := os.Stat(root + "/.git"); !strings.HasPrefix(out, program+" ") || err == nil && git.IsDir() && !strings.HasPrefix(out, program+" v") {
						t.Errorf("%s --version says %q, which is no version", program, out)
					}
				}
			}
			var got []string
			for name, content := range files {
				if got = append(got, name); len(content) == 0 {
					t.Errorf("%s is empty", name)
				}
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("the archive has %q, want %q", got, want)
			}
		})
	}
}

// The plugin of buf out of the archive works with buf.
func TestBinaries_bufPlugin(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	c.run(t, absolute(t, ".build/buf"), "export", absolute(t, "proto"), "-o", "errmap")
	c.write(t, "proto/shop/v1/shop.proto", `syntax = "proto3";
package shop.v1;
import "errmap/v1/error.proto";
message StockEmptyError {
  option (errmap.v1.error) = {code: FAILED_PRECONDITION message: "No {skew} left"};
  string sku = 1;
}
`)
	c.write(t, "buf.yaml", "version: v2\nmodules:\n  - path: proto\n    lint:\n      use: [ERRMAP]\n  - path: errmap\n    lint:\n      use: [ERRMAP]\n      ignore: [errmap]\nplugins:\n  - plugin: "+
		one(t, "dist/buf-plugin-errmap_linux_amd64_v1/buf-plugin-errmap")+"\n")
	stdout, stderr, err := c.try(t.Context(), absolute(t, ".build/buf"), "lint")
	if err == nil || !strings.Contains(stdout, "proto/shop/v1/shop.proto:5:") || !strings.Contains(stdout, "skew") {
		t.Errorf("buf lint: %v\n%s%s", err, stdout, stderr)
	}
}

// checksums.txt has the sum of every archive and of every bill of materials.
func TestChecksums(t *testing.T) {
	t.Parallel()
	sums := make(map[string]string)
	for line := range strings.Lines(read(t, one(t, "dist/checksums.txt"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	if len(sums) != 6+12 {
		t.Errorf("checksums.txt has %d files, want 6 archives and 12 bills of materials", len(sums))
	}
	for name, want := range sums {
		sum := sha256.Sum256([]byte(read(t, filepath.Join(made, "dist", name))))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("the sum of %s is %s, checksums.txt says %s", name, got, want)
		}
	}
}

// The bill of materials of each program is CycloneDX and names the modules that are
// built in, with their versions.
func TestSBOM(t *testing.T) {
	t.Parallel()
	for program, module := range map[string]string{"errmap": "google.golang.org/grpc", "buf-plugin-errmap": "buf.build/go/bufplugin"} {
		files, err := filepath.Glob(made + "/dist/" + program + "_*.cdx.json")
		if err != nil || len(files) != 6 {
			t.Errorf("%s has %d bills of materials, want 6 (%v)", program, len(files), err)
		}
		for _, name := range files {
			var bill struct {
				BOMFormat  string
				Components []struct{ Name, Version, PURL string }
			}
			if err := json.Unmarshal([]byte(read(t, name)), &bill); err != nil || bill.BOMFormat != "CycloneDX" {
				t.Errorf("%s: %v, a %q", name, err, bill.BOMFormat)
			}
			found := false
			for _, c := range bill.Components {
				found = found || c.Name == module && c.Version != "" && strings.HasPrefix(c.PURL, "pkg:golang/")
			}
			if !found {
				t.Errorf("%s does not name %s", name, module)
			}
		}
	}
}

func ofELF(t *testing.T, path string) string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s wants the libraries %q: %v", path, libraries, err)
	}
	return named(f.Machine, map[any]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"})
}

func ofMachO(t *testing.T, path string) string {
	t.Helper()
	f, err := macho.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return named(f.Cpu, map[any]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"})
}

func ofPE(t *testing.T, path string) string {
	t.Helper()
	f, err := pe.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return named(f.Machine, map[any]string{uint16(pe.IMAGE_FILE_MACHINE_AMD64): "amd64", uint16(pe.IMAGE_FILE_MACHINE_ARM64): "arm64"})
}

func named(machine any, names map[any]string) string {
	if name, ok := names[machine]; ok {
		return name
	}
	return fmt.Sprint(machine)
}
