// Command protoc-gen-errmap-go is a plugin of protoc and buf that makes every
// message with the (errmap.v1.error) option a Go error. Beside the file that
// protoc-gen-go writes for errors.proto it writes errors.errmap.go, into the
// same package, with one method for each such message: Error. For each method of a service
// that declares its errors by (errmap.v1.errors) it writes a function, such as
// AsCartGetError, that tells those apart for a switch.
//
//	plugins:
//	  - local: protoc-gen-go
//	    out: gen
//	    opt: paths=source_relative
//	  - local: protoc-gen-errmap-go
//	    out: gen
//	    opt: paths=source_relative
//
// Give it the parameters that protoc-gen-go has. It reads proto2, proto3 and
// editions up to 2024, and the open, hybrid and opaque APIs. What it refuses it
// reports all at once, as path:line:column: what is wrong, what was expected,
// what to do.
package main

import (
	"os"

	"github.com/errmap/errmap/internal/plugin"
)

func main() {
	generator := plugin.Generator{
		Name:    "protoc-gen-errmap-go",
		Summary: "It makes every message with the\n(errmap.v1.error) option a Go error, in the package of protoc-gen-go.",
		Parameters: `  paths=source_relative, module=PREFIX, M<file>=<import path>,
  default_api_level=LEVEL, apilevelM<file>=LEVEL
                 as for protoc-gen-go, and the same as there
`,
		Generate: plugin.GenerateGo,
		Warn:     plugin.OutOfReach,
	}
	os.Exit(generator.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
