// Command protoc-gen-errmap-es is a plugin of protoc and buf that makes every
// message with the (errmap.v1.error) option a TypeScript class that extends
// Error. Beside the file that protoc-gen-es writes for errors.proto it writes
// errors_errmap.ts, with a class for each such message and the list of them.
//
//	plugins:
//	  - local: protoc-gen-es
//	    out: src/gen
//	    opt: [target=ts, import_extension=js]
//	  - local: protoc-gen-errmap-es
//	    out: src/gen
//
// What it refuses it reports all at once, as path:line:column: what is wrong,
// what was expected, what to do.
package main

import (
	"os"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/errmap/errmap/internal/plugin"
)

func main() {
	var o plugin.ESOptions
	generator := plugin.Generator{
		Name:    "protoc-gen-errmap-es",
		Summary: "It makes every message with the\n(errmap.v1.error) option a TypeScript class that extends Error.",
		Parameters: `  runtime=MODULE import the runtime from there; the default is @errmap/errmap. A
                 path that begins with ./ is relative to the output directory
  import_extension=js|ts|none
                 the extension of relative imports, as for protoc-gen-es
`,
		Param:            o.Set,
		Generate:         func(gen *protogen.Plugin) error { return plugin.GenerateES(gen, o) },
		Warn:             plugin.OutOfRequest,
		WithoutGoPackage: true,
	}
	os.Exit(generator.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
