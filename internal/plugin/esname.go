package plugin

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// esReserved are the identifiers that protoc-gen-es escapes with a "$".
var esReserved = set(
	"break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "export",
	"extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null", "return",
	"super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
	"enum", "implements", "interface", "let", "package", "private", "protected", "public", "static",
	"Object", "bigint", "number", "boolean", "string", "object",
	"globalThis", "Uint8Array", "Partial",
)

// esNoClass are the further names that no class in a module may have.
var esNoClass = set("any", "arguments", "await", "eval", "never", "symbol", "undefined", "unknown")

// esEscaped are the properties that protoc-gen-es escapes with a "$".
var esEscaped = set("constructor", "toString", "toJSON", "valueOf")

// esMembers are the properties that every error has: those of Object and Error,
// and those of the runtime. A field of such a name gets a "$".
var esMembers = set(
	"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
	"toJSON", "name", "message", "stack", "cause",
	"as", "code", "detail", "details", "domain", "fields", "httpStatus", "is", "local", "metadata", "notes", "number",
	"reason", "received", "remote", "retryDelay", "retryable", "withDetail", "withMessage",
)

// esNames are the names that protoc-gen-es gives to the messages of one file.
type esNames struct {
	shapes  map[protoreflect.FullName]string
	schemas map[protoreflect.FullName]string
}

// namesOf names messages and enums as protoc-gen-es does: types first and then
// descriptors, each in the order of the file, with a "$" behind a name that is
// taken.
func namesOf(file protoreflect.FileDescriptor) esNames {
	names := esNames{make(map[protoreflect.FullName]string), make(map[protoreflect.FullName]string)}
	taken := make(map[string]bool)
	all := esTypes(file)
	for _, d := range all {
		if isShape(d) {
			names.shapes[d.FullName()] = free(taken, esIdentifier(d), "")
		}
	}
	free(taken, "file_"+identifierOf(strings.TrimSuffix(file.Path(), ".proto")), "")
	for _, d := range all {
		suffix := ""
		if isShape(d) {
			suffix = "Schema"
		}
		names.schemas[d.FullName()] = free(taken, esIdentifier(d), suffix)
	}
	return names
}

// esTypes returns what a file declares in the order in which protoc-gen-es goes
// through it.
func esTypes(file protoreflect.FileDescriptor) []protoreflect.Descriptor {
	var all []protoreflect.Descriptor
	var within func(protoreflect.MessageDescriptors)
	within = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			md := list.Get(i)
			if md.IsMapEntry() {
				continue
			}
			all = append(all, md)
			within(md.Messages())
			for j := range md.Enums().Len() {
				all = append(all, md.Enums().Get(j))
			}
			for j := range md.Extensions().Len() {
				all = append(all, md.Extensions().Get(j))
			}
		}
	}
	within(file.Messages())
	for i := range file.Enums().Len() {
		all = append(all, file.Enums().Get(i))
	}
	for i := range file.Services().Len() {
		all = append(all, file.Services().Get(i))
	}
	for i := range file.Extensions().Len() {
		all = append(all, file.Extensions().Get(i))
	}
	return all
}

// isShape tells whether protoc-gen-es makes a type of d beside its descriptor.
func isShape(d protoreflect.Descriptor) bool {
	switch d.(type) {
	case protoreflect.MessageDescriptor, protoreflect.EnumDescriptor:
		return true
	}
	return false
}

// esIdentifier is the name of d without its package, in one identifier.
func esIdentifier(d protoreflect.Descriptor) string {
	name := string(d.FullName())
	if pkg := d.ParentFile().Package(); pkg != "" {
		name = strings.TrimPrefix(name, string(pkg)+".")
	}
	return strings.ReplaceAll(name, ".", "_")
}

// identifierOf puts a "_" in the place of each run of what stands in no
// identifier.
func identifierOf(path string) string { return noIdentifier.ReplaceAllString(path, "_") }

var noIdentifier = regexp.MustCompile(`[^a-zA-Z0-9_]+`)

// free returns the first name that is not taken, and takes it.
func free(taken map[string]bool, name, suffix string) string {
	for n := 0; ; n++ {
		salt := ""
		switch {
		case n == 1:
			salt = "$"
		case n > 1:
			salt = "$" + strconv.Itoa(n-1)
		}
		candidate := name + suffix + salt
		if esReserved[candidate] {
			candidate += "$"
		}
		if !taken[candidate] {
			taken[candidate] = true
			return candidate
		}
	}
}

// esProperty is the property of a field, or of a oneof, in the message that
// protoc-gen-es makes.
func esProperty(name protoreflect.Name) string {
	camel := esCamelCase(string(name))
	if esEscaped[camel] {
		camel += "$"
	}
	return camel
}

func esCamelCase(name string) string {
	var b strings.Builder
	capital := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_':
			capital = true
			continue
		case capital && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		capital = false
		b.WriteByte(c)
	}
	return b.String()
}

// esMember is a property of a generated message, and so of the class.
type esMember struct {
	property string
	// What it is: a field, or a oneof of several.
	descriptor protoreflect.Descriptor
}

// membersOf returns the properties of md in the order of their first fields.
func membersOf(md protoreflect.MessageDescriptor) []esMember {
	var members []esMember
	seen := make(map[protoreflect.FullName]bool)
	for fd := range fields(md) {
		oneof := fd.ContainingOneof()
		if oneof == nil || oneof.IsSynthetic() {
			members = append(members, esMember{esProperty(fd.Name()), fd})
		} else if !seen[oneof.FullName()] {
			seen[oneof.FullName()] = true
			members = append(members, esMember{esProperty(oneof.Name()), oneof})
		}
	}
	return members
}

// esClashes reports the members of annotated messages that would be one
// property in TypeScript.
func esClashes(file protoreflect.FileDescriptor) Mistakes {
	var found Mistakes
	for _, d := range Definitions(file) {
		first := make(map[string]protoreflect.Descriptor)
		for _, m := range membersOf(d.Message) {
			if other, taken := first[m.property]; taken {
				found = append(found, Mistake{
					Rule:     "ERRMAP_ES_NAME",
					File:     file,
					Path:     PathOf(m.descriptor),
					What:     fmt.Sprintf("%s and %s of %s are both %s in TypeScript", other.Name(), m.descriptor.Name(), d.Message.Name(), m.property),
					Expected: "expected names that differ in camel case",
					Remedy:   "rename one of them",
				})
				continue
			}
			first[m.property] = m.descriptor
		}
	}
	found.sort()
	return found
}

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}
