package jsonrpc

import (
	"fmt"

	"github.com/errmap/errmap/internal/jsontree"
)

// Response is one response object, or what stood in its place.
type Response struct {
	// ID is nil where there is none, or one that is no string, number or
	// null; an error without an id, or with null, answers no request in
	// particular.
	ID ID
	// Result is the value as it stood, null included, and nil where there is
	// no such member.
	Result []byte
	// Error is the value as it stood, of any type, and nil where there is none
	// or null. Where it is not nil, it is the answer, whatever Result says.
	Error []byte
	// Whole is the response as it stood, where it has more than an error, its id
	// and its version: other members, a result that is not null, a member twice.
	Whole []byte
	// Versioned says whether the member "jsonrpc" stands in the object. Answers of
	// version 1.0 have none, and neither have errors of other protocols.
	Versioned bool
	// Invalid is empty where there is an answer, else it says what keeps this
	// from being one. It is never read as a success.
	Invalid string
}

// Responses is what one body answers.
type Responses struct {
	// Batch says whether the body was an array.
	Batch bool
	// Items are the elements in order, exactly one without Batch.
	Items []Response
}

// ParseResponses reads a response or a batch of them. The error is an
// [*Error] of code [CodeParseError] where the body is not JSON, or of
// [CodeInvalidRequest] where it is an array that is empty or beyond the limit.
// Of rules only the limits count.
func (p *Parser) ParseResponses(body []byte, rules Rules) (Responses, error) {
	p.responses, p.scratch = p.responses[:0], p.scratch[:0]
	tree := jsontree.Get()
	defer tree.Release()
	root, err := read(tree, body, rules)
	if err != nil {
		return Responses{}, err
	}
	if !root.Is(jsontree.Array) {
		p.responses = append(p.responses, p.response(root))
		return Responses{Items: p.responses}, nil
	}
	switch count, limit := root.Len(), rules.maxItems(); {
	case count == 0:
		return Responses{}, &Error{Code: CodeInvalidRequest, Message: "the batch of responses is empty", ID: NullID()}
	case count > limit:
		return Responses{}, &Error{
			Code: CodeInvalidRequest, Message: fmt.Sprintf("the batch has more than %d responses", limit), ID: NullID(),
		}
	}
	for item := root.First(); item.Exists(); item = item.Next() {
		p.responses = append(p.responses, p.response(item))
	}
	return Responses{Batch: true, Items: p.responses}, nil
}

func (p *Parser) response(v jsontree.Value) (response Response) {
	if !v.Is(jsontree.Object) {
		response.Invalid = "the response is not an object"
		return response
	}
	twice, more := false, false
	for m := v.First(); m.Exists(); m = m.Next() {
		switch string(p.name(m)) {
		case "jsonrpc":
			response.Versioned = true
			continue
		case "id":
			response.ID = readID(m)
			if m.Repeats() {
				response.ID = nil
			}
		case "result":
			response.Result = m.Raw()
			more = more || !m.Is(jsontree.Null)
		case "error":
			response.Error = m.Raw()
			if m.Is(jsontree.Null) {
				response.Error = nil
			}
		default:
			more = true
			continue
		}
		twice = twice || m.Repeats()
	}
	if response.Error != nil && (more || twice) {
		response.Whole = v.Raw()
	}
	switch {
	case twice:
		response.Invalid = "a member of the response stands twice"
	case response.Error == nil && response.Result == nil:
		response.Invalid = "the response has neither a result nor an error"
	}
	return response
}
