package plugin

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Declared are the errors that a method declares and that code for it can name: those in
// its file, and in what that imports, as far as code is generated for it. A name that stands
// elsewhere is in no code, since names in the option are no imports, and is left out.
type Declared struct {
	Method protoreflect.MethodDescriptor
	Errors []*Definition
	// outside are the places in the option of the names that were left out.
	outside []int
}

// DeclaredIn returns the methods of a file that declare any error, in their order. given
// tells which files have code that can be named, nil for all.
func DeclaredIn(file protoreflect.FileDescriptor, given func(protoreflect.FileDescriptor) bool) []Declared {
	var all []Declared
	var reach map[protoreflect.FullName]*Definition
	for method := range methods(file) {
		names := Returns(method)
		if len(names) == 0 {
			continue
		}
		if reach == nil {
			reach = make(map[protoreflect.FullName]*Definition)
			collectReach(file, given, reach, make(map[string]bool))
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
func collectReach(file protoreflect.FileDescriptor, given func(protoreflect.FileDescriptor) bool, reach map[protoreflect.FullName]*Definition, visited map[string]bool) {
	if visited[file.Path()] {
		return
	}
	visited[file.Path()] = true
	for _, d := range Definitions(file) {
		if given != nil && !given(file) {
			break
		}
		reach[d.Message.FullName()] = d
	}
	imports := file.Imports()
	for i := range imports.Len() {
		collectReach(imports.Get(i).FileDescriptor, given, reach, visited)
	}
}

// Given tells which files a plugin generates code for.
func Given(gen *protogen.Plugin) func(protoreflect.FileDescriptor) bool {
	given := make(map[string]bool)
	for _, file := range gen.Files {
		given[file.Desc.Path()] = file.Generate
	}
	return func(file protoreflect.FileDescriptor) bool { return given[file.Path()] }
}

// OutOfReach returns, for the files to generate, the declared errors that the code of their
// methods does not name, as warnings: a caller meets them as errors of no declared type.
func OutOfReach(gen *protogen.Plugin) Mistakes { return outOfReach(gen, nil) }

// OutOfRequest returns the same for a language whose code for an error is known to be there
// only where this request writes it.
func OutOfRequest(gen *protogen.Plugin) Mistakes { return outOfReach(gen, Given(gen)) }

func outOfReach(gen *protogen.Plugin, given func(protoreflect.FileDescriptor) bool) Mistakes {
	where, remedy := "this file or what it imports", "import the file of the error"
	if given != nil {
		where += ", among the files given to the generator"
		remedy += " and give both to one run of the generator (buf: strategy: all)"
	}
	var all Mistakes
	for _, file := range gen.Files {
		if !file.Generate {
			continue
		}
		for _, d := range DeclaredIn(file.Desc, given) {
			for _, i := range d.outside {
				all = append(all, Mistake{
					File:     file.Desc,
					Path:     PathOf(d.Method, methodOptions, int32(errmapv1.E_Errors.TypeDescriptor().Number()), int32(i)),
					What:     fmt.Sprintf("warning: %s declares %q, which is no error in %s", d.Method.FullName(), Returns(d.Method)[i], where),
					Expected: "expected one, so that the code that tells the method's errors apart can name it",
					Remedy:   remedy + ", or let callers meet it as an error of no declared type",
				})
			}
		}
	}
	all.sort()
	return all
}

// declaredFiles returns, in the order of their paths, the other files whose errors the
// methods of a file declare.
func declaredFiles(file protoreflect.FileDescriptor, declared []Declared) []protoreflect.FileDescriptor {
	byPath := make(map[string]protoreflect.FileDescriptor)
	for _, d := range declared {
		for _, e := range d.Errors {
			if other := e.Message.ParentFile(); other.Path() != file.Path() {
				byPath[other.Path()] = other
			}
		}
	}
	var all []protoreflect.FileDescriptor
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		all = append(all, byPath[path])
	}
	return all
}

// namedOnly returns those methods of which code can name an error.
func namedOnly(declared []Declared) []Declared {
	return slices.DeleteFunc(declared, func(d Declared) bool { return len(d.Errors) == 0 })
}
