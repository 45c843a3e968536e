package plugin

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/schema"
)

// breakProblemType compares what stands in problems: a type that is written out is the
// same as one of domain and reason that reads so. One that changes with the identity is
// reported there.
func breakProblemType(now, before *Definition, report func(Mistake)) {
	earlier, later := problemType(before), problemType(now)
	if earlier == later || now.Options.GetProblemType() == "" && before.Options.GetProblemType() == "" {
		return
	}
	report(Mistake{
		Path:        now.optionPath(optionProblem),
		AgainstPath: before.optionPath(optionProblem),
		What:        fmt.Sprintf("problem_type of %s changed from %q to %q", now.Message.FullName(), earlier, later),
		Expected:    "expected the type that clients know (RFC 9457, section 3.1.1)",
		Remedy:      "set it back, or define a new error",
	})
}

// problemType returns the type as problems have it.
func problemType(d *Definition) string {
	definition, err := schema.DefinitionOf(d.Message)
	if err != nil {
		return d.Options.GetProblemType() // another rule reports what is wrong
	}
	return definition.ProblemType()
}

func breakRetryable(now, before *Definition, report func(Mistake)) {
	show := func(b *bool) string {
		if b == nil {
			return "none"
		}
		return fmt.Sprint(*b)
	}
	earlier, later := show(before.Options.Retryable), show(now.Options.Retryable)
	if earlier == later {
		return
	}
	report(Mistake{
		Path:        now.optionPath(optionRetry),
		AgainstPath: before.optionPath(optionRetry),
		What:        fmt.Sprintf("retryable of %s changed from %s to %s", now.Message.FullName(), earlier, later),
		Expected:    "expected what clients act on, which have it in their generated code",
		Remedy:      "set it back, or define a new error",
	})
}

func breakDetails(now, before *Definition, report func(Mistake)) {
	kept := map[protoreflect.FullName]bool{}
	for fd := range fields(now.Message) {
		if IsDetail(fd) {
			kept[fd.Message().FullName()] = true
		}
	}
	for fd := range fields(before.Message) {
		if !IsDetail(fd) || kept[fd.Message().FullName()] {
			continue
		}
		report(Mistake{
			Path:        PathOf(now.Message),
			AgainstPath: PathOf(fd),
			What:        fmt.Sprintf("detail %s of %s is gone", fd.Message().FullName(), now.Message.FullName()),
			Expected:    "expected the details that clients know",
			Remedy:      "bring back its field",
		})
	}
}
