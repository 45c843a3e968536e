package jsonrpc

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
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
	if err := p.open(body, rules); err != nil {
		return Responses{}, err
	}
	batch := p.decoder.PeekKind() == jsontext.KindBeginArray
	if err := p.parseResponseItems(batch, rules); err != nil {
		return Responses{}, err
	}
	if err := p.close(); err != nil {
		return Responses{}, err
	}
	if len(p.responses) == 0 {
		return Responses{}, &Error{Code: CodeInvalidRequest, Message: "the batch of responses is empty", ID: NullID()}
	}
	return Responses{Batch: batch, Items: p.responses}, nil
}

func (p *Parser) parseResponseItems(batch bool, rules Rules) error {
	if !batch {
		response, err := p.parseResponse()
		if err != nil {
			return syntaxError(err)
		}
		p.responses = append(p.responses, response)
		return nil
	}
	limit := rules.MaxItems
	if limit <= 0 {
		limit = DefaultMaxItems
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return syntaxError(err)
	}
	for p.decoder.PeekKind() != jsontext.KindEndArray {
		if len(p.responses) == limit {
			return &Error{
				Code:    CodeInvalidRequest,
				Message: fmt.Sprintf("the batch has more than %d responses", limit),
				ID:      NullID(),
			}
		}
		response, err := p.parseResponse()
		if err != nil {
			return syntaxError(err)
		}
		p.responses = append(p.responses, response)
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return syntaxError(err)
	}
	return nil
}

func (p *Parser) parseResponse() (Response, error) {
	if p.decoder.PeekKind() != jsontext.KindBeginObject {
		return Response{Invalid: "the response is not an object"}, p.decoder.SkipValue()
	}
	var response Response
	var ids, results, errs int
	more := false
	start := p.decoder.InputOffset()
	err := p.members(func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			response.Versioned = true
		case "id":
			ids++
			response.ID = readID(value)
		case "result":
			results++
			response.Result = value
			more = more || value[0] != 'n'
		case "error":
			errs++
			response.Error = value
			if value[0] == 'n' {
				response.Error = nil
			}
		default:
			more = true
		}
	})
	if err != nil {
		return Response{}, err
	}
	if response.Error != nil && (more || ids > 1 || errs > 1) {
		response.Whole = bytes.TrimLeft(p.body[start:p.decoder.InputOffset()], " \t\r\n,")
	}
	switch {
	case ids > 1 || results > 1 || errs > 1:
		if ids > 1 {
			response.ID = nil
		}
		response.Invalid = "a member of the response stands twice"
	case response.Error == nil && response.Result == nil:
		response.Invalid = "the response has neither a result nor an error"
	}
	return response, nil
}
