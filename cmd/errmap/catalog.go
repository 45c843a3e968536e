package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/internal/listing"
	"github.com/errmap/errmap/internal/plugin"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const catalogAbout = `
Catalog lists errors: what each means, its code, HTTP status and JSON-RPC number,
its fields, whether to retry, and which methods return it.

The errors are those of a running server (--upstream, through its reflection), of
a descriptor set (--descriptors), or of the proto files that are named. Without
any of these they are the errors of A2A, of MCP and of MCP clients, which errmap
always knows.

Mistakes that the generators refuse are reported with their places, and end the
command with 1; those of a running server are notes beside the list.`

const catalogExamples = `
errmap catalog
errmap catalog --upstream http://localhost:8080 --wires
errmap catalog -I proto proto/orders/v1/errors.proto
errmap catalog --descriptors shop.binpb --format json`

const (
	packageA2A protoreflect.FullName = "errmap.a2a.v1"
	packageMCP protoreflect.FullName = "errmap.mcp.v1"
	serviceA2A protoreflect.FullName = "lf.a2a.v1.A2AService"
)

type catalogFlags struct {
	*source
	domain string
	wires  bool
}

func setupCatalog() (*flagSet, action) {
	var f catalogFlags
	fs := newFlagSet("catalog", "catalog [flags] [FILE.proto ...]", catalogAbout, catalogExamples)
	f.source = fs.source()
	fs.StringVar(&f.domain, "domain", "", "list the errors of one `domain`")
	format := fs.format()
	fs.BoolVar(&f.wires, "wires", false, "show an example of each error on every wire")
	return fs, func(ctx context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		if err := f.check(fs.NArg()); err != nil {
			return fs.misused(stderr, "%s", message(err))
		}
		listed, warnings, err := f.list(ctx, fs.Args())
		if mistakes, ok := errors.AsType[plugin.Mistakes](err); ok {
			for _, m := range mistakes {
				fmt.Fprintln(stderr, explain.Printable(m.String()))
			}
			return exitFailure
		}
		if err != nil {
			return failed(stderr, err)
		}
		for _, warning := range warnings {
			fmt.Fprintf(stderr, "errmap: note: %s\n", warning)
		}
		if len(listed.Errors()) == 0 {
			return failed(stderr, fmt.Errorf("no errors there: want messages with the option (errmap.v1.error)%s", ofDomain(f.domain)))
		}
		write := writeText
		if *format == formatJSON {
			write = writeJSON
		}
		if err := write(stdout, listed, f.wires); err != nil {
			return failed(stderr, err)
		}
		return exitOK
	}
}

func ofDomain(domain string) string {
	if domain == "" {
		return ""
	}
	return fmt.Sprintf(" of the domain %q", domain)
}

// list gathers the errors of the source that the flags name.
func (f *catalogFlags) list(ctx context.Context, files []string) (*listing.Listing, []string, error) {
	schema, own, err := f.schema(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	l := listing.New(errmap.Linked())
	var warnings []string
	a2a := false // whether the service of A2A is there
	if schema != nil {
		l, warnings = listing.New(schema.Catalog()), schema.Warnings()
		if f.upstream != "" {
			// What runs somewhere is listed whatever its schema looks like.
			for _, m := range check(filesOf(schema)) {
				warnings = append(warnings, m.String())
			}
		}
		for _, s := range schema.Services() {
			l.AddMethods(s)
			a2a = a2a || s.FullName() == serviceA2A
		}
	}
	// Every catalogue has the errors of A2A and MCP; those of a schema are only
	// the ones that it defines, or that its methods return, and A2A's for the
	// service of A2A, whose schema names none.
	belongs := func(d *errmap.Definition) bool {
		parent := d.FullName().Parent()
		builtIn := parent == packageA2A || parent == packageMCP
		if schema == nil || !builtIn {
			return builtIn || schema != nil
		}
		return own[d.Descriptor().ParentFile().Path()] || l.ReturnedBy(d.FullName()) != nil || a2a && parent == packageA2A
	}
	for _, d := range l.Catalog().Definitions() {
		if (f.domain == "" || d.Domain() == f.domain) && belongs(d) {
			l.Add(d)
		}
	}
	return l, warnings, nil
}

// compile compiles proto files. Imports of google and errmap that no directory
// has are those that are linked here.
func compile(ctx context.Context, imports, files []string) (*descriptorpb.FileDescriptorSet, error) {
	if len(imports) == 0 {
		imports = []string{"."}
	}
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		file, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: file}, err
	})
	compiler := protocompile.Compiler{
		Resolver:       protocompile.CompositeResolver{&protocompile.SourceResolver{ImportPaths: imports}, linked},
		SourceInfoMode: protocompile.SourceInfoStandard | protocompile.SourceInfoExtraOptionLocations,
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = relative(imports, file)
	}
	compiled, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, err
	}
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	for _, file := range compiled {
		addFile(set, seen, file)
	}
	return set, nil
}

// relative is the name under which an import directory has a file.
func relative(imports []string, file string) string {
	for _, dir := range imports {
		if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "." {
			return rest
		}
	}
	return strings.TrimPrefix(file, "./")
}

// addFile adds a file after those that it imports.
func addFile(set *descriptorpb.FileDescriptorSet, seen map[string]bool, file protoreflect.FileDescriptor) {
	if seen[file.Path()] || file.IsPlaceholder() {
		return
	}
	seen[file.Path()] = true
	for i := range file.Imports().Len() {
		addFile(set, seen, file.Imports().Get(i).FileDescriptor)
	}
	if result, ok := file.(linker.Result); ok {
		set.File = append(set.File, result.FileDescriptorProto())
		return
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
}
