package plugin

import (
	"regexp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// pythonKeywords are the words that are no identifiers in Python.
var pythonKeywords = set(
	"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
	"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
	"pass", "raise", "return", "try", "while", "with", "yield",
)

// pythonBuiltins are the names that the generated code itself needs.
var pythonBuiltins = set("bool", "bytes", "float", "int", "property", "self", "str", "super", "type")

// pythonAttributes are the attributes that every error has: those of Exception, and
// those of the runtime. A field of such a name gets a "_".
var pythonAttributes = set(
	"add_note", "args", "with_traceback",
	"DOMAIN", "MESSAGE", "REASON",
	"as_error", "code", "detail", "details", "domain", "error_info", "fields", "http_status", "identifies", "local",
	"message", "metadata", "notes", "number", "raw_details", "reason", "received", "remote", "retry_after", "retry_delay",
	"retryable", "which_oneof", "with_detail", "with_local", "with_message", "with_remote", "with_retry_delay",
)

// pythonField is the name that a field has in Python before clashes: its own
// but for a "_" behind it where something else has that name. A name that begins
// with "_" is private there, so "field" goes before it.
func pythonField(name string) string {
	switch {
	case strings.HasPrefix(name, "_"):
		return "field" + name
	case pythonKeywords[name] || pythonBuiltins[name] || pythonAttributes[name]:
		return name + "_"
	}
	return name
}

// pythonClass is the name of a message without its package, in one identifier.
func pythonClass(md protoreflect.MessageDescriptor) string {
	name := strings.ReplaceAll(strings.Join(nestedNames(md), "_"), ".", "_")
	switch {
	case strings.HasPrefix(name, "_"):
		return "Error" + name
	case pythonKeywords[name] || pythonBuiltins[name]:
		return name + "_"
	}
	return name
}

// pythonMessage is an expression for the class that protoc makes of md.
func pythonMessage(module string, md protoreflect.MessageDescriptor) string {
	expression := module
	for _, name := range nestedNames(md) {
		if isHiddenInPython(name) {
			expression = "getattr(" + expression + ", " + quotePython(name) + ")"
		} else {
			expression += "." + name
		}
	}
	return expression
}

// isHiddenInPython tells whether an attribute of that name can be had by getattr
// alone: keywords, and what a class body takes for private.
func isHiddenInPython(name string) bool {
	return pythonKeywords[name] || strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__")
}

// pythonIdentifier is what a module must be called for an import statement.
var pythonIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// nestedNames are the names of the messages that md stands in, and its own.
func nestedNames(md protoreflect.MessageDescriptor) []string {
	var names []string
	var d protoreflect.Descriptor = md
	for ; d != nil; d = d.Parent() {
		if _, isMessage := d.(protoreflect.MessageDescriptor); !isMessage {
			break
		}
		names = append([]string{string(d.Name())}, names...)
	}
	return names
}

// freePython returns the first name that is not taken, and takes it.
func freePython(taken map[string]bool, name string) string {
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}
