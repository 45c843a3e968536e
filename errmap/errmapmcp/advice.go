package errmapmcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
)

const (
	// maxAdvice is how many violations, links and the like of one kind a text
	// tells; the rest is in the error itself.
	maxAdvice = 16
	// maxAdviceLine is how long one of them may be, in bytes.
	maxAdviceLine = 1 << 10
)

// advice returns the text of an error for a model: the message, then what to
// change, whether to try again and when, and by what the error is known. Most
// clients give a model this text and nothing else.
func advice(e *errmap.Error, definition *errmap.Definition) string {
	message := e.Message()
	if message == "" {
		message = definition.Title()
	}
	if message == "" {
		message = "The tool failed: " + e.Code().String()
	}
	lines := append([]string{message}, changes(e)...)
	if again := tryAgain(e, definition); again != "" {
		lines = append(lines, again)
	}
	return strings.Join(append(lines, known(e)...), "\n")
}

// changes returns what the details of an error ask to be changed.
func changes(e *errmap.Error) []string {
	var all []string
	if bad, ok := errmap.Detail[*errdetails.BadRequest](e); ok {
		all = append(all, told(bad.GetFieldViolations(), func(v *errdetails.BadRequest_FieldViolation) string {
			return "Change " + joined(v.GetField(), v.GetDescription())
		})...)
	}
	if failed, ok := errmap.Detail[*errdetails.PreconditionFailure](e); ok {
		all = append(all, told(failed.GetViolations(), func(v *errdetails.PreconditionFailure_Violation) string {
			return "First needed: " + joined(v.GetSubject(), v.GetDescription())
		})...)
	}
	if quota, ok := errmap.Detail[*errdetails.QuotaFailure](e); ok {
		all = append(all, told(quota.GetViolations(), func(v *errdetails.QuotaFailure_Violation) string {
			return "Over the quota: " + joined(v.GetSubject(), v.GetDescription())
		})...)
	}
	if help, ok := errmap.Detail[*errdetails.Help](e); ok {
		all = append(all, told(help.GetLinks(), func(l *errdetails.Help_Link) string {
			return "See " + joined(l.GetDescription(), l.GetUrl())
		})...)
	}
	return all
}

// tryAgain says whether to make the call again, and when; "" where that is not
// known.
func tryAgain(e *errmap.Error, definition *errmap.Definition) string {
	retryable, known := definition.Retryable()
	delay, delayed := e.RetryDelay()
	switch {
	case known && !retryable:
		return "Do not try again without a change: it would fail in the same way."
	case delayed && delay > 0:
		return fmt.Sprintf("Try again after %s.", delay)
	case known || delayed || e.Retryable():
		return "Try again: it may succeed."
	}
	switch e.Code() {
	case code.Code_INVALID_ARGUMENT, code.Code_NOT_FOUND, code.Code_ALREADY_EXISTS, code.Code_PERMISSION_DENIED,
		code.Code_UNAUTHENTICATED, code.Code_FAILED_PRECONDITION, code.Code_OUT_OF_RANGE, code.Code_UNIMPLEMENTED:
		return "Do not try again without a change: it would fail in the same way."
	case code.Code_ABORTED:
		return "Begin the whole sequence of calls again: something else changed in between."
	case code.Code_RESOURCE_EXHAUSTED:
		return "Do not try again at once: a limit is reached."
	case code.Code_DEADLINE_EXCEEDED:
		return "It may have been done: look before you try again."
	}
	return ""
}

// known returns what programs and people know the error by.
func known(e *errmap.Error) []string {
	var lines []string
	if reason := e.Reason(); reason != "" {
		line := "Reason: " + reason
		if domain := e.Domain(); domain != "" {
			line += " of " + domain
		}
		metadata := e.ErrorInfo().GetMetadata()
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			if i == maxAdvice {
				line += "; …"
				break
			}
			line += "; " + key + ": " + metadata[key]
		}
		lines = append(lines, oneLine(line))
	}
	if info, ok := errmap.Detail[*errdetails.RequestInfo](e); ok && info.GetRequestId() != "" {
		lines = append(lines, oneLine("Request id, for a report: "+info.GetRequestId()))
	}
	return lines
}

// told returns a line for each element, and one more that counts those that are
// left out.
func told[T any](elements []T, line func(T) string) []string {
	var lines []string
	for i, element := range elements {
		if i == maxAdvice {
			return append(lines, fmt.Sprintf("… and %d more.", len(elements)-i))
		}
		lines = append(lines, oneLine(line(element)))
	}
	return lines
}

// joined returns two texts of which either may be missing.
func joined(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + ": " + second
}

// oneLine returns a text without line ends, cut to a bounded length.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxAdviceLine {
		return strings.ToValidUTF8(text[:maxAdviceLine], "") + "…"
	}
	return text
}
