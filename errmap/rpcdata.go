package errmap

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// rpcData is what the data member says.
type rpcData struct {
	details []RawDetail
	marker  int32
	own     *Definition // the profile's own error that the number stands for
	free    []byte      // free-form data of such an error
}

func readData(e *Error, o *decodeOptions, raw []byte, p Profile, number int64) rpcData {
	c := o.catalog
	var d rpcData
	if d.own = p.numbered(number); d.own == nil && p == ProfileMCP && number == numberInvalidParams && isURIObject(raw) {
		d.own = p.own().Find(domainMCP, reasonResourceNotFound)
	}
	elements, typed := arrayElements(raw)
	switch {
	case raw == nil || string(raw) == "[]":
		return d
	case typed:
		typed = containsTyped(elements)
	case typedElement(raw):
		elements, typed = [][]byte{raw}, true
	case p == ProfileMCP && d.own != nil:
		raw = withoutEmptyDetails(raw)
		elements, typed = objectDetails(raw)
	}
	if !typed {
		if d.own != nil {
			d.free = raw
		} else {
			d.details = []RawDetail{parseElement(c, raw)}
		}
		return d
	}
	elements = o.atMost(e, elements)
	marked := -1
	for i, element := range elements {
		if markerCode(element) != 0 {
			marked, d.marker = i, markerCode(element)
		}
	}
	var untyped []byte
	for i, element := range elements {
		switch {
		case i == marked:
		case d.own != nil && !typedElement(element):
			untyped = append(append(untyped, ','), element...)
		default:
			d.details = append(d.details, parseElement(c, element))
		}
	}
	if untyped != nil {
		untyped[0] = '['
		d.free = append(untyped, ']')
	}
	return d
}

// supply gives a profile's own error its ErrorInfo, first, where it came without
// one of the profile's domain, and puts free-form data into its metadata. It is
// false where the ErrorInfo contradicts the number.
func (d rpcData) supply(e *Error, p Profile, c *Catalog) bool {
	place, agree := -1, true
	var info *errdetails.ErrorInfo
	for i, detail := range e.details {
		if found := errorInfo(c, detail); found != nil && found.GetDomain() == p.domain() {
			place, info = i, found
			break
		}
	}
	if place < 0 {
		info = &errdetails.ErrorInfo{Reason: d.own.Reason(), Domain: d.own.Domain()}
		e.details = append([]RawDetail{{}}, e.details...)
		place = 0
	} else if known := p.own().Find(p.domain(), info.GetReason()); known != nil && known != d.own {
		e.notes.add("the number is that of %s, the ErrorInfo says %s, which stands", d.own.Reason(), info.GetReason())
		d.own = known
		agree = false
	}
	if d.free == nil && e.details[place].typeURL != "" {
		return agree
	}
	if e.details[place].json != nil { // JSON stays the JSON that it is
		e.details = append(e.details, parseElement(c, d.free))
		return agree
	}
	addFreeForm(info, d.own, d.free)
	if detail, err := detailOf(info); err == nil {
		e.details[place] = detail
	}
	return agree
}

// addFreeForm puts free-form data into metadata: the members of an object by
// name, anything else under "data"; the members that a schema requires and
// that are empty are nothing.
func addFreeForm(info *errdetails.ErrorInfo, d *Definition, free []byte) {
	members, isObject := objectMembers(free)
	if !isObject {
		members = nil
		if free != nil {
			members = []member{newMember("data", free)}
		}
	}
	required := schemaOf(d)
	for _, m := range textMembers(members) {
		text := unquote(m.value)
		if isObject && emptyOf(required[m.name]) == text && required[m.name] != 0 {
			continue
		}
		if info.Metadata == nil {
			info.Metadata = map[string]string{}
		}
		key := freeKey(m.name, func(key string) bool { _, taken := info.Metadata[key]; return taken })
		info.Metadata[key] = text
	}
}

func containsTyped(elements [][]byte) bool {
	for _, element := range elements {
		if typedElement(element) {
			return true
		}
	}
	return false
}

// typedElement tells whether a JSON element is an object with an "@type".
func typedElement(raw []byte) bool {
	members, _ := objectMembers(raw)
	for _, m := range members {
		if m.name == "@type" && m.value[0] == '"' {
			return true
		}
	}
	return false
}

// markerCode returns the code of a code marker: an object of exactly the two
// members, of which peers that know no duplicates see no more; 0 where the
// element is none.
func markerCode(raw []byte) int32 {
	members, _ := objectMembers(raw)
	typed, coded, number := false, false, int64(0)
	for _, m := range members {
		switch m.name {
		case "@type":
			if s, _ := stringValue(m.value); !typed && s != markerType {
				return 0
			}
			typed = true
		case "code":
			if !coded && isNumber(m.value) {
				number, _ = numberOf(string(m.value))
			}
			coded = true
		default:
			return 0
		}
	}
	if !typed || number < 1 || number >= int64(len(codeTable)) {
		return 0
	}
	return int32(number)
}
