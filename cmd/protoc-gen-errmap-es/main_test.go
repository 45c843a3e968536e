package main_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

const root = "../.."

var (
	update = flag.Bool("update", false, "write the wanted diagnostics in testdata anew")
	binary string
)

// committed are files whose generated code is in the TypeScript package, which
// compiles and calls it.
var committed = []struct{ source, file, out, parameter string }{
	{"proto", "errmap/a2a/v1/errors.proto", "src/gen", "runtime=./../generated.js"},
	{"proto", "errmap/mcp/v1/client.proto", "src/gen", "runtime=./../generated.js"},
	{"proto", "errmap/mcp/v1/errors.proto", "src/gen", "runtime=./../generated.js"},
	{"internal/testproto", "shop/v1/cart.proto", "test/gen", "runtime=./../../src/generated.js"},
	{"internal/testproto", "library/v1/library.proto", "test/gen", "runtime=./../../src/generated.js"},
	{"polyglot/typescript/test/proto", "naming/v1/naming.proto", "test/gen", "runtime=./../../src/generated.js"},
}

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "protoc-gen-errmap-es")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "protoc-gen-errmap-es")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(err.Error() + "\n" + string(out))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// The committed code is what the binary writes, also when it is asked twice.
func TestBinary_committed(t *testing.T) {
	t.Parallel()
	for _, tt := range committed {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			request := requestFor(compile(t, filepath.Join(root, tt.source), tt.file), tt.parameter)
			response := run(t, request)
			if response.Error != nil {
				t.Fatal(response.GetError())
			}
			name := strings.TrimSuffix(tt.file, ".proto") + "_errmap.ts"
			if len(response.GetFile()) != 1 || response.GetFile()[0].GetName() != name {
				t.Fatalf("got %d files, want only %s", len(response.GetFile()), name)
			}
			want, err := os.ReadFile(filepath.Join(root, "polyglot/typescript", tt.out, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), response.GetFile()[0].GetContent()); diff != "" {
				t.Errorf("%s (-committed +generated):\n%s", name, diff)
			}
			if !proto.Equal(response, run(t, request)) {
				t.Error("two runs differ")
			}
		})
	}
}

// A file without errors gets no file of ours.
func TestBinary_noErrors(t *testing.T) {
	t.Parallel()
	response := run(t, requestFor(compile(t, filepath.Join(root, "proto"), "errmap/v1/carried.proto"), ""))
	if response.Error != nil || len(response.GetFile()) != 0 {
		t.Errorf("got %v, want nothing", response)
	}
}

// Each directory of testdata/mistakes holds a schema and the diagnostics that it
// brings, all at once and with no code beside them.
func TestBinary_mistakes(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/mistakes/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			response := run(t, requestFor(compile(t, dir, "errors.proto"), ""))
			if len(response.GetFile()) != 0 {
				t.Errorf("got code beside the error")
			}
			golden := filepath.Join(dir, "want.txt")
			got := response.GetError() + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBinary_parameters(t *testing.T) {
	t.Parallel()
	file := compile(t, filepath.Join(root, "internal/testproto"), "library/v1/library.proto")
	for _, tt := range []struct{ parameter, want string }{
		{"", `import * as errmap$ from "@errmap/errmap";`},
		{"", `import * as pb$ from "./library_pb.js";`},
		{"import_extension=js", `import * as pb$ from "./library_pb.js";`},
		{"import_extension=ts", `import * as pb$ from "./library_pb.ts";`},
		{"import_extension=none", `import * as pb$ from "./library_pb";`},
		{"runtime=errmap-fork", `import * as errmap$ from "errmap-fork";`},
		{"runtime=./runtime.js", `import * as errmap$ from "../../runtime.js";`},
		{"runtime=./../src/runtime.js", `import * as errmap$ from "../../../src/runtime.js";`},
	} {
		response := run(t, requestFor(file, tt.parameter))
		if len(response.GetFile()) != 1 || !strings.Contains(response.GetFile()[0].GetContent(), tt.want+"\n") {
			t.Errorf("%q: no %s in %v", tt.parameter, tt.want, response)
		}
	}
}

func TestBinary_flags(t *testing.T) {
	t.Parallel()
	file := compile(t, filepath.Join(root, "internal/testproto"), "library/v1/library.proto")
	asked := func(parameter string) string {
		in, err := proto.Marshal(requestFor(file, parameter))
		if err != nil {
			t.Fatal(err)
		}
		return string(in)
	}
	for _, tt := range []struct {
		name           string
		args           []string
		stdin          string
		status         int
		stdout, stderr string
	}{
		{name: "version", args: []string{"--version"}, stdout: "protoc-gen-errmap-es "},
		{name: "help", args: []string{"--help"}, stdout: "protoc-gen-errmap-es is a plugin of protoc and buf."},
		{name: "argument", args: []string{"x.proto"}, status: 2, stderr: `protoc-gen-errmap-es: unknown argument "x.proto", expected none, --help or --version`},
		{name: "no request", stdin: "hello", status: 1, stderr: "protoc-gen-errmap-es: standard input is no CodeGeneratorRequest, expected one from protoc or buf: "},
		{name: "unknown parameter", stdin: asked("target=js"), status: 1, stderr: `protoc-gen-errmap-es: unknown parameter "target", expected runtime or import_extension`},
		{name: "extension", stdin: asked("import_extension=mjs"), status: 1, stderr: "protoc-gen-errmap-es: import_extension=mjs is unknown, expected js, ts or none"},
		{name: "no runtime", stdin: asked("runtime="), status: 1, stderr: "protoc-gen-errmap-es: runtime is empty, expected a module, give one or leave it out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(binary, tt.args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(tt.stdin), &stdout, &stderr
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != tt.status {
				t.Errorf("exit status %d, want %d", got, tt.status)
			}
			if !strings.HasPrefix(stdout.String(), tt.stdout) || tt.stdout == "" && stdout.Len() > 0 {
				t.Errorf("stdout %q, want prefix %q", stdout.String(), tt.stdout)
			}
			if !strings.HasPrefix(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("stderr %q, want prefix %q", stderr.String(), tt.stderr)
			}
		})
	}
}

// run runs the binary as protoc does.
func run(t *testing.T, request *pluginpb.CodeGeneratorRequest) *pluginpb.CodeGeneratorResponse {
	t.Helper()
	in, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(stdout.Bytes(), response); err != nil {
		t.Fatal(err)
	}
	return response
}

// requestFor asks for one file, with all that it imports.
func requestFor(file protoreflect.FileDescriptor, parameter string) *pluginpb.CodeGeneratorRequest {
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{file.Path()}}
	if parameter != "" {
		request.Parameter = proto.String(parameter)
	}
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
		if result, ok := file.(linker.Result); ok {
			request.ProtoFile = append(request.ProtoFile, result.FileDescriptorProto())
		} else if _, ok := file.(linker.File); ok {
			request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(file))
		} else {
			request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(file))
		}
	}
	add(file)
	return request
}

// compile compiles one file of a directory as buf does.
func compile(t *testing.T, dir, name string) protoreflect.FileDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: []string{dir, filepath.Join(root, "proto"), filepath.Join(root, "third_party/googleapis")},
		}),
		SourceInfoMode: protocompile.SourceInfoExtraOptionLocations,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}
