package rpcjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// This file reads the tokens of JSON.

func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek returns the first byte of the next token, 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.at == len(p.in) {
		return 0
	}
	return p.in[p.at]
}

// token reads c if it comes next.
func (p *parser) token(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return p.spacedToken(c)
}

func (p *parser) spacedToken(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] > ' ' || p.peek() != c {
		return false
	}
	p.at++
	return true
}

// literal reads text if it stands here as it is, without any space.
func (p *parser) literal(text string) bool {
	if len(p.in)-p.at < len(text) || string(p.in[p.at:p.at+len(text)]) != text {
		return false
	}
	p.at += len(text)
	return true
}

func (p *parser) null() bool {
	if p.peek() != 'n' || !bytes.HasPrefix(p.in[p.at:], []byte("null")) {
		return false
	}
	// What follows must end the value; members and field ask for that.
	p.at += len("null")
	return true
}

// string reads a string. It is part of the text where it has no escapes, and
// valid as long as the parser.
func (p *parser) string() ([]byte, bool) {
	if !p.token('"') {
		return nil, false
	}
	from := p.at
	p.at += clean(p.in[from:])
	if p.at < len(p.in) && p.in[p.at] == '"' {
		p.at++
		return p.in[from : p.at-1 : p.at-1], true
	}
	return p.unclean(from)
}

// unclean reads on in a string that began at from and is not clean here.
func (p *parser) unclean(from int) ([]byte, bool) {
	ascii := true
	for ; p.at < len(p.in); p.at++ {
		switch c := p.in[p.at]; {
		case c == '"':
			s := p.in[from:p.at:p.at]
			p.at++
			return s, ascii || utf8.Valid(s)
		case c == '\\':
			return p.escaped(from)
		case c < ' ':
			return nil, false
		case c >= 0x80:
			ascii = false
		}
	}
	return nil, false
}

// escaped reads on in a string that began at from and has its first escape
// here.
func (p *parser) escaped(from int) ([]byte, bool) {
	start := len(p.unescaped)
	out := append(p.unescaped, p.in[from:p.at]...)
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		switch {
		case c == '"':
			p.unescaped = out
			s := out[start:len(out):len(out)]
			return s, utf8.Valid(s)
		case c < ' ':
			return nil, false
		case c != '\\':
			out = append(out, c)
			continue
		}
		if p.at == len(p.in) {
			return nil, false
		}
		c = p.in[p.at]
		p.at++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := p.hex()
			if ok && utf16.IsSurrogate(r) {
				if !bytes.HasPrefix(p.in[p.at:], []byte(`\u`)) {
					return nil, false
				}
				p.at += 2
				var low rune
				low, ok = p.hex()
				r = utf16.DecodeRune(r, low)
				ok = ok && r != utf8.RuneError
			}
			if !ok {
				return nil, false
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, false
		}
	}
	return nil, false
}

// hex reads the four digits of an escape.
func (p *parser) hex() (r rune, ok bool) {
	if len(p.in)-p.at < 4 {
		return 0, false
	}
	for range 4 {
		c := p.in[p.at]
		p.at++
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
