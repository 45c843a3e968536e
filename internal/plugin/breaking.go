package plugin

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
)

// BreakingRule is a rule that a schema must keep against an earlier one.
type BreakingRule struct {
	// ID names the rule in configuration, such as ERRMAP_SAME_REASON.
	ID string
	// Purpose is a sentence that says what the rule checks.
	Purpose string
	check   func(s, against *Schema, report func(Mistake))
}

// BreakingRules returns all breaking rules.
func BreakingRules() []BreakingRule {
	return []BreakingRule{
		{"ERRMAP_ERROR_NO_DELETE", "Checks that no error is deleted.", breakErrors},
		{"ERRMAP_OPTION_NO_DELETE", "Checks that no message ceases to be an error.", breakOptions},
		{"ERRMAP_SAME_DOMAIN", "Checks that errors keep their domain.", eachPair(breakDomain)},
		{"ERRMAP_SAME_REASON", "Checks that errors keep their reason.", eachPair(breakReason)},
		{"ERRMAP_SAME_CODE", "Checks that errors keep their code.", eachPair(breakCode)},
		{"ERRMAP_SAME_JSONRPC_CODE", "Checks that errors keep their JSON-RPC number.", eachPair(breakJSONRPC)},
		{"ERRMAP_SAME_HTTP_STATUS", "Checks that errors keep their HTTP status.", eachPair(breakHTTPStatus)},
		{"ERRMAP_SAME_PROBLEM_TYPE", "Checks that errors keep their problem type.", eachPair(breakProblemType)},
		{"ERRMAP_SAME_RETRYABLE", "Checks that errors keep whether they may be retried.", eachPair(breakRetryable)},
		{"ERRMAP_DETAIL_NO_DELETE", "Checks that errors keep their details.", eachPair(breakDetails)},
		{"ERRMAP_METADATA_KEY_NO_DELETE", "Checks that errors keep their metadata keys.", eachPair(breakMetadataKeys)},
		{"ERRMAP_METHOD_ERROR_NO_DELETE", "Checks that methods keep naming the errors that they return.", breakMethods},
	}
}

// eachPair calls check for every error that is one in both schemas.
func eachPair(check func(now, before *Definition, report func(Mistake))) func(s, against *Schema, report func(Mistake)) {
	return func(s, against *Schema, report func(Mistake)) {
		for _, before := range against.definitions {
			now := s.definition(before.Message.FullName())
			if now == nil {
				continue
			}
			check(now, before, func(m Mistake) {
				m.File = now.Message.ParentFile()
				m.AgainstFile = before.Message.ParentFile()
				report(m)
			})
		}
	}
}

func breakErrors(s, against *Schema, report func(Mistake)) {
	for _, before := range against.definitions {
		md := before.Message
		if _, kept := s.byName[md.FullName()]; kept {
			continue
		}
		m := Mistake{
			File:        s.file(md.ParentFile().Path()),
			AgainstFile: md.ParentFile(),
			AgainstPath: PathOf(md),
			What:        fmt.Sprintf("error %s is deleted", md.FullName()),
			Expected:    fmt.Sprintf("expected it, since clients know %s/%s", before.Domain, before.Reason),
			Remedy:      "bring it back, deprecated if need be",
		}
		if parent, nested := md.Parent().(protoreflect.MessageDescriptor); nested {
			if around, kept := s.byName[parent.FullName()]; kept {
				m.File, m.Path = around.ParentFile(), PathOf(around)
			}
		}
		report(m)
	}
}

func breakOptions(s, against *Schema, report func(Mistake)) {
	for _, before := range against.definitions {
		name := before.Message.FullName()
		now, kept := s.byName[name]
		if !kept || s.definition(name) != nil {
			continue
		}
		report(Mistake{
			File:        now.ParentFile(),
			Path:        PathOf(now),
			AgainstFile: before.Message.ParentFile(),
			AgainstPath: before.optionPath(),
			What:        fmt.Sprintf("%s has lost its (errmap.v1.error) option", name),
			Expected:    fmt.Sprintf("expected it, since clients know %s/%s", before.Domain, before.Reason),
			Remedy:      "bring it back, deprecate the message if need be",
		})
	}
}

func breakDomain(now, before *Definition, report func(Mistake)) {
	if now.Domain == before.Domain {
		return
	}
	report(Mistake{
		Path:        now.domainPath(),
		AgainstPath: before.domainPath(),
		What:        fmt.Sprintf("domain of %s changed from %q to %q", now.Message.FullName(), before.Domain, now.Domain),
		Expected:    "expected the identity that clients know",
		Remedy:      "set it back, or define a new error",
	})
}

// domainPath leads to the option's domain, else the file's.
func (d *Definition) domainPath() protoreflect.SourcePath {
	if d.Options.GetInfo().GetDomain() != "" {
		return d.optionPath(optionInfo, infoDomain)
	}
	path := protoreflect.SourcePath{fileOptions, int32(errmapv1.E_Domain.TypeDescriptor().Number())}
	if _, ok, _ := schema.Option[string](d.Message.ParentFile().Options(), new(descriptorpb.FileOptions), errmapv1.E_Domain); ok {
		return path
	}
	return d.optionPath()
}

func breakReason(now, before *Definition, report func(Mistake)) {
	if now.Reason == before.Reason {
		return
	}
	report(Mistake{
		Path:        now.optionPath(optionInfo, infoReason),
		AgainstPath: before.optionPath(optionInfo, infoReason),
		What:        fmt.Sprintf("reason of %s changed from %q to %q", now.Message.FullName(), before.Reason, now.Reason),
		Expected:    "expected the identity that clients know",
		Remedy:      "set it back, or define a new error",
	})
}

func breakCode(now, before *Definition, report func(Mistake)) {
	if now.Options.GetCode() == before.Options.GetCode() {
		return
	}
	report(Mistake{
		Path:        now.optionPath(optionCode),
		AgainstPath: before.optionPath(optionCode),
		What: fmt.Sprintf("code of %s changed from %s to %s",
			now.Message.FullName(), before.Options.GetCode(), now.Options.GetCode()),
		Expected: "expected the code that clients know",
		Remedy:   "set it back, or define a new error",
	})
}

func breakJSONRPC(now, before *Definition, report func(Mistake)) {
	breakNumber(now, before, "jsonrpc_code", "number", optionJSONRPC,
		now.Options.JsonrpcCode, before.Options.JsonrpcCode, report)
}

func breakHTTPStatus(now, before *Definition, report func(Mistake)) {
	breakNumber(now, before, "http_status", "status", optionHTTP,
		now.Options.HttpStatus, before.Options.HttpStatus, report)
}

func breakNumber(now, before *Definition, name, kind string, option int32, value, earlier *int32, report func(Mistake)) {
	show := func(n *int32) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprint(*n)
	}
	if show(value) == show(earlier) {
		return
	}
	report(Mistake{
		Path:        now.optionPath(option),
		AgainstPath: before.optionPath(option),
		What:        fmt.Sprintf("%s of %s changed from %s to %s", name, now.Message.FullName(), show(earlier), show(value)),
		Expected:    fmt.Sprintf("expected the %s that clients know", kind),
		Remedy:      "set it back, or define a new error",
	})
}

func breakMetadataKeys(now, before *Definition, report func(Mistake)) {
	keys := now.Keys()
	for _, key := range slices.Sorted(maps.Keys(before.Keys())) {
		if keys[key] {
			continue
		}
		m := Mistake{
			Path:        PathOf(now.Message),
			AgainstPath: before.optionPath(optionInfo, infoMetadata),
			What:        fmt.Sprintf("metadata key %q of %s is gone", key, now.Message.FullName()),
			Expected:    "expected the keys that clients know",
			Remedy:      "bring back its field or constant",
		}
		for fd := range fields(before.Message) {
			if fd.JSONName() == key {
				m.AgainstPath = PathOf(fd)
			}
		}
		report(m)
	}
}

func breakMethods(s, against *Schema, report func(Mistake)) {
	for _, file := range against.files {
		for before := range methods(file) {
			now, kept := s.byName[before.FullName()].(protoreflect.MethodDescriptor)
			if !kept {
				continue
			}
			names := Returns(now)
			for i, name := range Returns(before) {
				if slices.Contains(names, name) {
					continue
				}
				number := int32(errmapv1.E_Errors.TypeDescriptor().Number())
				report(Mistake{
					File:        now.ParentFile(),
					Path:        PathOf(now),
					AgainstFile: file,
					AgainstPath: PathOf(before, methodOptions, number, int32(i)),
					What:        fmt.Sprintf("%s no longer names the error %s", now.FullName(), name),
					Expected:    "expected the errors that clients know",
					Remedy:      "name it again",
				})
			}
		}
	}
}
