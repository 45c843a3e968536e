// Command print-googleapis writes the google/rpc and google/api .proto files
// that this repository builds on, from the descriptors inside genproto.
//
//	print-googleapis third_party/googleapis
//
// The files are not in buf's format yet: run buf format --write over them.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/jhump/protoreflect/v2/protoprint"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: print-googleapis DIR")
		os.Exit(2)
	}
	files := []protoreflect.FileDescriptor{
		code.File_google_rpc_code_proto,
		errdetails.File_google_rpc_error_details_proto,
		status.File_google_rpc_status_proto,
		annotations.File_google_api_annotations_proto,
		annotations.File_google_api_http_proto,
		httpbody.File_google_api_httpbody_proto,
	}
	printer := protoprint.Printer{SortElements: false}
	for _, file := range files {
		text, err := printer.PrintProtoToString(file)
		if err == nil {
			path := filepath.Join(os.Args[1], file.Path())
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.WriteFile(path, []byte(text), 0o644)
			}
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "print-googleapis: %s: %v\n", file.Path(), err)
			os.Exit(1)
		}
	}
}
