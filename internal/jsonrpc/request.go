package jsonrpc

import (
	"fmt"

	"github.com/errmap/errmap/internal/jsontree"
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
	tree := jsontree.Get()
	defer tree.Release()
	root, err := read(tree, body, rules)
	if err != nil {
		return Requests{}, err
	}
	if root.Is(jsontree.Array) {
		return p.requestBatch(root, rules)
	}
	p.requests = append(p.requests, p.request(root, rules))
	return Requests{Items: p.requests}, nil
}

func (p *Parser) requestBatch(batch jsontree.Value, rules Rules) (Requests, error) {
	count, limit := batch.Len(), rules.maxItems()
	switch {
	case rules.Batches == BatchesRefused:
		return Requests{}, invalidRequest("batches are not accepted", nil)
	case count == 0:
		return Requests{}, invalidRequest("the batch is empty", nil)
	}
	for item := batch.First(); item.Exists() && len(p.requests) < limit; item = item.Next() {
		p.requests = append(p.requests, p.request(item, rules))
	}
	if count > limit {
		return Requests{}, invalidRequest(
			fmt.Sprintf("the batch has %d elements, more than %d", count, limit), firstID(p.requests))
	}
	refuseSharedIDs(p.requests)
	return Requests{Batch: true, Items: p.requests}, nil
}

func (p *Parser) request(v jsontree.Value, rules Rules) (request Request) {
	if !v.Is(jsontree.Object) {
		request.Invalid = "the request is not an object"
		return request
	}
	var version, method jsontree.Value
	var twice string
	for m := v.First(); m.Exists(); m = m.Next() {
		switch string(p.name(m)) {
		case "jsonrpc":
			if m.Repeats() {
				twice = "jsonrpc"
				continue
			}
			version = m
		case "id":
			if m.Repeats() {
				// Which of the two is meant, nobody can say.
				request.ID, twice = nil, "id"
				continue
			}
			request.ID = readID(m)
			switch {
			case request.ID == nil:
				request.refuse("the id is no string, number or null")
			case request.ID.IsNull() && rules.NullIDs == NullIDsRefused:
				request.ID = nil
				request.refuse("the id is null")
			}
		case "method":
			if m.Repeats() {
				twice = "method"
				continue
			}
			if method = m; !m.Is(jsontree.String) {
				request.refuse("the method is not a string")
				continue
			}
			request.Method = p.text(m)
		case "params":
			if m.Repeats() {
				twice = "params"
			} else if !m.Is(jsontree.Null) {
				request.Params = m.Raw()
			}
		}
	}
	switch {
	case twice != "":
		request.refuse("the member " + twice + " stands twice")
	case !version.TextIs(Version):
		request.refuse(`the member jsonrpc is not "2.0"`)
	case !method.Exists():
		request.refuse("there is no method")
	}
	return request
}

// refuse makes r invalid, by the first reason that there is.
func (r *Request) refuse(reason string) {
	if r.Invalid == "" {
		r.Invalid = reason
	}
}

// readID returns nil for a value that is no id.
func readID(v jsontree.Value) ID {
	switch v.Kind() {
	case jsontree.String, jsontree.Number, jsontree.Null:
		return v.Raw()
	default:
		return nil
	}
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
