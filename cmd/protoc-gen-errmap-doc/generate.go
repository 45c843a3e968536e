package main

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/listing"
	"github.com/errmap/errmap/internal/plugin"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// extensions are those of the files of each format.
var extensions = map[string]string{"markdown": ".md", "html": ".html", "json": ".json"}

// options are the parameters. The zero value has the defaults.
type options struct {
	formats     []string // none for markdown
	name, title string   // "" for errors and Errors
}

// set sets a parameter by its name. Its error says what is wrong with the value.
func (o *options) set(name, value string) error {
	switch name {
	case "format":
		if extensions[value] == "" {
			return fmt.Errorf("format=%s is unknown, expected markdown, html or json", value)
		}
		if !slices.Contains(o.formats, value) {
			o.formats = append(o.formats, value)
		}
	case "name":
		if value == "" || path.Base(value) != value || value == ".." || value == "." {
			return fmt.Errorf("name=%s is no name of a file, expected one without directory and extension", value)
		}
		o.name = value
	case "title":
		o.title = value
	default:
		return fmt.Errorf("unknown parameter %q, expected format, name or title", name)
	}
	return nil
}

// generate writes a file for each format, and none where the schema has no
// errors. It returns plugin.Mistakes, and generates nothing, where the schema
// has any.
func generate(gen *protogen.Plugin, o options) error {
	if err := plugin.CheckFiles(gen, plugin.WithoutGoNames()); err != nil {
		return err
	}
	l, err := list(gen)
	if err != nil || len(l.Errors()) == 0 {
		return err
	}
	if len(o.formats) == 0 {
		o.formats = []string{"markdown"}
	}
	if o.name == "" {
		o.name = "errors"
	}
	if o.title == "" {
		o.title = "Errors"
	}
	for _, format := range o.formats {
		out := gen.NewGeneratedFile(o.name+extensions[format], "")
		if err := write(out, l, format, o.title); err != nil {
			return err
		}
	}
	return nil
}

// list gathers the errors of the files to generate, and those of other files
// that their methods return.
func list(gen *protogen.Plugin) (*listing.Listing, error) {
	var files []protoreflect.FileDescriptor
	own, returned := make(map[string]bool), make(map[protoreflect.FullName]bool)
	for _, file := range gen.Files {
		files = append(files, file.Desc)
		own[file.Desc.Path()] = file.Generate
		for _, service := range file.Services {
			for _, method := range service.Methods {
				for _, name := range plugin.Returns(method.Desc) {
					returned[protoreflect.FullName(name)] = returned[protoreflect.FullName(name)] || file.Generate
				}
			}
		}
	}
	catalog, err := errmap.NewCatalog(files...)
	if err != nil {
		return nil, err
	}
	l := listing.New(catalog)
	for _, file := range gen.Files {
		for _, service := range file.Services {
			l.AddMethods(service.Desc)
		}
	}
	for _, d := range catalog.Definitions() {
		if own[d.Descriptor().ParentFile().Path()] || returned[d.FullName()] {
			l.Add(d)
		}
	}
	return l, nil
}

func write(w io.Writer, l *listing.Listing, format, title string) error {
	switch format {
	case "html":
		return l.WriteHTML(w, title)
	case "json":
		var entries []listing.Entry
		for _, d := range l.Errors() {
			entries = append(entries, l.EntryWithWires(d))
		}
		return listing.WriteJSON(w, entries)
	}
	return l.WriteMarkdown(w, title)
}
