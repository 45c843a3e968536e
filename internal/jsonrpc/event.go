package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// DefaultMaxEventBytes is the size of an event that an [EventReader] allows
// where no other is given.
const DefaultMaxEventBytes = 4 << 20

const eventReadStep = 4 << 10

var (
	// ErrEventTooLarge is what [EventReader.Next] returns for an event, a
	// comment or any other line beyond the limit.
	ErrEventTooLarge = errors.New("jsonrpc: the event is larger than its limit")

	// ErrNotEvents is what [EventReader.Next] returns where the stream begins
	// with something that is plainly no event, such as JSON or HTML.
	ErrNotEvents = errors.New("jsonrpc: the body is not a stream of events")
)

// Event is one server-sent event (HTML standard, section 9.2).
type Event struct {
	// Name is the type of the event, empty where none was given.
	Name []byte
	// Data are the lines of data, joined by line feeds.
	Data []byte
}

// EventReader reads a stream of server-sent events. Comments, unknown fields,
// ids and retry times are passed over, and so is an event without data.
type EventReader struct {
	source io.Reader
	limit  int
	buffer []byte
	unread int
	skipLF bool
	// unmarked says that the byte order mark, if there was one, is behind; it
	// may stand alone in the first bytes that arrive.
	unmarked bool
	started  bool
	name     []byte
	data     []byte
	hasData  bool
	pending  bool
	failure  error
}

// NewEventReader returns a reader of the events in source, each of at most
// limit bytes; 0 means [DefaultMaxEventBytes].
func NewEventReader(source io.Reader, limit int) *EventReader {
	if limit <= 0 {
		limit = DefaultMaxEventBytes
	}
	return &EventReader{source: source, limit: limit}
}

// Next returns the next event with data; it is valid until the following
// call. The error is [io.EOF] where the stream ended between two events,
// [io.ErrUnexpectedEOF] where it ended inside one, [ErrEventTooLarge],
// [ErrNotEvents], or what the source returned. After an error there is no more.
func (r *EventReader) Next() (Event, error) {
	if r.failure != nil {
		return Event{}, r.failure
	}
	event, err := r.next()
	r.failure = err
	return event, err
}

func (r *EventReader) next() (Event, error) {
	r.reset()
	for {
		line, err := r.line()
		if errors.Is(err, io.EOF) && (r.pending || len(line) > 0) {
			return Event{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if r.hasData {
				return Event{Name: r.name, Data: r.data}, nil
			}
			r.reset()
			continue
		}
		if err := r.field(line); err != nil {
			return Event{}, err
		}
	}
}

// field takes in one line that is not empty.
func (r *EventReader) field(line []byte) error {
	if line[0] == ':' {
		return nil
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData, r.pending = true, true
	case "event":
		r.name = append(r.name[:0], value...)
		r.pending = true
	}
	if len(r.data)+len(r.name) > r.limit {
		return ErrEventTooLarge
	}
	return nil
}

func (r *EventReader) reset() {
	r.name, r.data, r.hasData, r.pending = r.name[:0], r.data[:0], false, false
}

// line returns the next line without its end, which is a carriage return, a
// line feed or both. With an error it returns what stood before the end of
// the source.
func (r *EventReader) line() ([]byte, error) {
	scanned := 0
	for {
		if r.skipLF && r.unread < len(r.buffer) {
			if r.buffer[r.unread] == '\n' {
				r.unread++
			}
			r.skipLF = false
		}
		if err := r.begin(); err != nil {
			return nil, err
		}
		rest := r.buffer[r.unread:]
		if i := bytes.IndexAny(rest[scanned:], "\r\n"); i >= 0 {
			end := scanned + i
			r.unread += end + 1
			// The line feed that may follow could be long in coming, and the
			// line is complete without it.
			r.skipLF = rest[end] == '\r'
			return rest[:end], nil
		}
		if len(rest) > r.limit+len("event: ") {
			return nil, ErrEventTooLarge
		}
		if r.started {
			scanned = len(rest)
		}
		if err := r.fill(); err != nil {
			return r.buffer[r.unread:], err
		}
	}
}

// begin looks at the first bytes of the stream, as soon as there are any.
func (r *EventReader) begin() error {
	rest := r.buffer[r.unread:]
	mark := []byte("\xEF\xBB\xBF")
	if r.started || len(rest) < len(mark) && bytes.HasPrefix(mark, rest) {
		return nil
	}
	if !r.unmarked && bytes.HasPrefix(rest, mark) {
		r.unread += len(mark)
		rest = rest[len(mark):]
	}
	r.unmarked = true
	if len(rest) == 0 {
		return nil
	}
	r.started = true
	if bytes.IndexByte([]byte(`{["<`), rest[0]) >= 0 {
		return ErrNotEvents
	}
	return nil
}

// fill reads more of the source behind what is unread.
func (r *EventReader) fill() error {
	if r.unread > 0 {
		r.buffer = r.buffer[:copy(r.buffer, r.buffer[r.unread:])]
		r.unread = 0
	}
	r.buffer = slices.Grow(r.buffer, eventReadStep)
	for {
		n, err := r.source.Read(r.buffer[len(r.buffer):cap(r.buffer)])
		r.buffer = r.buffer[:len(r.buffer)+n]
		if n > 0 {
			// An error that came with bytes comes again without them.
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// AppendEvent appends an event with data, and with a name unless that is
// empty. A line break in data, of any kind, begins a new line of data; name
// must have none.
func AppendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	for {
		i := bytes.IndexAny(data, "\r\n")
		if i < 0 {
			break
		}
		dst = append(append(append(dst, "data: "...), data[:i]...), '\n')
		if bytes.HasPrefix(data[i:], []byte("\r\n")) {
			i++
		}
		data = data[i+1:]
	}
	dst = append(append(dst, "data: "...), data...)
	return append(dst, '\n', '\n')
}

// AppendKeepAlive appends a comment, which every reader passes over.
func AppendKeepAlive(dst []byte) []byte { return append(dst, ":\n\n"...) }
