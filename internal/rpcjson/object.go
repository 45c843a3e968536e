package rpcjson

import (
	"bytes"
	"encoding/base64"
)

// maxSkip is how deep a value that is passed over may nest.
const maxSkip = 32

// markerURL is the "@type" of the code marker of JSON-RPC.
const markerURL = "type.googleapis.com/google.rpc.Status"

// Object is an error object all of whose parts are plain.
type Object struct {
	// Code is the token of a number, or the content of a string. It is a part of
	// the text.
	Code []byte
	// Message is what the member says, "" without it.
	Message string
	// Marker is the code of the code marker that ends the data, 0 without one.
	Marker int32
}

// ParseRPC reads an error object of JSON-RPC: an integer code, a message, and data
// that is an array of details and at most a code marker behind them. It calls add
// for each detail. It reports false for any other text, and then add may have been
// called.
func ParseRPC(text []byte, add func(typeURL string, value []byte)) (o Object, ok bool) {
	p := parser{in: text[:len(text):len(text)]}
	code := func() bool {
		o.Code, ok = p.integer()
		return ok
	}
	data := func() bool {
		if o.Marker != 0 {
			return false // something behind the marker
		}
		typeURL, value, marker, ok := p.typed()
		if ok && marker == 0 {
			add(typeURL, value)
		}
		o.Marker = marker
		return ok
	}
	ok = p.errorObject(&o, "data", code, data)
	return o, ok
}

// ParseConnect reads an error of the Connect protocol: a code that is a string, a
// message, and details with a type and a value. It calls add for each detail, with
// its bare type name and, for the details of google.rpc, its type URL. It reports
// false for any other text, and then add may have been called.
func ParseConnect(text []byte, add func(name []byte, typeURL string, value []byte)) (o Object, ok bool) {
	p := parser{in: text[:len(text):len(text)]}
	code := func() bool {
		o.Code, ok = p.string()
		return ok
	}
	details := func() bool {
		name, value, ok := p.connectDetail()
		if ok {
			typeURL := ""
			if m := named(name); m != nil {
				typeURL = m.url
			}
			add(name, typeURL, value)
		}
		return ok
	}
	ok = p.errorObject(&o, "details", code, details)
	return o, ok
}

// errorObject reads the members code, message and list, each at most once, the first
// at least, and nothing else.
func (p *parser) errorObject(o *Object, list string, code, element func() bool) bool {
	if !p.token('{') {
		return false
	}
	var seen [3]bool
	for more := false; ; more = true {
		var place int
		var ok bool
		switch { // what a writer like ours writes
		case !more && p.literal(`"code":`):
			place = 0
		case more && p.literal(`,"message":`):
			place = 1
		default:
			if more && p.token('}') {
				p.space()
				return seen[0] && p.at == len(p.in)
			}
			if more && !p.token(',') {
				return false
			}
			name, ok := p.string()
			if !ok || !p.token(':') {
				return false
			}
			switch string(name) {
			case "code":
				place = 0
			case "message":
				place = 1
			case list:
				place = 2
			default:
				return false
			}
		}
		if seen[place] {
			return false
		}
		seen[place] = true
		switch place {
		case 0:
			ok = code()
		case 1:
			var s []byte
			s, ok = p.string()
			o.Message = string(s)
		default:
			ok = p.elements(element)
		}
		if !ok {
			return false
		}
	}
}

// elements reads an array of at least one element.
func (p *parser) elements(element func() bool) bool {
	if !p.token('[') {
		return false
	}
	for {
		if !element() {
			return false
		}
		if p.token(']') {
			return true
		}
		if !p.token(',') {
			return false
		}
	}
}

// typed reads one detail, or a code marker.
func (p *parser) typed() (typeURL string, value []byte, marker int32, ok bool) {
	m, url, ok := p.head()
	if !ok {
		return "", nil, 0, false
	}
	if m == nil {
		marker, ok = p.marker(url)
		return "", nil, marker, ok
	}
	p.out = make([]byte, 0, p.room(m))
	if !p.members(m, true) {
		return "", nil, 0, false
	}
	return m.typeURL(url), p.out, 0, true
}

// typeURL returns url as a string: without a copy where it is that of m.
func (m *message) typeURL(url []byte) string {
	if url == nil || string(url) == m.url {
		return m.url
	}
	return string(url)
}

// head reads the beginning of an Any up to its "@type"; the type is nil where it
// is none of the details, and the URL where it is the type's own.
func (p *parser) head() (m *message, url []byte, ok bool) {
	if p.literal(errorInfo.head) {
		return errorInfo, nil, true
	}
	if !p.token('{') {
		return nil, nil, false
	}
	name, ok := p.string()
	if !ok || string(name) != "@type" || !p.token(':') {
		return nil, nil, false
	}
	url, ok = p.string()
	return typeOf(url), url, ok
}

// room bounds the wire bytes of the object that goes on here: names and quotes
// take more room than tags and lengths do. It looks for the end of the object by
// its braces alone, which is enough for a guess.
func (p *parser) room(m *message) int {
	if m == errorInfo {
		// Most often its metadata end here.
		if n := bytes.IndexByte(p.in[p.at:], '}'); n >= 0 {
			return n
		}
	}
	depth := 1
	for i := p.at; i < len(p.in); i++ {
		switch p.in[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i - p.at
			}
		}
	}
	return len(p.in) - p.at
}

// marker reads the rest of a code marker: the one member code, 1 to 16.
func (p *parser) marker(url []byte) (int32, bool) {
	if string(url) != markerURL || !p.token(',') {
		return 0, false
	}
	name, ok := p.string()
	if !ok || string(name) != "code" || !p.token(':') {
		return 0, false
	}
	token, ok := p.integer()
	if !ok || !p.token('}') || len(token) > 2 || token[0] == '-' {
		return 0, false
	}
	n := int32(0)
	for _, digit := range token {
		n = 10*n + int32(digit-'0')
	}
	return n, n >= 1 && n <= 16
}

// connectDetail reads one element of details: type, value and debug, each at most
// once, the first two at least.
func (p *parser) connectDetail() (name, value []byte, ok bool) {
	if !p.token('{') {
		return nil, nil, false
	}
	var typed, debugged bool
	for more := false; ; more = true {
		if more && p.token('}') {
			return name, value, typed && value != nil
		}
		if more && !p.token(',') {
			return nil, nil, false
		}
		member, ok := p.string()
		if !ok || !p.token(':') {
			return nil, nil, false
		}
		switch {
		case string(member) == "type" && !typed:
			typed = true
			name, ok = p.string()
		case string(member) == "value" && value == nil:
			var text []byte
			if text, ok = p.string(); ok {
				value, ok = unpad(text)
			}
		case string(member) == "debug" && !debugged:
			debugged = true
			ok = p.skip(0)
		default:
			return nil, nil, false
		}
		if !ok {
			return nil, nil, false
		}
	}
}

// unpad decodes base64 in the standard alphabet, padded or not; never nil where
// it is ok.
func unpad(text []byte) ([]byte, bool) {
	for len(text) > 0 && text[len(text)-1] == '=' {
		text = text[:len(text)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, err := base64.RawStdEncoding.Decode(out, text)
	return out[:n], err == nil
}

// integer reads a number token that is an integer without exponent.
func (p *parser) integer() ([]byte, bool) {
	p.space()
	from := p.at
	if p.at < len(p.in) && p.in[p.at] == '-' {
		p.at++
	}
	digits := p.at
	for p.at < len(p.in) && p.in[p.at] >= '0' && p.in[p.at] <= '9' {
		p.at++
	}
	if p.at == digits || p.in[digits] == '0' && p.at > digits+1 {
		return nil, false
	}
	if p.at < len(p.in) {
		switch p.in[p.at] {
		case '.', 'e', 'E':
			return nil, false
		}
	}
	return p.in[from:p.at], true
}

// skip passes over one value.
func (p *parser) skip(depth int) bool {
	if depth > maxSkip {
		return false
	}
	switch c := p.peek(); c {
	case '"':
		_, ok := p.string()
		return ok
	case '{', '[':
		p.at++
		end := c + 2 // '}' and ']' are two behind
		if p.token(end) {
			return true
		}
		for {
			if c == '{' {
				if _, ok := p.string(); !ok || !p.token(':') {
					return false
				}
			}
			if !p.skip(depth + 1) {
				return false
			}
			if p.token(end) {
				return true
			}
			if !p.token(',') {
				return false
			}
		}
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.word("null")
	}
	_, ok := p.integer()
	return ok
}

func (p *parser) word(w string) bool {
	if len(p.in)-p.at < len(w) || string(p.in[p.at:p.at+len(w)]) != w {
		return false
	}
	p.at += len(w)
	return true
}
