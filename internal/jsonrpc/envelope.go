package jsonrpc

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/errmap/errmap/internal/jsontree"
)

const (
	// DefaultMaxDepth is the number of arrays and objects inside one another
	// that a parser allows where its rules name no other.
	DefaultMaxDepth = 100

	// DefaultMaxItems is the number of elements of a batch that a parser
	// allows where its rules name no other.
	DefaultMaxItems = 1000
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

func (r Rules) maxDepth() int {
	if r.MaxDepth > 0 {
		return r.MaxDepth
	}
	return DefaultMaxDepth
}

func (r Rules) maxItems() int {
	if r.MaxItems > 0 {
		return r.MaxItems
	}
	return DefaultMaxItems
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

const textNotUTF8 = "the body is not UTF-8"

// Parser reads envelopes. The zero Parser is ready; it may be used again and
// again, for one body at a time. What it returns is valid until its next use
// and as long as the body stays as it is.
type Parser struct {
	scratch   []byte
	requests  []Request
	responses []Response
}

// read parses body into tree.
func read(tree *jsontree.Tree, body []byte, rules Rules) (jsontree.Value, error) {
	if err := tree.Parse(body, rules.maxDepth()); err != nil {
		return jsontree.Value{}, unreadable(body, err, rules)
	}
	// Where the tree repaired a body that is not UTF-8, this character stands.
	if root := tree.Root(); !bytes.Contains(root.Raw(), []byte("\uFFFD")) || utf8.Valid(body) {
		return root, nil
	}
	return jsontree.Value{}, parseError(textNotUTF8)
}

// unreadable says why a body does not parse.
func unreadable(body []byte, err error, rules Rules) *Error {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return parseError("the body begins with a byte order mark")
	case !utf8.Valid(body):
		return parseError(textNotUTF8)
	case errors.Is(err, jsontree.ErrTooDeep):
		return parseError("the body nests more than " + strconv.Itoa(rules.maxDepth()) + " arrays and objects")
	}
	return parseError(err.Error())
}

// text returns what a JSON string says. Where it has no escapes that is a part
// of the body, else it is valid until the parser's next use.
func (p *Parser) text(v jsontree.Value) []byte {
	raw, plain := v.RawText()
	if plain {
		return raw
	}
	start := len(p.scratch)
	p.scratch = v.AppendText(p.scratch)
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}

// name returns the name of a member, as text does. It is valid until the parser
// reads the next text or name.
func (p *Parser) name(m jsontree.Value) []byte {
	raw, plain := m.RawName()
	if plain {
		return raw
	}
	start := len(p.scratch)
	p.scratch = m.AppendNameText(p.scratch)
	name := p.scratch[start:]
	p.scratch = p.scratch[:start]
	return name
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
