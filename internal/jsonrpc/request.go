package jsonrpc

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	seenVersion = 1 << iota
	seenID
	seenMethod
	seenParams
)

// Request is one request object, or what stood in its place.
type Request struct {
	// ID is nil for a notification, and where the id could not be read.
	ID ID
	// Method is the name, unquoted.
	Method []byte
	// Params is the value as it stood, of any type, and nil where there was
	// none or null.
	Params []byte
	// Invalid is empty for a request of the standard, else it says what keeps
	// this from being one. Such an element is answered with
	// [CodeInvalidRequest], also without an id.
	Invalid string
}

// IsNotification reports whether r must not be answered.
func (r *Request) IsNotification() bool { return r.Invalid == "" && r.ID == nil }

// Requests is what one body asks for.
type Requests struct {
	// Batch says whether the body was an array, so whether the answer is one.
	Batch bool
	// Items are the elements in order, exactly one without Batch.
	Items []Request
}

// ParseRequests reads a request or a batch of them. The error is an [*Error];
// the elements of a valid batch fail one by one, each by its Invalid.
func (p *Parser) ParseRequests(body []byte, rules Rules) (Requests, error) {
	p.requests, p.scratch = p.requests[:0], p.scratch[:0]
	if utf8.Valid(body) {
		if request, ok := scanRequest(body, rules); ok {
			p.requests = append(p.requests, request)
			return Requests{Items: p.requests}, nil
		}
	}
	return p.decodeRequests(body, rules)
}

// decodeRequests is ParseRequests for any body.
func (p *Parser) decodeRequests(body []byte, rules Rules) (Requests, error) {
	if err := p.open(body, rules); err != nil {
		return Requests{}, err
	}
	if p.decoder.PeekKind() == jsontext.KindBeginArray {
		return p.parseRequestBatch(rules)
	}
	request, err := p.parseRequest(rules)
	if err != nil {
		return Requests{}, syntaxError(err)
	}
	if err := p.close(); err != nil {
		return Requests{}, err
	}
	p.requests = append(p.requests, request)
	return Requests{Items: p.requests}, nil
}

func (p *Parser) parseRequestBatch(rules Rules) (Requests, error) {
	limit := rules.MaxItems
	if limit <= 0 {
		limit = DefaultMaxItems
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return Requests{}, syntaxError(err)
	}
	count := 0
	for ; p.decoder.PeekKind() != jsontext.KindEndArray; count++ {
		// Elements beyond the limit are still read, because a body that is not
		// JSON is a parse error whatever its size.
		if count >= limit {
			if err := p.decoder.SkipValue(); err != nil {
				return Requests{}, syntaxError(err)
			}
			continue
		}
		request, err := p.parseRequest(rules)
		if err != nil {
			return Requests{}, syntaxError(err)
		}
		p.requests = append(p.requests, request)
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return Requests{}, syntaxError(err)
	}
	if err := p.close(); err != nil {
		return Requests{}, err
	}
	switch {
	case rules.Batches == BatchesRefused:
		return Requests{}, invalidRequest("batches are not accepted", nil)
	case count == 0:
		return Requests{}, invalidRequest("the batch is empty", nil)
	case count > limit:
		return Requests{}, invalidRequest(
			fmt.Sprintf("the batch has %d elements, more than %d", count, limit), firstID(p.requests))
	}
	refuseSharedIDs(p.requests)
	return Requests{Batch: true, Items: p.requests}, nil
}

func (p *Parser) parseRequest(rules Rules) (Request, error) {
	if p.decoder.PeekKind() != jsontext.KindBeginObject {
		return Request{Invalid: "the request is not an object"}, p.decoder.SkipValue()
	}
	var request Request
	seen, version := 0, []byte(nil)
	twice := ""
	mark := func(member int, name string) bool {
		if seen&member != 0 {
			twice = name
			return false
		}
		seen |= member
		return true
	}
	invalid := func(reason string) {
		if request.Invalid == "" {
			request.Invalid = reason
		}
	}
	err := p.members(func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			if mark(seenVersion, "jsonrpc") && value[0] == '"' {
				version = p.text(value)
			}
		case "id":
			if !mark(seenID, "id") {
				// Which of the two is meant, nobody can say.
				request.ID = nil
				return
			}
			request.ID = readID(value)
			switch {
			case request.ID == nil:
				invalid("the id is no string, number or null")
			case request.ID.IsNull() && rules.NullIDs == NullIDsRefused:
				request.ID = nil
				invalid("the id is null")
			}
		case "method":
			if mark(seenMethod, "method") {
				if value[0] != '"' {
					invalid("the method is not a string")
					return
				}
				request.Method = p.text(value)
			}
		case "params":
			if mark(seenParams, "params") && value[0] != 'n' {
				request.Params = value
			}
		}
	})
	if err != nil {
		return Request{}, err
	}
	switch {
	case twice != "":
		invalid("the member " + twice + " stands twice")
	case string(version) != Version:
		invalid(`the member jsonrpc is not "2.0"`)
	case seen&seenMethod == 0:
		invalid("there is no method")
	}
	return request, nil
}

// readID returns nil for a value that is no id.
func readID(value []byte) ID {
	switch c := value[0]; {
	case c == '"', c == 'n', c == '-', '0' <= c && c <= '9':
		return value
	}
	return nil
}

func firstID(requests []Request) ID {
	for i := range requests {
		if requests[i].ID != nil {
			return requests[i].ID
		}
	}
	return nil
}

// refuseSharedIDs makes every request invalid whose id, null excepted, another
// request of the batch has too: the client could not tell the answers apart.
func refuseSharedIDs(requests []Request) {
	if len(requests) < 2 {
		return
	}
	first := make(map[string]int, len(requests))
	for i := range requests {
		id := requests[i].ID
		if id == nil || id.IsNull() {
			continue
		}
		key := id.Key()
		j, shared := first[key]
		if !shared {
			first[key] = i
			continue
		}
		requests[i].Invalid = "the id stands more than once in the batch"
		requests[j].Invalid = requests[i].Invalid
	}
}
