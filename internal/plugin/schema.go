package plugin

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/schema"
)

// Schema is a set of files and the errors in them. It is not changed once made
// and may be checked by several goroutines at once.
type Schema struct {
	files       []protoreflect.FileDescriptor
	definitions []*Definition
	byName      map[protoreflect.FullName]protoreflect.Descriptor
	target      func(path string) bool
	goClashes   func(protoreflect.MessageDescriptor) []protoreflect.Descriptor
}

// SchemaOption sets how NewSchema reads files.
type SchemaOption interface{ apply(*Schema) }

type schemaOption func(*Schema)

func (o schemaOption) apply(s *Schema) { o(s) }

// WithTargets limits what is checked to the files for whose path target says
// yes. The others only serve to look things up. Without it all are checked.
func WithTargets(target func(path string) bool) SchemaOption {
	return schemaOption(func(s *Schema) { s.target = target })
}

// WithoutGoNames lets errors have names that clash in Go. It is for generators of
// other languages.
func WithoutGoNames() SchemaOption {
	return withGoClashes(func(protoreflect.MessageDescriptor) []protoreflect.Descriptor { return nil })
}

// withGoClashes has the Go generator's own knowledge of Go names decide.
func withGoClashes(clashes func(protoreflect.MessageDescriptor) []protoreflect.Descriptor) SchemaOption {
	return schemaOption(func(s *Schema) { s.goClashes = clashes })
}

// NewSchema reads the errors of files, which must hold whatever they import.
func NewSchema(files []protoreflect.FileDescriptor, options ...SchemaOption) *Schema {
	s := &Schema{
		files:     slices.Clone(files),
		byName:    make(map[protoreflect.FullName]protoreflect.Descriptor),
		target:    func(string) bool { return true },
		goClashes: goClashes,
	}
	for _, option := range options {
		option.apply(s)
	}
	// Files that are only looked up come first: where two errors are the same,
	// the mistake is the target's.
	slices.SortStableFunc(s.files, func(a, b protoreflect.FileDescriptor) int {
		if aTarget := s.target(a.Path()); aTarget != s.target(b.Path()) {
			if aTarget {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Path(), b.Path())
	})
	for _, file := range s.files {
		for md := range schema.Messages(file.Messages()) {
			s.byName[md.FullName()] = md
		}
		for method := range methods(file) {
			s.byName[method.FullName()] = method
		}
		s.definitions = append(s.definitions, Definitions(file)...)
	}
	return s
}

// Check returns the mistakes that the rules find in the targets, in the order
// of their places, and nil where there are none. Without rules it checks all
// lint rules.
func (s *Schema) Check(rules ...LintRule) Mistakes {
	if len(rules) == 0 {
		rules = LintRules()
	}
	var found Mistakes
	for _, rule := range rules {
		rule.check(s, func(m Mistake) {
			if s.target(m.File.Path()) {
				m.Rule = rule.ID
				found = append(found, m)
			}
		})
	}
	found.sort()
	return found
}

// CheckBreaking returns what the rules find broken against an earlier schema,
// in the order of the places, and nil for nothing. Without rules it checks all
// breaking rules.
func (s *Schema) CheckBreaking(against *Schema, rules ...BreakingRule) Mistakes {
	if len(rules) == 0 {
		rules = BreakingRules()
	}
	var found Mistakes
	for _, rule := range rules {
		rule.check(s, against, func(m Mistake) {
			if against.target(m.AgainstFile.Path()) {
				m.Rule = rule.ID
				found = append(found, m)
			}
		})
	}
	found.sort()
	return found
}

// definition returns the definition of a message of the schema, nil for none.
func (s *Schema) definition(name protoreflect.FullName) *Definition {
	for _, d := range s.definitions {
		if d.Message.FullName() == name {
			return d
		}
	}
	return nil
}

// file returns the file of that path, nil for none.
func (s *Schema) file(path string) protoreflect.FileDescriptor {
	for _, file := range s.files {
		if file.Path() == path {
			return file
		}
	}
	return nil
}
