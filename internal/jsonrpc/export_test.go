package jsonrpc

// DecodeRequests is ParseRequests without its short way.
func (p *Parser) DecodeRequests(body []byte, rules Rules) (Requests, error) {
	p.requests, p.scratch = p.requests[:0], p.scratch[:0]
	return p.decodeRequests(body, rules)
}

// Scans tells whether the short way takes a body.
func Scans(body []byte, rules Rules) bool {
	_, ok := scanRequest(body, rules)
	return ok
}
