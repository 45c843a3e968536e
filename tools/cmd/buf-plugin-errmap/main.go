// Command buf-plugin-errmap is a plugin of buf with the lint and breaking rules
// of errors. Name it in buf.yaml, and its category in every module's use list:
//
//	version: v2
//	lint:
//	  use: [STANDARD, ERRMAP]
//	breaking:
//	  use: [FILE, ERRMAP]
//	plugins:
//	  - plugin: buf-plugin-errmap
//
// Annotations stand inside the option, and read: what is wrong, what was
// expected, what to do. buf config ls-lint-rules lists the rules.
package main

import (
	"context"

	"buf.build/go/bufplugin/check"
	"buf.build/go/bufplugin/descriptor"
	"buf.build/go/bufplugin/info"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/plugin"
)

const category = "ERRMAP"

func main() {
	check.Main(newSpec())
}

// schemas are the two sides of a request, read once for all rules.
type schemas struct{ now, against *plugin.Schema }

type schemasKey struct{}

func newSpec() *check.Spec {
	spec := &check.Spec{
		Categories: []*check.CategorySpec{{
			ID:      category,
			Purpose: "Checks that messages with the (errmap.v1.error) option are sound errors, and stay what clients know.",
		}},
		Info: &info.Spec{
			Documentation: "Lint and breaking rules for errors that are defined with the (errmap.v1.error) option.",
			SPDXLicenseID: "apache-2.0",
			LicenseURL:    "https://www.apache.org/licenses/LICENSE-2.0",
		},
		Before: func(ctx context.Context, request check.Request) (context.Context, check.Request, error) {
			return context.WithValue(ctx, schemasKey{}, schemas{
				now:     newSchema(request.FileDescriptors()),
				against: newSchema(request.AgainstFileDescriptors()),
			}), request, nil
		},
	}
	for _, rule := range plugin.LintRules() {
		spec.Rules = append(spec.Rules, newRule(rule.ID, rule.Purpose, check.RuleTypeLint, func(s schemas) plugin.Mistakes {
			return s.now.Check(rule)
		}))
	}
	for _, rule := range plugin.BreakingRules() {
		spec.Rules = append(spec.Rules, newRule(rule.ID, rule.Purpose, check.RuleTypeBreaking, func(s schemas) plugin.Mistakes {
			return s.now.CheckBreaking(s.against, rule)
		}))
	}
	return spec
}

func newSchema(files []descriptor.FileDescriptor) *plugin.Schema {
	all := make([]protoreflect.FileDescriptor, 0, len(files))
	targets := make(map[string]bool, len(files))
	for _, file := range files {
		all = append(all, file.ProtoreflectFileDescriptor())
		targets[file.ProtoreflectFileDescriptor().Path()] = !file.IsImport()
	}
	return plugin.NewSchema(all, plugin.WithTargets(func(path string) bool { return targets[path] }))
}

func newRule(id, purpose string, kind check.RuleType, find func(schemas) plugin.Mistakes) *check.RuleSpec {
	return &check.RuleSpec{
		ID:          id,
		CategoryIDs: []string{category},
		Default:     true,
		Purpose:     purpose,
		Type:        kind,
		Handler: check.RuleHandlerFunc(func(ctx context.Context, w check.ResponseWriter, _ check.Request) error {
			for _, mistake := range find(ctx.Value(schemasKey{}).(schemas)) {
				annotate(w, mistake)
			}
			return nil
		}),
	}
}

// annotate writes a mistake with its places. The paths are those of positions
// that exist: for others bufplugin would take a neighbour's.
func annotate(w check.ResponseWriter, m plugin.Mistake) {
	options := []check.AddAnnotationOption{check.WithMessage(m.Message())}
	if m.File != nil {
		options = append(options, check.WithFileNameAndSourcePath(m.File.Path(), plugin.Locate(m.File, m.Path).Path))
	}
	if m.AgainstFile != nil {
		options = append(options, check.WithAgainstFileNameAndSourcePath(
			m.AgainstFile.Path(), plugin.Locate(m.AgainstFile, m.AgainstPath).Path))
	}
	w.AddAnnotation(options...)
}
