package plugin_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/errmap/errmap/internal/plugin"
)

// The errors of another file are named through it where one run generates both, and are
// left out, with a warning, where it does not.
func TestDeclared_otherFiles(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"a/errors.proto": `syntax = "proto3"; package a; option go_package = "example.com/a"; import "errmap/v1/error.proto";
			option (errmap.v1.domain) = "a.example.com";
			message LostError { option (errmap.v1.error) = {code: NOT_FOUND}; }`,
		"b/c/service.proto": `syntax = "proto3"; package b.c; option go_package = "example.com/b/c"; import "a/errors.proto"; import "errmap/v1/error.proto";
			option (errmap.v1.domain) = "b.example.com";
			message Empty {}
			message SoldError { option (errmap.v1.error) = {code: ABORTED}; }
			service Cart { rpc GetHTTPLine(Empty) returns (Empty) {
				option (errmap.v1.errors) = "a.LostError";
				option (errmap.v1.errors) = "b.c.SoldError"; } }`,
	}
	files := compile(t, sources)
	for name, test := range map[string]struct {
		generate func(*protogen.Plugin) error
		both     []string
		alone    []string
	}{
		"TypeScript": {
			func(gen *protogen.Plugin) error { return plugin.GenerateES(gen, plugin.ESOptions{}) },
			[]string{
				`import * as other0$ from "../../a/errors_errmap.js";`,
				"export type CartGetHTTPLineError = other0$.LostError | SoldError;",
				"export function asCartGetHTTPLineError(error: unknown): CartGetHTTPLineError | undefined {",
				"return errmap$.asErrorOf(error, [other0$.LostError, SoldError]);",
			},
			[]string{"export type CartGetHTTPLineError = SoldError;"},
		},
		"Python": {
			plugin.GeneratePython,
			[]string{
				"from a import errors_errmap as _a_errors_errmap",
				`CartGetHTTPLineError: _typing.TypeAlias = "_a_errors_errmap.LostError | SoldError"`,
				"def as_cart_get_http_line_error(error: BaseException | None) -> CartGetHTTPLineError | None:",
				"        _errmap.find_error(error, _a_errors_errmap.LostError)\n        or _errmap.find_error(error, SoldError)\n",
			},
			[]string{`CartGetHTTPLineError: _typing.TypeAlias = "SoldError"`},
		},
	} {
		for kind, given := range map[string][]string{"both": {"a/errors.proto", "b/c/service.proto"}, "alone": {"b/c/service.proto"}} {
			request := &pluginpb.CodeGeneratorRequest{FileToGenerate: given}
			seen := map[string]bool{}
			for _, file := range files {
				withImports(file, seen, func(f protoreflect.FileDescriptor) {
					request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(f))
				})
			}
			gen, err := protogen.Options{}.New(proto.CloneOf(request))
			if err != nil {
				t.Fatal(err)
			}
			if err := test.generate(gen); err != nil {
				t.Fatal(err)
			}
			content := ""
			for _, file := range gen.Response().GetFile() {
				if strings.HasPrefix(file.GetName(), "b/c/service_errmap.") {
					content = file.GetContent()
				}
			}
			want, warnings := test.both, 0
			if kind == "alone" {
				want, warnings = test.alone, 1
			}
			for _, line := range want {
				if !strings.Contains(content, line) {
					t.Errorf("%s, %s: no %q in\n%s", name, kind, line, content)
				}
			}
			if got := plugin.OutOfRequest(gen); len(got) != warnings {
				t.Errorf("%s, %s: warnings %v", name, kind, got)
			}
			if got := plugin.OutOfReach(gen); len(got) != 0 {
				t.Errorf("%s, %s: warnings for Go: %v", name, kind, got)
			}
		}
	}
}

// withImports yields what a file imports and then the file, each once.
func withImports(file protoreflect.FileDescriptor, seen map[string]bool, yield func(protoreflect.FileDescriptor)) {
	if seen[file.Path()] {
		return
	}
	seen[file.Path()] = true
	for i := range file.Imports().Len() {
		withImports(file.Imports().Get(i).FileDescriptor, seen, yield)
	}
	yield(file)
}
