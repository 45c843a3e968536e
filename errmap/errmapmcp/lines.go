package errmapmcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/errmap/errmap/internal/cause"
	rpc "github.com/errmap/errmap/internal/jsonrpc"
)

// lineConn is a connection of one JSON-RPC message a line, as MCP has it on
// stdio. Unlike the SDK's it keeps an error object as it stood, takes a message
// with a malformed one for the answer that it is, and says why it ended.
type lineConn struct {
	reader io.ReadCloser
	writer io.WriteCloser
	limit  int
	// explain returns why the connection ended, given the error of a read or a
	// write.
	explain func(error) *Error

	incoming chan incoming
	outgoing chan outgoing
	done     chan struct{}
	once     sync.Once
	closeErr error
	queue    []jsonrpc.Message // of Read only
}

type incoming struct {
	line []byte
	err  error
}

type outgoing struct {
	line    []byte
	written chan<- error
}

// newLineConn starts to read. limit is the most bytes of a line, 0 for the SDK's
// default.
func newLineConn(reader io.ReadCloser, writer io.WriteCloser, limit int, explain func(error) *Error) *lineConn {
	c := &lineConn{
		reader: reader, writer: writer, limit: limit, explain: explain,
		incoming: make(chan incoming), outgoing: make(chan outgoing), done: make(chan struct{}),
	}
	if c.limit <= 0 {
		c.limit = maxEvidence
	}
	go c.scan()
	go c.print()
	return c
}

// SessionID returns "": stdio has no sessions.
func (c *lineConn) SessionID() string { return "" }

// Read returns the next message.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.done:
			return nil, io.EOF
		case in := <-c.incoming:
			if in.err != nil {
				return nil, &fault{c.explain(in.err)}
			}
			messages, err := decodeLine(in.line)
			switch {
			case err != nil && !bytes.HasSuffix(in.line, []byte("\n")) && cause.EndsEarly(in.line):
				return nil, &fault{c.explain(fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err))} // the peer went away within it
			case err != nil:
				return nil, &fault{newError(KindProtocol, ReasonInvalidMessage, WithCause(err))}
			}
			c.queue = messages
		}
	}
	msg := c.queue[0]
	c.queue = c.queue[1:]
	return msg, nil
}

// Write writes a message as one line. Where the peer does not read, it returns
// when ctx ends; a line that was begun is still written whole.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("errmapmcp: the message has no JSON: %w", err)
	}
	written := make(chan error, 1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return &fault{c.explain(io.ErrClosedPipe)}
	case c.outgoing <- outgoing{append(line, '\n'), written}:
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-written:
		if err != nil {
			return &fault{c.explain(err)}
		}
		return nil
	}
}

// Close closes both directions.
func (c *lineConn) Close() error {
	c.once.Do(func() {
		close(c.done)
		c.closeErr = errors.Join(c.writer.Close(), c.reader.Close())
	})
	return c.closeErr
}

// scan reads lines until there are no more. It ends when the reader does, which
// Close sees to.
func (c *lineConn) scan() {
	reader := bufio.NewReader(c.reader)
	for {
		line, err := readLine(reader, c.limit)
		if len(bytes.TrimSpace(line)) == 0 && err == nil {
			continue
		}
		select {
		case c.incoming <- incoming{line, err}:
		case <-c.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// print writes lines until the connection is closed, which ends a write too.
func (c *lineConn) print() {
	for {
		select {
		case <-c.done:
			return
		case out := <-c.outgoing:
			_, err := c.writer.Write(out.line)
			out.written <- err
		}
	}
}

// readLine returns the next line in memory of its own. What stands behind the
// last line end counts as a line too; a line over the limit is a fault.
func readLine(reader *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		if len(bytes.TrimRight(line, "\r\n")) > limit {
			return nil, &fault{tooLarge(tokenReceived, limit)}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}

// decodeLine returns the messages of a line: one, or those of a batch, which MCP
// had before 2025-06-18.
func decodeLine(line []byte) ([]jsonrpc.Message, error) {
	var parser rpc.Parser
	parsed, err := parser.ParseResponses(line, rpc.Rules{MaxDepth: maxDepth})
	if err != nil {
		return nil, err
	}
	if !parsed.Batch {
		msg, err := decodeMessage(line, parsed.Items[0])
		return []jsonrpc.Message{msg}, err
	}
	var messages []jsonrpc.Message
	for i, element := range elements(line) {
		msg, err := decodeMessage(element, parsed.Items[i])
		if err != nil {
			return nil, err
		}
		messages = append(messages, msg)
	}
	return messages, nil
}

// decodeMessage returns a message, given what it is as a response.
func decodeMessage(text []byte, response rpc.Response) (jsonrpc.Message, error) {
	if response.Error == nil || response.ID == nil || response.ID.IsNull() {
		return jsonrpc.DecodeMessage(text)
	}
	// The SDK reads the id, out of a message that it accepts.
	blank := rpc.AppendError(nil, response.ID, rpc.CodeInternalError, "")
	msg, err := jsonrpc.DecodeMessage(blank)
	if err != nil {
		return nil, err
	}
	if decoded, ok := msg.(*jsonrpc.Response); ok {
		decoded.Error = &fault{FromRPCError(response.Error)}
	}
	return msg, nil
}
