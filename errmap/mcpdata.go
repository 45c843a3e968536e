package errmap

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// schemaOf returns the members that the schema of MCP requires in the data of one
// of its errors, each with the first character of its JSON type.
func schemaOf(d *Definition) map[string]byte {
	if d.Domain() != domainMCP {
		return nil
	}
	switch d.Reason() {
	case "MISSING_REQUIRED_CLIENT_CAPABILITY":
		return map[string]byte{"requiredCapabilities": '{'}
	case "UNSUPPORTED_PROTOCOL_VERSION":
		return map[string]byte{"supported": '[', "requested": '"'}
	case reasonResourceNotFound:
		return map[string]byte{"uri": '"'}
	}
	return nil
}

// schemaOrder is the order in which members of the schema are written.
var schemaOrder = []string{"requiredCapabilities", "supported", "requested", "uri"}

// emptyOf returns the metadata text of an empty value of a JSON type.
func emptyOf(kind byte) string {
	switch kind {
	case '{':
		return "{}"
	case '[':
		return "[]"
	}
	return ""
}

// schemaObject returns the members that the schema requires of an error of MCP,
// out of its metadata; what is missing there is written empty.
func schemaObject(e *Error, d *Definition, c *Catalog) []member {
	metadata := map[string]string{}
	for _, detail := range e.details {
		if info := errorInfo(c, detail); info != nil && info.GetDomain() == domainMCP {
			metadata = info.GetMetadata()
			break
		}
	}
	kinds := schemaOf(d)
	var out []member
	for _, name := range schemaOrder {
		kind := kinds[name]
		if kind == 0 {
			continue
		}
		out = append(out, newMember(name, schemaValue(kind, metadata[name])))
	}
	return out
}

// schemaValue returns a metadata text as JSON of the type that the schema has.
func schemaValue(kind byte, text string) []byte {
	if kind == '"' {
		return appendString(nil, text)
	}
	value := jsontext.Value(text)
	if value.Compact(anyText...) != nil || len(value) == 0 || value[0] != kind {
		return []byte(emptyOf(kind))
	}
	return value
}

// withoutEmptyDetails takes out of a data object of MCP a details member that is
// an empty array: as data itself, that says nothing, least of all that the rest
// of the object is not to be read.
func withoutEmptyDetails(raw []byte) []byte {
	members, ok := objectMembers(raw)
	kept := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == "details" && string(m.value) == "[]" })
	if !ok || len(kept) == len(members) {
		return raw
	}
	return appendMembers(nil, kept)
}

// objectDetails returns the elements of the details member of a data object of
// MCP and the members beside it; not ok where there is no such array.
func objectDetails(raw []byte) (elements [][]byte, beside []member, ok bool) {
	members, _ := objectMembers(raw)
	for i, m := range members {
		if m.name == "details" {
			if elements, ok = arrayElements(m.value); ok {
				beside = slices.Delete(members, i, i+1)
			}
			return elements, beside, ok
		}
	}
	return nil, nil, false
}

// isURIObject tells whether data is that of a resource that was not found: a
// string uri and at most details.
func isURIObject(raw []byte) bool {
	members, ok := objectMembers(raw)
	found := false
	for _, m := range members {
		switch {
		case m.name == "uri" && m.value[0] == '"':
			found = true
		case m.name != "details":
			return false
		}
	}
	return ok && found
}
