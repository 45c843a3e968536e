package plugin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Mistake is something in a schema that breaks a rule.
type Mistake struct {
	// Rule is the identifier of the broken rule, such as ERRMAP_REASON.
	Rule string
	// File is the file in which the mistake stands, nil where a breaking
	// change deleted it.
	File protoreflect.FileDescriptor
	// Path leads to the element in File's descriptor. Where a compiler kept no
	// position of the element itself, the nearest one that holds it counts.
	Path protoreflect.SourcePath
	// AgainstFile and AgainstPath are the place in the earlier schema, for a
	// breaking change; else AgainstFile is nil.
	AgainstFile protoreflect.FileDescriptor
	AgainstPath protoreflect.SourcePath
	// What is wrong, what was Expected, and what to do: the Remedy.
	What, Expected, Remedy string
}

// Mistakes are all the mistakes of a schema. As an error they read like a
// compiler's diagnostics, one a line; errors.As finds them.
type Mistakes []Mistake

// Error returns how many mistakes there are and then each on a line of its own.
func (ms Mistakes) Error() string {
	var b strings.Builder
	if len(ms) == 1 {
		b.WriteString("1 mistake in the errors of the schema:")
	} else {
		fmt.Fprintf(&b, "%d mistakes in the errors of the schema:", len(ms))
	}
	for _, m := range ms {
		b.WriteString("\n" + m.String())
	}
	return b.String()
}

// String returns "path:line:column: what is wrong, what was expected, what to
// do". Lines and columns count from 1; both are 1 where the file came without
// positions.
func (m Mistake) String() string {
	line, column := m.position()
	return fmt.Sprintf("%s:%d:%d: %s", m.path(), line, column, m.Message())
}

// Message returns the text without the position.
func (m Mistake) Message() string {
	return m.What + ", " + m.Expected + ", " + m.Remedy
}

// path returns the path of the file, also where it was deleted.
func (m Mistake) path() string {
	if m.File == nil {
		return m.AgainstFile.Path()
	}
	return m.File.Path()
}

func (m Mistake) position() (line, column int) {
	if m.File == nil {
		return 1, 1
	}
	location := Locate(m.File, m.Path)
	return location.StartLine + 1, location.StartColumn + 1
}

// sort puts mistakes in the order of their places, so that output does not
// depend on the order in which rules ran.
func (ms Mistakes) sort() {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		aLine, aColumn := a.position()
		bLine, bColumn := b.position()
		return cmp.Or(
			strings.Compare(a.path(), b.path()),
			cmp.Compare(aLine, bLine),
			cmp.Compare(aColumn, bColumn),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.What, b.What),
		)
	})
}
