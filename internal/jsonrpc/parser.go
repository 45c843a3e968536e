package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// BatchesAllowed lets an array be a batch (section 6 of the standard).
	BatchesAllowed Batches = iota
	// BatchesRefused makes an array one invalid request, as MCP wants.
	BatchesRefused
)

const (
	// NullIDsAnswered lets a request have the id null, which section 4 of the
	// standard discourages and allows.
	NullIDsAnswered NullIDs = iota
	// NullIDsRefused makes a request with the id null invalid, as MCP wants.
	NullIDsRefused
)

// Batches says what an array of requests is.
type Batches uint8

// NullIDs says what a request with the id null is.
type NullIDs uint8

// Rules are what a profile decides about envelopes, and the limits of a
// parser. The zero Rules are those of the standard with the default limits.
type Rules struct {
	Batches Batches
	NullIDs NullIDs
	// MaxDepth limits arrays and objects inside one another; 0 means
	// [DefaultMaxDepth].
	MaxDepth int
	// MaxItems limits the elements of a batch; 0 means [DefaultMaxItems].
	MaxItems int
}

// Error says why a body as a whole is no envelope.
type Error struct {
	// Code is [CodeParseError] or [CodeInvalidRequest].
	Code int
	// Message says what is wrong, in words for the developer of the peer.
	Message string
	// ID is the id that the answer bears: null, or for a batch beyond the
	// limit the first that could be read.
	ID ID
}

// Error returns the message and the code.
func (e *Error) Error() string {
	return "jsonrpc: " + e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

// Parser reads envelopes. The zero Parser is ready; it may be used again and
// again, for one body at a time. What it returns is valid until its next use
// and as long as the body stays as it is.
type Parser struct {
	decoder   jsontext.Decoder
	source    bytes.Buffer
	body      []byte
	scratch   []byte
	requests  []Request
	responses []Response
}

// open starts on body after the checks that need no parser.
func (p *Parser) open(body []byte, rules Rules) error {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return parseError("the body begins with a byte order mark")
	case !utf8.Valid(body):
		return parseError("the body is not UTF-8")
	}
	limit := rules.MaxDepth
	if limit <= 0 {
		limit = DefaultMaxDepth
	}
	if tooDeep(body, limit) {
		return parseError(fmt.Sprintf("the body nests more than %d arrays and objects", limit))
	}
	p.body = body
	p.source = *bytes.NewBuffer(body)
	// Duplicates are looked for only among the members of an envelope, and the
	// UTF-8 of the body was checked above; what is left of the option is that
	// an escaped lone surrogate is no error.
	p.decoder.Reset(&p.source, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return nil
}

// close checks that nothing follows the value.
func (p *Parser) close() error {
	_, err := p.decoder.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return parseError("there are bytes after the JSON value")
	}
	return syntaxError(err)
}

// value reads one value and returns its bytes in the body.
func (p *Parser) value() ([]byte, error) {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(p.decoder.InputOffset())
	return p.body[end-len(value) : end : end], nil
}

// text returns what a JSON string says. Where it has no escapes that is a part
// of the body, else it is valid until the parser's next use.
func (p *Parser) text(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		end := len(quoted) - 1
		return quoted[1:end:end]
	}
	start := len(p.scratch)
	p.scratch, _ = jsontext.AppendUnquote(p.scratch, quoted)
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}

// members calls each for the members of the object that comes next.
func (p *Parser) members(each func(name, value []byte)) error {
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	for p.decoder.PeekKind() != jsontext.KindEndObject {
		name, err := p.value()
		if err != nil {
			return err
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		each(p.text(name), value)
	}
	_, err := p.decoder.ReadToken()
	return err
}

func parseError(message string) *Error {
	return &Error{Code: CodeParseError, Message: "Parse error: " + message, ID: NullID()}
}

func invalidRequest(message string, id ID) *Error {
	if id == nil {
		id = NullID()
	}
	return &Error{Code: CodeInvalidRequest, Message: "Invalid Request: " + message, ID: id}
}

// syntaxError keeps of the library's error what is wrong and where; the path
// to it is made of the peer's own bytes and has no limit.
func syntaxError(err error) *Error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return parseError("the body ends too early")
	case ok && syntactic.Err != nil:
		return parseError(fmt.Sprintf("%v at byte %d", syntactic.Err, syntactic.ByteOffset))
	}
	return parseError("the body is not JSON")
}
