package errmapmcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	sdkrpc "github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/jsonrpc"
)

// answerBody is the body of an answer between its connection and the SDK.
type answerBody struct {
	ctx    context.Context
	x      *exchange
	source io.ReadCloser
	out    []byte // what goes to the SDK next
	rest   error  // what follows it; nil while the source has more
	once   sync.Once
}

func newAnswerBody(ctx context.Context, x *exchange, source io.ReadCloser) answerBody {
	x.ev.opened()
	return answerBody{ctx: ctx, x: x, source: source}
}

// Close closes the source, and ends the request if it was the last to hold it.
func (b *answerBody) Close() error {
	err := b.source.Close()
	b.once.Do(b.x.ev.closed)
	return err
}

func (b *answerBody) serve(p []byte) int {
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n
}

// after reads what follows what was looked at.
func (b *answerBody) after(p []byte) (int, error) {
	if errors.Is(b.rest, errMore) {
		return b.source.Read(p)
	}
	return 0, b.rest
}

// errMore stands where the source has more that is not looked at.
var errMore = errors.New("errmapmcp: the rest of the body")

// jsonBody is an answer in one JSON value. It is read whole before the SDK sees
// any of it, as the SDK reads it whole too.
type jsonBody struct{ answerBody }

func newJSONBody(ctx context.Context, x *exchange, source io.ReadCloser) io.ReadCloser {
	return &jsonBody{newAnswerBody(ctx, x, source)}
}

// Read serves the body, or what stands in for it.
func (b *jsonBody) Read(p []byte) (int, error) {
	if b.rest == nil {
		b.load()
	}
	if len(b.out) > 0 {
		return b.serve(p), nil
	}
	return b.after(p)
}

func (b *jsonBody) load() {
	limit := b.x.ev.maxMessage
	if limit <= 0 {
		limit = maxEvidence
	}
	body, err := jsonrpc.ReadBody(nil, io.LimitReader(b.source, int64(limit)+1), limit+1)
	b.out, b.rest = body, io.EOF
	switch {
	case err != nil:
		b.x.failed(b.ctx, err)
		b.out = b.x.standInMessage()
	case len(body) > limit && b.x.ev.maxMessage <= 0:
		b.rest = errMore
	case len(body) > limit:
		b.x.note(func() { b.x.tooLarge = tooLarge(tokenReceived, limit) })
		b.out = b.x.standInMessage()
	case !b.x.take(b.ctx, body):
		b.out = b.x.standInMessage()
	}
}

// take looks at a message that should answer the exchange. It is false where the
// SDK must not see it.
func (x *exchange) take(ctx context.Context, message []byte) bool {
	var parser jsonrpc.Parser
	parsed, err := parser.ParseResponses(message, jsonrpc.Rules{MaxDepth: maxDepth})
	if err != nil || parsed.Batch {
		x.unreadable(ctx, message)
		return false
	}
	response := parsed.Items[0]
	absent := response.ID == nil || response.ID.IsNull()
	switch {
	case response.Error != nil && (absent || x.mine(response.ID)):
		x.answer(nil, response.Error)
	case response.Invalid != "":
		x.note(func() { x.problem = ReasonInvalidMessage })
		return false
	case !x.mine(response.ID):
		x.note(func() { x.problem = ReasonUnmatchedID })
		return false
	default:
		x.answer(response.Result, nil)
	}
	if _, err := sdkrpc.DecodeMessage(message); err != nil {
		x.note(func() {
			if x.object == nil {
				x.problem = ReasonInvalidMessage
			}
		})
		return false
	}
	return true
}

// unreadable takes in what is no message. What ends early was cut, whoever did it:
// the server or what stands before it went away within its answer.
func (x *exchange) unreadable(ctx context.Context, message []byte) {
	if cause.EndsEarly(message) {
		x.failed(ctx, io.ErrUnexpectedEOF)
		return
	}
	x.note(func() { x.problem = ReasonInvalidMessage })
}

func (x *exchange) mine(id jsonrpc.ID) bool {
	return id != nil && id.Key() == jsonrpc.ID(x.id).Key()
}

// answer takes in the result or the error that the request was answered with.
func (x *exchange) answer(result, object []byte) {
	x.note(func() {
		x.answered = true
		x.object = bytes.Clone(object)
	})
	x.ev.look(result)
}

// look takes in what a result says that the SDK does not pass on: its type, and
// of a page whether it has an empty cursor, which the SDK cannot tell from none.
func (ev *evidence) look(result []byte) {
	ev.use(func() {
		if result == nil {
			return
		}
		found, _ := members(result, "resultType", "inputRequests", "requestState", "nextCursor")
		ev.resultType = found["resultType"]
		ev.asks = found["inputRequests"].is('{') || found["requestState"].text() != ""
		ev.emptied = string(found["nextCursor"]) == `""`
	})
}

// eventBody is an answer in a stream of events, among other messages. Each event
// reaches the SDK as it stood, once it is complete and was looked at.
type eventBody struct {
	answerBody
	events    *jsonrpc.EventReader
	held      []byte // what was read and not yet looked at
	limit     int
	completed bool
}

func newEventBody(ctx context.Context, x *exchange, source io.ReadCloser) io.ReadCloser {
	b := &eventBody{answerBody: newAnswerBody(ctx, x, source), limit: x.ev.maxMessage}
	if b.limit <= 0 {
		b.limit = maxEvidence
	}
	b.events = jsonrpc.NewEventReader(eventSource{b}, b.limit)
	return b
}

// Read serves the events that were looked at.
func (b *eventBody) Read(p []byte) (int, error) {
	for len(b.out) == 0 && b.rest == nil {
		b.next()
	}
	if len(b.out) > 0 {
		return b.serve(p), nil
	}
	return b.after(p)
}

// next looks at one more event.
func (b *eventBody) next() {
	event, err := b.events.Next()
	switch {
	case err == nil:
		end := eventEnd(b.held)
		b.out, b.held = b.held[:end:end], b.held[end:]
		if len(event.Data) == 0 || len(event.Name) > 0 && string(event.Name) != "message" {
			return // the first event of a stream may be there for its id alone
		}
		if !b.x.takeEvent(b.ctx, event.Data) {
			b.end()
		}
	case errors.Is(err, jsonrpc.ErrEventTooLarge) && b.x.ev.maxMessage <= 0:
		b.out, b.rest = b.held, errMore
	case errors.Is(err, jsonrpc.ErrEventTooLarge):
		b.x.note(func() { b.x.tooLarge = tooLarge(tokenReceived, b.limit) })
		b.end()
	case errors.Is(err, jsonrpc.ErrNotEvents):
		b.takeValue()
		b.end()
	case errors.Is(err, io.EOF):
		b.out, b.rest = b.held, io.EOF
	default:
		b.x.failed(b.ctx, err)
		b.out, b.rest = b.held, err
	}
}

// eventEnd returns where the first event with data ends in a stream: behind the
// empty line after it (HTML standard, section 9.2.6).
func eventEnd(stream []byte) int {
	hasData, start := false, 0
	for start < len(stream) {
		length := bytes.IndexAny(stream[start:], "\r\n")
		if length < 0 {
			break
		}
		line, end := stream[start:start+length], start+length+1
		if stream[end-1] == '\r' && end < len(stream) && stream[end] == '\n' {
			end++
		}
		if len(line) == 0 && hasData {
			return end
		}
		name, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")), []byte{':'})
		hasData = len(line) > 0 && (hasData || string(name) == "data")
		start = end
	}
	return len(stream)
}

// end puts an answer in the place of what is left of the stream.
func (b *eventBody) end() {
	b.out, b.rest = jsonrpc.AppendEvent(nil, "", b.x.standInMessage()), io.EOF
	_ = b.source.Close()
}

// takeValue reads a JSON value that stands where events should: a server that
// names the wrong content type still answers. The stream need not end for that.
func (b *eventBody) takeValue() {
	buffer := make([]byte, 4<<10)
	for {
		b.x.note(func() { b.x.problem = ReasonContentType })
		if !cause.EndsEarly(b.held) {
			b.x.takeValue(b.held)
			return
		}
		n, err := eventSource{b}.Read(buffer)
		if n == 0 && err != nil {
			return
		}
	}
}

// takeEvent looks at a message on the stream of the exchange. It is false where
// the SDK must not see it.
func (x *exchange) takeEvent(ctx context.Context, message []byte) bool {
	var parser jsonrpc.Parser
	parsed, err := parser.ParseResponses(message, jsonrpc.Rules{MaxDepth: maxDepth})
	if err != nil || parsed.Batch {
		x.unreadable(ctx, message)
		return false
	}
	response := parsed.Items[0]
	if response.Result == nil && response.Error == nil || !x.mine(response.ID) {
		// A request or a notification of the server, or an answer to nobody.
		if _, err := sdkrpc.DecodeMessage(message); err != nil {
			x.note(func() { x.problem = ReasonInvalidMessage })
			return false
		}
		return true
	}
	return x.take(ctx, message)
}

// takeValue looks at an answer that stands in the wrong form.
func (x *exchange) takeValue(value []byte) {
	var parser jsonrpc.Parser
	parsed, err := parser.ParseResponses(value, jsonrpc.Rules{MaxDepth: maxDepth})
	if err == nil && !parsed.Batch && parsed.Items[0].Error != nil {
		x.note(func() { x.object = bytes.Clone(parsed.Items[0].Error) })
	}
}

// eventSource reads the source of a body and keeps what it read for the SDK.
type eventSource struct{ b *eventBody }

// Read reads the source. It refuses to keep more than the limit allows for one
// event with what surrounds it: a peer could send comments without end. A stream
// that ends is given the empty line that completes its last event, since the SDK
// takes that event too.
func (s eventSource) Read(p []byte) (int, error) {
	if len(s.b.held) > s.b.limit+maxErrorBody {
		return 0, jsonrpc.ErrEventTooLarge
	}
	n, err := s.b.source.Read(p)
	if n == 0 && errors.Is(err, io.EOF) && !s.b.completed {
		s.b.completed = true
		n, err = copy(p, "\n\n"), nil
	}
	s.b.held = append(s.b.held, p[:n]...)
	return n, err
}
