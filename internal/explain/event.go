package explain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/jsonrpc"
)

var (
	eventLine  = regexp.MustCompile(`(?m)^data:`)
	eventStart = regexp.MustCompile(`^(?:data|event|id|retry)?:`)
)

// isEventStream tells whether a text is server-sent events (HTML, section 9.2).
func isEventStream(text []byte) bool { return eventStart.Match(text) && eventLine.Match(text) }

// recognizeEvents finds the first event that is an error: by its data, or by its name
// alone.
func recognizeEvents(text []byte, layer int) (Found, error) {
	events := jsonrpc.NewEventReader(io.MultiReader(bytes.NewReader(text), bytes.NewReader([]byte("\n\n"))), MaxText)
	count := 0
	for count < maxValues {
		event, err := events.Next()
		if err != nil {
			break
		}
		count++
		where := fmt.Sprintf("event %d of a stream", count)
		named := bytes.Equal(event.Name, []byte("error")) || bytes.HasSuffix(event.Name, []byte(".failed"))
		data := bytes.TrimSpace(event.Data)
		if startsJSON(data) {
			f, err := recognizeValue(data, layer+1, !named)
			if err == nil {
				return f.inside(where), nil
			}
			if f, ok := nested(data, layer); ok {
				return f.inside(where), nil
			}
			if named && errors.Is(err, ErrUnknown) {
				return Found{Title: "an event whose name is that of an error", Why: "its name", Error: errmap.NewCode(codeUnknown, clip(string(data), 500))}.inside(where), nil
			}
			continue
		}
		if named {
			f, err := recognizeText(data, layer+1)
			if err != nil {
				f = Found{Title: "an event whose name is that of an error", Why: "its name", Error: errmap.NewCode(codeUnknown, clip(string(data), 500))}
			}
			return f.inside(where), nil
		}
	}
	if count == 0 {
		return Found{}, unknown("a stream of events without a whole one")
	}
	return Found{}, success("a stream with %d events, none of which is an error", count)
}

// nested finds an error in a member response or error of an event, as streams of
// several services have it.
func nested(data []byte, layer int) (Found, bool) {
	members, ok := readMembers(data)
	if !ok {
		return Found{}, false
	}
	for _, name := range []string{"response", "error", "result", "data"} {
		if members[name].Kind() != '{' {
			continue
		}
		if f, err := recognizeValue(members[name], layer+2, true); err == nil {
			return f, true
		}
	}
	return Found{}, false
}
