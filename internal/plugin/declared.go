package plugin

import (
	"fmt"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Declared are the errors that a method declares and that code for it can name: those in
// its file, and in what that imports. A name that stands elsewhere is in no code, since
// names in the option are no imports, and is left out.
type Declared struct {
	Method protoreflect.MethodDescriptor
	Errors []*Definition
	// outside are the places in the option of the names that were left out.
	outside []int
}

// DeclaredIn returns the methods of a file that declare any error, in their order.
func DeclaredIn(file protoreflect.FileDescriptor) []Declared {
	var all []Declared
	var reach map[protoreflect.FullName]*Definition
	for method := range methods(file) {
		names := Returns(method)
		if len(names) == 0 {
			continue
		}
		if reach == nil {
			reach = make(map[protoreflect.FullName]*Definition)
			collectReach(file, reach, make(map[string]bool))
		}
		d := Declared{Method: method}
		seen := make(map[*Definition]bool)
		for i, name := range names {
			switch found := reach[protoreflect.FullName(name)]; {
			case found == nil:
				d.outside = append(d.outside, i)
			case !seen[found]:
				seen[found] = true
				d.Errors = append(d.Errors, found)
			}
		}
		all = append(all, d)
	}
	return all
}

// collectReach collects the errors of a file and of all that it imports.
func collectReach(file protoreflect.FileDescriptor, reach map[protoreflect.FullName]*Definition, visited map[string]bool) {
	if visited[file.Path()] {
		return
	}
	visited[file.Path()] = true
	for _, d := range Definitions(file) {
		reach[d.Message.FullName()] = d
	}
	imports := file.Imports()
	for i := range imports.Len() {
		collectReach(imports.Get(i).FileDescriptor, reach, visited)
	}
}

// OutOfReach returns, for the files to generate, the declared errors that the code of their
// methods does not name, as warnings: a caller meets them as errors of no declared type.
func OutOfReach(gen *protogen.Plugin) Mistakes {
	var all Mistakes
	for _, file := range gen.Files {
		if !file.Generate {
			continue
		}
		for _, d := range DeclaredIn(file.Desc) {
			for _, i := range d.outside {
				all = append(all, Mistake{
					File:     file.Desc,
					Path:     PathOf(d.Method, methodOptions, int32(errmapv1.E_Errors.TypeDescriptor().Number()), int32(i)),
					What:     fmt.Sprintf("warning: %s declares %q, which is no error in this file or what it imports", d.Method.FullName(), Returns(d.Method)[i]),
					Expected: "expected one, so that the code that tells the method's errors apart can name it",
					Remedy:   "import the file of the error, or let callers meet it as an error of no declared type",
				})
			}
		}
	}
	all.sort()
	return all
}
