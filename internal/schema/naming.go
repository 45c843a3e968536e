package schema

import (
	"net/url"
	"strings"
)

// DefaultReason returns the google.rpc.ErrorInfo reason of a message that names none:
// the message's short name in UPPER_SNAKE_CASE without a trailing _ERROR.
//
// A "_" goes before a capital that follows a lower-case letter or a digit, and
// before the last capital of a run that a lower-case letter follows:
// OrderNotFoundError is ORDER_NOT_FOUND, HTTPTimeoutError is HTTP_TIMEOUT. A
// "_" of the name itself stays. A message named Error is ERROR. The empty name
// is the empty reason.
func DefaultReason(messageName string) string {
	var b strings.Builder
	b.Grow(len(messageName) + 8)
	for i := 0; i < len(messageName); i++ {
		c := messageName[i]
		if isUpper(c) && i > 0 {
			prev := messageName[i-1]
			endsRun := isUpper(prev) && i+1 < len(messageName) && isLower(messageName[i+1])
			if isLower(prev) || isDigit(prev) || endsRun {
				b.WriteByte('_')
			}
		}
		if isLower(c) {
			c -= 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return strings.TrimSuffix(b.String(), "_ERROR")
}

// DefaultProblemType returns the problem type of an identity whose definition
// names none, and "" where it would be no URI (RFC 3986).
func DefaultProblemType(domain, reason string) string {
	if domain == "" || reason == "" {
		return ""
	}
	uri := "https://" + domain + "/errors/" + Kebab(reason)
	for i := 0; i < len(uri); i++ {
		if c := uri[i]; c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return ""
		}
	}
	if parsed, err := url.Parse(uri); err != nil || parsed.Hostname() == "" {
		return ""
	}
	return uri
}

// Kebab returns a reason in kebab-case, as it stands in a problem type's path:
// ORDER_NOT_FOUND is order-not-found. Bytes that are neither ASCII capitals
// nor "_" stay as they are.
func Kebab(reason string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_':
			return '-'
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return r
	}, reason)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
