package listing

import (
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/plugin"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// meanings tells in a sentence what each code says.
var meanings = map[code.Code]string{
	code.Code_CANCELLED:           "the call was given up, usually by its caller",
	code.Code_UNKNOWN:             "the peer says nothing of the kind of the error",
	code.Code_INVALID_ARGUMENT:    "the request itself is wrong, whatever the state of the server",
	code.Code_DEADLINE_EXCEEDED:   "the time for the call was over; it may have taken effect all the same",
	code.Code_NOT_FOUND:           "what was asked for does not exist, or the caller may not see it",
	code.Code_ALREADY_EXISTS:      "what was to be created is there already",
	code.Code_PERMISSION_DENIED:   "the caller is known and may not do this",
	code.Code_RESOURCE_EXHAUSTED:  "a quota or a resource is used up",
	code.Code_FAILED_PRECONDITION: "the server is in a state in which it does not do this",
	code.Code_ABORTED:             "the call lost against another one",
	code.Code_OUT_OF_RANGE:        "the request reaches beyond what is there",
	code.Code_UNIMPLEMENTED:       "the server does not do this",
	code.Code_INTERNAL:            "the server broke one of its own rules",
	code.Code_UNAVAILABLE:         "the server cannot be reached or takes no calls now",
	code.Code_DATA_LOSS:           "data is lost or damaged for good",
	code.Code_UNAUTHENTICATED:     "the caller did not prove who it is",
}

// Meaning tells in a sentence what a code says, "" for one that is none of an
// error.
func Meaning(c code.Code) string { return meanings[c] }

// RetryAdvice tells whether to make the same call again where only the code is
// known.
func RetryAdvice(c code.Code) string {
	switch c {
	case code.Code_UNAVAILABLE:
		return "yes, with growing pauses"
	case code.Code_ABORTED:
		return "not this call alone: begin again with the read or the transaction that it belongs to"
	case code.Code_RESOURCE_EXHAUSTED:
		return "perhaps later: the error does not say when"
	case code.Code_DEADLINE_EXCEEDED:
		return "only if it does no harm to do it twice"
	case code.Code_UNAUTHENTICATED:
		return "with fresh credentials"
	case code.Code_UNKNOWN, code.Code_INTERNAL, code.Code_CANCELLED:
		return "nothing says that it would help"
	}
	return "no: the same call fails again until something else changes"
}

// retryWords tells whether to make the same call again after an error of this
// definition.
func retryWords(d *errmap.Definition) string {
	retryable, known := d.Retryable()
	switch {
	case known && !retryable:
		return "no"
	case hasRetryInfo(d):
		return "yes, after the delay that it says; with growing pauses where it says none"
	case known:
		return "yes, with growing pauses"
	}
	return RetryAdvice(d.Code())
}

func hasRetryInfo(d *errmap.Definition) bool {
	for _, fd := range fieldsOf(d) {
		if plugin.IsDetail(fd) && fd.Message().FullName() == "google.rpc.RetryInfo" {
			return true
		}
	}
	return false
}
