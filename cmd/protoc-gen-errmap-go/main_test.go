package main_test

import (
	"bytes"
	"context"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
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
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/hybrid2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/mixed2024"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/names"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2024"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/open2023"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto2"
	"github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto3"
)

const root = "../.."

var (
	update = flag.Bool("update", false, "write the wanted diagnostics in testdata anew")
	binary string
)

// fixtures are the files whose generated code is committed.
var fixtures = []protoreflect.FileDescriptor{
	proto2.File_fixture_proto2_errors_proto,
	proto3.File_fixture_proto3_errors_proto,
	proto3.File_fixture_proto3_list_proto,
	open2023.File_fixture_open2023_errors_proto,
	hybrid2023.File_fixture_hybrid2023_errors_proto,
	opaque2023.File_fixture_opaque2023_errors_proto,
	opaque2024.File_fixture_opaque2024_errors_proto,
	mixed2024.File_fixture_mixed2024_errors_proto,
	names.File_fixture_names_errors_proto,
}

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "protoc-gen-errmap-go")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "protoc-gen-errmap-go")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(err.Error() + "\n" + string(out))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// The committed code, which the other tests call, is what the binary writes.
func TestBinary_fixtures(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		t.Run(file.Path(), func(t *testing.T) {
			t.Parallel()
			request := requestFor(file, "paths=source_relative")
			response := run(t, request)
			if response.Error != nil {
				t.Fatal(response.GetError())
			}
			name := strings.TrimSuffix(file.Path(), ".proto") + ".errmap.go"
			if len(response.GetFile()) != 1 || response.GetFile()[0].GetName() != name {
				t.Fatalf("got %d files, want only %s", len(response.GetFile()), name)
			}
			want, err := os.ReadFile(filepath.Join(root, "internal/plugin/testdata/gen", name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), response.GetFile()[0].GetContent()); diff != "" {
				t.Errorf("%s (-committed +generated):\n%s", name, diff)
			}
		})
	}
}

// Generated code adds the one method and imports only the standard library.
func TestBinary_addsErrorOnly(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		response := run(t, requestFor(file, "paths=source_relative"))
		content := response.GetFile()[0].GetContent()
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", content, 0)
		if err != nil {
			t.Fatalf("%s: %v", file.Path(), err)
		}
		for _, imported := range parsed.Imports {
			if strings.Contains(imported.Path.Value, ".") {
				t.Errorf("%s: imports %s", file.Path(), imported.Path.Value)
			}
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name != "Error" {
				t.Errorf("%s: adds the method %s", file.Path(), f.Name.Name)
			} else if ok && f.Recv == nil && ast.IsExported(f.Name.Name) {
				t.Errorf("%s: adds the function %s", file.Path(), f.Name.Name)
			}
		}
	}
}

func TestBinary_deterministic(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		request := requestFor(file, "")
		if first, second := run(t, request), run(t, request); !proto.Equal(first, second) {
			t.Errorf("%s: two runs differ", file.Path())
		}
	}
}

func TestBinary_features(t *testing.T) {
	t.Parallel()
	got := run(t, requestFor(proto3.File_fixture_proto3_errors_proto, ""))
	want := &pluginpb.CodeGeneratorResponse{
		SupportedFeatures: proto.Uint64(uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL |
			pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)),
		MinimumEdition: proto.Int32(int32(descriptorpb.Edition_EDITION_PROTO2)),
		MaximumEdition: proto.Int32(int32(descriptorpb.Edition_EDITION_2024)),
	}
	got.File = nil
	if !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A file without errors gets no file of ours.
func TestBinary_noErrors(t *testing.T) {
	t.Parallel()
	response := run(t, requestFor(descriptorpb.File_google_protobuf_descriptor_proto, ""))
	if response.Error != nil || len(response.GetFile()) != 0 {
		t.Errorf("got %v, want nothing", response)
	}
}

// Each directory of testdata/mistakes holds a schema and the diagnostics that
// it brings, all at once and with no code beside them.
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

// A method's function names the errors that its file reaches, by their packages; of the
// others a warning tells, and code is written all the same.
func TestBinary_declared(t *testing.T) {
	t.Parallel()
	response, warnings := runWarned(t, requestFor(compile(t, "testdata/declared", "service.proto"), "paths=source_relative"))
	if response.Error != nil || len(response.GetFile()) != 1 {
		t.Fatalf("%d files, %s", len(response.GetFile()), response.GetError())
	}
	for _, golden := range []struct{ name, got string }{
		{"service.errmap.go.txt", response.GetFile()[0].GetContent()}, {"want.txt", warnings},
	} {
		path := filepath.Join("testdata/declared", golden.name)
		if *update {
			if err := os.WriteFile(path, []byte(golden.got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), golden.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden.name, diff)
		}
	}
}

// A plugin parameter chooses the API as it does for protoc-gen-go.
func TestBinary_defaultAPILevel(t *testing.T) {
	t.Parallel()
	file := compile(t, "testdata/mistakes/fields", "errors.proto")
	for _, tt := range []struct {
		level string
		clash bool
	}{{"API_OPEN", true}, {"API_HYBRID", true}, {"API_OPAQUE", false}} {
		response := run(t, requestFor(file, "default_api_level="+tt.level))
		if got := strings.Contains(response.GetError(), "is named Error in Go"); got != tt.clash {
			t.Errorf("%s: a clash is %v, want %v", tt.level, got, tt.clash)
		}
	}
}

// protoc keeps no positions inside an option, and a request may hold none.
func TestBinary_positions(t *testing.T) {
	t.Parallel()
	request := requestFor(compile(t, "testdata/mistakes/hybrid", "errors.proto"), "")
	for _, file := range request.GetProtoFile() {
		file.SourceCodeInfo = nil
	}
	want := "1 mistake in the errors of the schema:\nerrors.proto:1:1: field error of HybridError"
	if got := run(t, request).GetError(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want prefix %q", got, want)
	}
}

func TestBinary_flags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args           []string
		stdin          string
		status         int
		stdout, stderr string
	}{
		{args: []string{"--version"}, stdout: "protoc-gen-errmap-go "},
		{args: []string{"--help"}, stdout: "protoc-gen-errmap-go is a plugin of protoc and buf."},
		{args: []string{"-h"}, stdout: "protoc-gen-errmap-go is a plugin of protoc and buf."},
		{args: []string{"x.proto"}, status: 2, stderr: `protoc-gen-errmap-go: unknown argument "x.proto", expected none, --help or --version`},
		{stdin: "hello", status: 1, stderr: "protoc-gen-errmap-go: standard input is no CodeGeneratorRequest, expected one from protoc or buf: "},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
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
	response, _ := runWarned(t, request)
	return response
}

// runWarned returns what the binary writes to standard error too.
func runWarned(t *testing.T, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, string) {
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
	return response, stderr.String()
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
		Resolver: protocompile.CompositeResolver{
			protocompile.WithStandardImports(&protocompile.SourceResolver{
				ImportPaths: []string{dir, filepath.Join(root, "proto"), filepath.Join(root, "third_party/googleapis")},
			}),
			protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
				if features := gofeaturespb.File_google_protobuf_go_features_proto; path == features.Path() {
					return protocompile.SearchResult{Desc: features}, nil
				}
				return protocompile.SearchResult{}, os.ErrNotExist
			}),
		},
		SourceInfoMode: protocompile.SourceInfoExtraOptionLocations,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}
