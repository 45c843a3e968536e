package plugin_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/errmap/errmap/internal/plugin"
)

// compile compiles sources, by path, as buf does.
func compile(t *testing.T, sources map[string]string) []protoreflect.FileDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.CompositeResolver{
			&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)},
			protocompile.WithStandardImports(&protocompile.SourceResolver{
				ImportPaths: []string{"../../proto", "../../third_party/googleapis"},
			}),
		},
		SourceInfoMode: protocompile.SourceInfoExtraOptionLocations,
	}
	var paths []string
	for path := range sources {
		paths = append(paths, path)
	}
	compiled, err := compiler.Compile(context.Background(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	var files []protoreflect.FileDescriptor
	for _, file := range compiled {
		files = append(files, file)
	}
	return files
}

const head = `syntax = "proto3";
package shop.v1;
import "errmap/v1/error.proto";
`

// Illegal reasons, metadata keys and domains of one's own are refused when the
// schema is built, with the line that has them.
func TestField_068_illegal_reasons(t *testing.T) {
	t.Parallel()
	source := head
	reasons := []string{"stockEmpty", "_A", "A", strings.Repeat("A", 64), "STOCK__EMPTY_"}
	for i, reason := range reasons {
		source += fmt.Sprintf("message M%dError { option (errmap.v1.error) = {code: NOT_FOUND info: {domain: \"shop.example.com\" reason: %q}}; }\n", i, reason)
	}
	source += fmt.Sprintf("message KeyError { option (errmap.v1.error) = {code: NOT_FOUND info: {domain: \"shop.example.com\" metadata: {key: %q value: \"v\"}}}; }\n", strings.Repeat("k", 65))
	source += "message DomainError { option (errmap.v1.error) = {code: NOT_FOUND}; }\n"
	mistakes := plugin.NewSchema(compile(t, map[string]string{"shop.proto": source})).Check()
	want := []string{
		`shop.proto:4:97: reason "stockEmpty" is malformed, expected [A-Z][A-Z0-9_]+[A-Z0-9] (AIP-193), change info.reason`,
		`shop.proto:5:97: reason "_A" is malformed, expected [A-Z][A-Z0-9_]+[A-Z0-9] (AIP-193), change info.reason`,
		`shop.proto:6:97: reason "A" is malformed, expected [A-Z][A-Z0-9_]+[A-Z0-9] (AIP-193), change info.reason`,
		`shop.proto:7:97: reason "` + strings.Repeat("A", 64) + `" has 64 characters, expected at most 63 (AIP-193), change info.reason`,
		`shop.proto:8:97: reason "STOCK__EMPTY_" is malformed, expected [A-Z][A-Z0-9_]+[A-Z0-9] (AIP-193), change info.reason`,
		`shop.proto:9:98: metadata key "` + strings.Repeat("k", 65) + `" has 65 characters, expected at most 64 (AIP-193), rename it`,
		`shop.proto:10:23: DomainError has no domain, expected the name of the service that owns the error, set (errmap.v1.domain) in the file or info.domain in the option`,
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, m.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

func TestMistakes_Error(t *testing.T) {
	t.Parallel()
	source := head + "message AError { option (errmap.v1.error) = {code: NOT_FOUND info: {reason: \"AAA\"}}; }\n"
	one := plugin.NewSchema(compile(t, map[string]string{"a.proto": source})).Check()
	if got := one.Error(); !strings.HasPrefix(got, "1 mistake in the errors of the schema:\na.proto:4:") {
		t.Errorf("Error() = %q", got)
	}
	source = strings.ReplaceAll(source, "NOT_FOUND", "OK")
	two := plugin.NewSchema(compile(t, map[string]string{"a.proto": source})).Check()
	if got := two.Error(); !strings.HasPrefix(got, "2 mistakes in the errors of the schema:\na.proto:4:") || strings.Count(got, "\n") != 2 {
		t.Errorf("Error() = %q", got)
	}
}

// Of two errors that are the same, the one in a target is the mistake.
func TestWithTargets(t *testing.T) {
	t.Parallel()
	message := "option (errmap.v1.domain) = \"shop.example.com\";\nmessage %sError { option (errmap.v1.error) = {code: NOT_FOUND info: {reason: \"SAME\"}}; }\n"
	files := compile(t, map[string]string{
		"a.proto": head + fmt.Sprintf(message, "A"),
		"b.proto": head + fmt.Sprintf(message, "B"),
	})
	for _, target := range []string{"a.proto", "b.proto"} {
		mistakes := plugin.NewSchema(files, plugin.WithTargets(func(path string) bool { return path == target })).Check()
		if len(mistakes) != 1 || mistakes[0].File.Path() != target {
			t.Errorf("target %s: got %v, want one mistake there", target, mistakes)
		}
	}
	if mistakes := plugin.NewSchema(files, plugin.WithTargets(func(string) bool { return false })).Check(); mistakes != nil {
		t.Errorf("no target: got %v, want nothing", mistakes)
	}
}

func TestDefine(t *testing.T) {
	t.Parallel()
	files := compile(t, map[string]string{"a.proto": head + `
import "google/rpc/error_details.proto";
option (errmap.v1.domain) = "shop.example.com";
message OutOfStockError {
  option (errmap.v1.error) = {code: ABORTED title: "Out of stock" info: {metadata: {key: "region" value: "eu"}}};
  string sku = 1;
  google.rpc.RetryInfo retry = 2;
}
message Plain { map<string, string> entries = 1; }
service Shop {
  rpc Buy(Plain) returns (Plain) { option (errmap.v1.errors) = "shop.v1.OutOfStockError"; }
  rpc Look(Plain) returns (Plain);
}
`})
	if d := plugin.Define(files[0].Messages().ByName("Plain")); d != nil {
		t.Errorf("Define(Plain) = %v, want nil", d)
	}
	d := plugin.Define(files[0].Messages().ByName("OutOfStockError"))
	if d == nil || d.Domain != "shop.example.com" || d.Reason != "OUT_OF_STOCK" || d.Title != "Out of stock" {
		t.Fatalf("Define(OutOfStockError) = %+v", d)
	}
	if diff := cmp.Diff(map[string]bool{"sku": true, "region": true}, d.Keys()); diff != "" {
		t.Errorf("Keys() (-want +got):\n%s", diff)
	}
	methods := files[0].Services().Get(0).Methods()
	if diff := cmp.Diff([]string{"shop.v1.OutOfStockError"}, plugin.Returns(methods.ByName("Buy"))); diff != "" {
		t.Errorf("Returns(Buy) (-want +got):\n%s", diff)
	}
	if got := plugin.Returns(methods.ByName("Look")); got != nil {
		t.Errorf("Returns(Look) = %v, want nil", got)
	}
}

// Generators of other languages read files without a go_package.
func TestGenerator_withoutGoPackage(t *testing.T) {
	t.Parallel()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("shop/v1/shop.proto"), Package: proto.String("shop.v1"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M")}},
	}
	if _, err := protodesc.NewFile(file, nil); err != nil {
		t.Fatal(err)
	}
	in, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()}, ProtoFile: []*descriptorpb.FileDescriptorProto{file},
		Parameter: proto.String("target=web"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var parameter string
	g := plugin.Generator{
		Name:             "protoc-gen-test",
		WithoutGoPackage: true,
		Param:            func(name, value string) error { parameter += name + "=" + value; return nil },
		Generate: func(gen *protogen.Plugin) error {
			gen.NewGeneratedFile(gen.Files[0].Desc.Path()+".txt", "").P("text")
			return plugin.CheckFiles(gen)
		},
	}
	var stdout, stderr bytes.Buffer
	if status := g.Run(nil, bytes.NewReader(in), &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(stdout.Bytes(), response); err != nil {
		t.Fatal(err)
	}
	if response.Error != nil || len(response.GetFile()) != 1 || response.GetFile()[0].GetContent() != "text\n" {
		t.Errorf("got %v", response)
	}
	if parameter != "target=web" {
		t.Errorf("parameter %q, want target=web", parameter)
	}
	g.WithoutGoPackage = false
	if status := g.Run(nil, bytes.NewReader(in), &stdout, &stderr); status != 1 || !strings.Contains(stderr.String(), "unable to determine Go import path") {
		t.Errorf("without the field: status %d: %s", status, stderr.String())
	}
}
