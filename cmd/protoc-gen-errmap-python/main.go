// Command protoc-gen-errmap-python is a plugin of protoc and buf that makes every
// message with the (errmap.v1.error) option a Python exception. Beside the
// modules that protoc writes for errors.proto it writes errors_errmap.py, with a
// class for each such message and the list of them. The stubs are for mypy.
//
//	plugins:
//	  - protoc_builtin: python
//	    protoc_path: [python3, -m, grpc_tools.protoc]
//	    out: gen
//	  - local: protoc-gen-mypy # of the package mypy-protobuf
//	    out: gen
//	    opt: quiet
//	  - local: protoc-gen-errmap-python
//	    out: gen
//
// What it refuses it reports all at once, as path:line:column: what is wrong,
// what was expected, what to do.
package main

import (
	"os"

	"github.com/errmap/errmap/internal/plugin"
)

func main() {
	generator := plugin.Generator{
		Name:             "protoc-gen-errmap-python",
		Summary:          "It makes every message with the\n(errmap.v1.error) option a Python exception.",
		Generate:         plugin.GeneratePython,
		Warn:             plugin.OutOfRequest,
		WithoutGoPackage: true,
	}
	os.Exit(generator.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
