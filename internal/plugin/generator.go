package plugin

import (
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// Generator is a protoc plugin that generates code from the errors of a schema.
type Generator struct {
	// Name is that of the program, such as protoc-gen-errmap-go.
	Name string
	// Summary says in a sentence or two what it generates.
	Summary string
	// Parameters describes the plugin's parameters, one a line.
	Parameters string
	// Param sets a parameter that protogen does not know, nil for none.
	Param func(name, value string) error
	// Generate adds files to the response. A returned error, such as Mistakes,
	// goes into the response, where protoc and buf show it.
	Generate func(*protogen.Plugin) error
	// Warn returns what the user is to hear although code is generated; it goes to
	// standard error. Nil for nothing.
	Warn func(*protogen.Plugin) Mistakes
	// WithoutGoPackage lets files do without a go_package option. It is for
	// generators of other languages: what protogen says of Go is made up then.
	WithoutGoPackage bool
}

// Run is the whole program: it answers --help and --version, and otherwise
// reads a CodeGeneratorRequest and writes the response. It returns the exit
// status: 0, also where the response holds an error; 1 where there is no
// response; 2 for an unknown argument.
func (g Generator) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprint(stdout, g.usage())
		return 0
	case len(args) == 1 && args[0] == "--version":
		fmt.Fprintln(stdout, g.Name, Version())
		return 0
	case len(args) > 0:
		fmt.Fprintf(stderr, "%s: unknown argument %q, expected none, --help or --version\n\n%s", g.Name, args[0], g.usage())
		return 2
	}
	if err := g.answer(stdin, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", g.Name, err)
		return 1
	}
	return 0
}

// Version returns the version of the module that the program was built from,
// "(devel)" for a working copy.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// CheckFiles reads the errors of the request's files and checks those to
// generate with all lint rules but the one for methods, whose errors may stand
// in files that the compiler did not hand over. It returns Mistakes, or nil.
func CheckFiles(gen *protogen.Plugin, options ...SchemaOption) error {
	var files []protoreflect.FileDescriptor
	targets := make(map[string]bool)
	for _, file := range gen.Files {
		files = append(files, file.Desc)
		targets[file.Desc.Path()] = file.Generate
	}
	options = append(options, WithTargets(func(path string) bool { return targets[path] }))
	if mistakes := NewSchema(files, options...).Check(GeneratorRules()...); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// GeneratorRules returns the rules that hold of any part of a schema: all but that
// methods name errors that exist, since the errors' files need not be there.
func GeneratorRules() []LintRule {
	var rules []LintRule
	for _, rule := range LintRules() {
		if rule.ID != "ERRMAP_METHOD_ERRORS" {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (g Generator) usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is a plugin of protoc and buf. %s\n", g.Name, g.Summary)
	b.WriteString("It reads a CodeGeneratorRequest from standard input and writes a\nCodeGeneratorResponse to standard output.\n")
	if g.Parameters != "" {
		b.WriteString("\nParameters (opt in buf.gen.yaml):\n" + g.Parameters)
	}
	b.WriteString("\nFlags:\n  -h, --help     print this help and exit\n      --version  print the version and exit\n")
	return b.String()
}

func (g Generator) answer(stdin io.Reader, stdout, stderr io.Writer) error {
	in, err := io.ReadAll(stdin)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	request := new(pluginpb.CodeGeneratorRequest)
	if err := proto.Unmarshal(in, request); err != nil {
		return fmt.Errorf("standard input is no CodeGeneratorRequest, expected one from protoc or buf: %w", err)
	}
	if g.WithoutGoPackage {
		inventGoPackages(request)
	}
	gen, err := protogen.Options{ParamFunc: g.Param}.New(request)
	if err != nil {
		return err
	}
	gen.SupportedFeatures = uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL) |
		uint64(pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
	gen.SupportedEditionsMinimum = descriptorpb.Edition_EDITION_PROTO2
	gen.SupportedEditionsMaximum = descriptorpb.Edition_EDITION_2024
	if err := g.Generate(gen); err != nil {
		gen.Error(err)
	} else if g.Warn != nil {
		for _, m := range g.Warn(gen) {
			fmt.Fprintln(stderr, m)
		}
	}
	out, err := proto.Marshal(gen.Response())
	if err != nil {
		return err
	}
	_, err = stdout.Write(out)
	return err
}

// inventGoPackages gives every file an import path of its own, as protogen
// refuses a request without.
func inventGoPackages(request *pluginpb.CodeGeneratorRequest) {
	parameters := []string{}
	if request.GetParameter() != "" {
		parameters = append(parameters, request.GetParameter())
	}
	for _, file := range request.GetProtoFile() {
		parameters = append(parameters, "M"+file.GetName()+"="+path.Join("errmap.invalid", file.GetName()))
	}
	request.Parameter = proto.String(strings.Join(parameters, ","))
}
