// Package inputerror puts what protojson says of a caller's JSON into words for that
// caller: where it is wrong, which field and what that wants, and nothing of what was
// sent, which may be a password in the wrong place.
package inputerror

import (
	"regexp"
	"strconv"
	"strings"
)

// The texts of protojson that end with what was sent, and what is kept of each.
var (
	position = regexp.MustCompile(`^((?:syntax error )?\(line )([0-9]+):([0-9]+)(\): )`)
	value    = regexp.MustCompile(`^(invalid value for [^:"]*):.*|^(invalid [^:"]* value) .*|^([^:"]* value out of range):.*|^(invalid [^:"]*):.*|^(.*(?:contains invalid path|contains irreversible value|is not a string)).*|^(duplicate map key) .*|^(invalid value) .*|^(unable to resolve) .*`)
	token    = regexp.MustCompile(`^unexpected token (.*)`)
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// maxText is more than protojson says before it repeats a value, which may be long.
const maxText = 1 << 10

// Reason returns the text of an error of protojson without the values that it repeats.
// Columns of the first line are counted without the first bytes before of the JSON, which
// the caller did not send.
func Reason(err error, before int) string {
	text := err.Error()
	text = strings.ReplaceAll(text[:min(len(text), maxText)], "\u00a0", " ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "proto:"))
	where := ""
	if at := position.FindStringSubmatch(text); at != nil {
		text = text[len(at[0]):]
		column, err := strconv.Atoi(at[3])
		if err == nil && at[2] == "1" && column > before {
			column -= before
		}
		where = at[1] + at[2] + ":" + strconv.Itoa(column) + at[4]
	}
	return where + withoutValue(text)
}

func withoutValue(text string) string {
	// A value may have line breaks.
	text = strings.ReplaceAll(text, "\n", " ")
	if found := token.FindStringSubmatch(text); found != nil {
		return "unexpected " + kind(found[1])
	}
	if found := value.FindStringSubmatch(text); found != nil {
		return strings.Join(found[1:], "")
	}
	for _, name := range []string{"duplicate field ", "unknown field ", "error parsing ", `missing "`, `duplicate "`} {
		if strings.HasPrefix(text, name) {
			return text
		}
	}
	return quoted.ReplaceAllString(text, "…")
}

// kind tells what a token is.
func kind(token string) string {
	switch {
	case token == "":
		return "end"
	case token[0] == '"':
		return "string"
	case token[0] == '-', '0' <= token[0] && token[0] <= '9':
		return "number"
	}
	return "token " + token // a bracket, a comma, true, false or null
}
