package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const root = "../.."

var (
	update = flag.Bool("update", false, "write the wanted files in testdata anew")
	binary string
)

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "protoc-gen-errmap-doc")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "protoc-gen-errmap-doc")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(err.Error() + "\n" + string(out))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// What the binary writes is what stands in testdata/want.
func TestBinary_want(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orders", "hostile"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := generate(t, name, "format=markdown,format=html,format=json,title=The "+name+" <errors>,name="+name)
			for _, extension := range []string{".md", ".html", ".json"} {
				got, ok := files[name+extension]
				if !ok || len(files) != 3 {
					t.Fatalf("got %d files, want three and %s among them", len(files), name+extension)
				}
				golden := filepath.Join("testdata/want", name+extension)
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
					t.Errorf("%s (-want +got):\n%s", golden, diff)
				}
			}
		})
	}
}

func TestBinary_deterministic(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orders", "hostile"} {
		first := generate(t, name, "format=html,format=json,format=markdown")
		for range 3 {
			if diff := cmp.Diff(first, generate(t, name, "format=html,format=json,format=markdown")); diff != "" {
				t.Fatalf("%s: two runs differ:\n%s", name, diff)
			}
		}
	}
}

// The JSON is what the catalog command prints of the same schema.
func TestBinary_json_as_catalog(t *testing.T) {
	t.Parallel()
	got := generate(t, "orders", "format=json")["errors.json"]
	out, err := exec.Command("go", "run", root+"/cmd/errmap", "catalog", "-I", "testdata/proto", "--format", "json", "--wires", "orders.proto").Output()
	if err != nil {
		t.Fatal(err)
	}
	type listing struct{ Errors []map[string]any }
	var generated, printed listing
	if err := json.Unmarshal([]byte(got), &generated); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		t.Fatal(err)
	}
	// The command lists the whole of a schema; the plugin what it is to generate.
	var wanted listing
	for _, e := range printed.Errors {
		if e["name"] != "stock.v1.UnlistedError" {
			wanted.Errors = append(wanted.Errors, e)
		}
	}
	if diff := cmp.Diff(wanted, generated); diff != "" || len(generated.Errors) != 4 {
		t.Errorf("%d errors (-printed +generated):\n%s", len(generated.Errors), diff)
	}
}

func TestBinary_parameters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, parameter string
		files           []string
		failure         string
	}{
		{name: "none", files: []string{"errors.md"}},
		{name: "twice", parameter: "format=html,format=html", files: []string{"errors.html"}},
		{name: "name", parameter: "name=shop,format=json", files: []string{"shop.json"}},
		{name: "unknown format", parameter: "format=pdf", failure: "format=pdf is unknown, expected markdown, html or json"},
		{name: "directory", parameter: "name=../x", failure: "name=../x is no name of a file, expected one without directory and extension"},
		{name: "unknown", parameter: "x=y", failure: `unknown parameter "x", expected format, name or title`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response, stderr, status := run(t, request(t, "orders", tt.parameter))
			if tt.failure != "" {
				if status != 1 || !strings.Contains(stderr, tt.failure) {
					t.Errorf("exit status %d, standard error %q, want 1 and %q", status, stderr, tt.failure)
				}
				return
			}
			var names []string
			for _, file := range response.GetFile() {
				names = append(names, file.GetName())
			}
			if diff := cmp.Diff(tt.files, names); diff != "" || response.Error != nil {
				t.Errorf("error %q, files (-want +got):\n%s", response.GetError(), diff)
			}
		})
	}
}

// A schema without errors gets no file, one with mistakes its mistakes.
func TestBinary_no_files(t *testing.T) {
	t.Parallel()
	response, _, _ := run(t, &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"google/protobuf/descriptor.proto"},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)},
	})
	if response.Error != nil || len(response.GetFile()) != 0 {
		t.Errorf("got %v, want nothing", response)
	}
	mistaken := request(t, "orders", "")
	for _, file := range mistaken.GetProtoFile() {
		if file.GetName() == "orders.proto" {
			file.Options = nil
		}
	}
	response, _, _ = run(t, mistaken)
	if want := "OrderNotFoundError has no domain"; !strings.Contains(response.GetError(), want) || len(response.GetFile()) != 0 {
		t.Errorf("error %q and %d files, want %q and none", response.GetError(), len(response.GetFile()), want)
	}
}

// generate returns the files that the binary writes for a schema of testdata.
func generate(t *testing.T, name, parameter string) map[string]string {
	t.Helper()
	response, stderr, status := run(t, request(t, name, parameter))
	if response.Error != nil || status != 0 || stderr != "" {
		t.Fatalf("exit status %d, standard error %q, error %q", status, stderr, response.GetError())
	}
	files := make(map[string]string)
	for _, file := range response.GetFile() {
		files[file.GetName()] = file.GetContent()
	}
	return files
}

// run runs the binary as protoc does.
func run(t *testing.T, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, string, int) {
	t.Helper()
	in, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	_ = cmd.Run() // the exit status tells
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(stdout.Bytes(), response); err != nil {
		t.Fatal(err)
	}
	return response, stderr.String(), cmd.ProcessState.ExitCode()
}

// request asks for one schema of testdata/proto, compiled as buf does.
func request(t *testing.T, name, parameter string) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: []string{"testdata/proto", filepath.Join(root, "proto"), filepath.Join(root, "third_party/googleapis")},
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), name+".proto")
	if err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{name + ".proto"}}
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
		} else {
			request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(file))
		}
	}
	add(files[0])
	return request
}
