package errmap

import (
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// rpcData is what the data member says.
type rpcData struct {
	details []RawDetail
	marker  int32
	own     *Definition // the profile's own error that the number stands for
	free    []byte      // free-form data of such an error
	beside  []member    // the members that MCP has beside details
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
		elements, d.beside, typed = objectDetails(raw)
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
			members, _ := objectMembers(element)
			take(members, &e.notes, "@type", "code")
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
	if e.details[place].typeURL != "" { // an ErrorInfo that came is what is read
		for _, m := range unsaid(d.beside, info, d.own, &e.notes) {
			e.notes.add("member %q beside details dropped: the ErrorInfo in them does not say it", m.name)
		}
		if d.free == nil {
			return agree
		}
	} else {
		addFreeForm(info, d.own, d.beside, &e.notes)
	}
	if e.details[place].json != nil { // JSON stays the JSON that it is
		e.details = append(e.details, parseElement(c, d.free))
		return agree
	}
	addFreeForm(info, d.own, freeMembers(d.free), &e.notes)
	if detail, err := detailOf(info); err == nil {
		e.details[place] = detail
	}
	return agree
}

// freeMembers returns free-form data as members of metadata: those of an object
// by name, anything else under "data".
func freeMembers(free []byte) []member {
	if members, isObject := objectMembers(free); isObject {
		return members
	}
	if free == nil {
		return nil
	}
	return []member{newMember("data", free)}
}

// addFreeForm puts free-form data into metadata.
func addFreeForm(info *errdetails.ErrorInfo, d *Definition, free []member, n *notes) {
	for _, m := range saying(free, d, n) {
		if info.Metadata == nil {
			info.Metadata = map[string]string{}
		}
		key := freeKey(m.name, func(key string) bool { _, taken := info.Metadata[key]; return taken })
		info.Metadata[key] = unquote(m.value)
	}
}

// saying returns the members that say something: those that the schema of MCP
// requires are nothing where they are empty.
func saying(members []member, d *Definition, n *notes) []member {
	required := schemaOf(d)
	return slices.DeleteFunc(textMembers(members, n), func(m member) bool {
		kind, known := required[m.name]
		return known && unquote(m.value) == emptyOf(kind)
	})
}

// unsaid returns the members that the metadata of an ErrorInfo does not say.
func unsaid(members []member, info *errdetails.ErrorInfo, d *Definition, n *notes) []member {
	required := schemaOf(d)
	return slices.DeleteFunc(saying(members, d, n), func(m member) bool {
		text, said := info.GetMetadata()[m.name]
		if kind := required[m.name]; kind == '{' || kind == '[' {
			text = string(schemaValue(kind, text))
		}
		return said && text == unquote(m.value)
	})
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
