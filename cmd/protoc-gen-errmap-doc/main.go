// Command protoc-gen-errmap-doc is a plugin of protoc and buf that writes the
// catalogue of the errors of a schema: as Markdown, as one page of HTML that can be
// searched, and as JSON for tools. It says of each error what it means, whether to
// retry, which methods return it, and what it looks like on every wire.
//
//	plugins:
//	  - local: protoc-gen-errmap-doc
//	    out: docs
//	    strategy: all
//	    opt: [format=markdown, format=html, title=The errors of orders]
//
// It writes one file for each format, whatever the number of files that it reads:
// buf must hand them over at once, as strategy says.
package main

import (
	"os"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/errmap/errmap/internal/plugin"
)

func main() {
	var o options
	generator := plugin.Generator{
		Name:    "protoc-gen-errmap-doc",
		Summary: "It writes the catalogue\nof the errors of a schema for people and for tools.",
		Parameters: `  format=markdown|html|json
                 what to write; may be given several times. The default is
                 markdown
  name=NAME      the name of the files without extension; the default is errors
  title=TITLE    the title of the catalogue; the default is Errors
With buf, set "strategy: all": each format is one file for all directories.
`,
		Param:            o.set,
		Generate:         func(gen *protogen.Plugin) error { return generate(gen, o) },
		WithoutGoPackage: true,
	}
	os.Exit(generator.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
