package errmapmcp

import (
	"bytes"
	"errors"
	"io"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient is how the JSON of a peer is read: what stands twice or is not UTF-8 is
// no reason to lose the rest.
var lenient = []jsonv2.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// members returns the members of an object under the names, each as it stands the
// first time: errmap and other readers take the first too. It is false for what is
// no object, or no JSON.
func members(object []byte, names ...string) (map[string]jsontext.Value, bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object), lenient...)
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, false
	}
	found := make(map[string]jsontext.Value, len(names))
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, false
		}
		name := token.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}
		if _, has := found[name]; has {
			continue
		}
		if slices.Contains(names, name) {
			found[name] = value.Clone()
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, false
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false // something follows the object
	}
	return found, true
}

// textOf returns the text of a JSON string, "" for any other value.
func textOf(value jsontext.Value) string {
	var text string
	if value.Kind() != '"' || jsonv2.Unmarshal(value, &text, lenient...) != nil {
		return ""
	}
	return text
}
