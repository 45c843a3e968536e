package explain

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
)

// MaxText is the size of a text that Recognize takes, in bytes: what the decoders
// take as a body.
const MaxText = errmap.DefaultMaxBody

// maxLayers bounds how often one thing may stand in another: a transcript, a
// response, a stream, a log record, a body.
const maxLayers = 12

var (
	// ErrEmpty is returned for a text of nothing but white space.
	ErrEmpty = errors.New("there is nothing: want the text of an error, such as from curl -si URL")
	// ErrSuccess is wrapped by what is returned for a text that is whole and has no
	// error in it.
	ErrSuccess = errors.New("this is a success, and no error")
	// ErrUnknown is wrapped by what is returned for a text in which no error was
	// found.
	ErrUnknown = errors.New("this is no error in a form known here")
	// ErrTooLarge is returned for a text beyond MaxText.
	ErrTooLarge = fmt.Errorf("the text is larger than the limit of %d bytes: want the error alone", MaxText)
)

// Found is an error that was recognized in a text.
type Found struct {
	// Form is the form in which Text is an error; "" where the error is in a form
	// that is none of errmap's, and Error has what is known of it.
	Form translate.Form
	Text []byte
	// Title is what it is, such as "an error of gRPC"; "" for that of the Form.
	Title string
	// Why is what it was recognized by.
	Why string
	// Inside are the things that it stood in, from the outside in, such as "what
	// curl -v prints".
	Inside []string
	// Status is that of the HTTP response it stood in, 0 for none, and Header are
	// the headers of that response.
	Status int
	Header http.Header
	// Error is what is known of an error whose Form is "".
	Error *errmap.Error
	// Facts are what was said and no errmap.Error has a place for.
	Facts []Fact
	// loose says that a success could look the same.
	loose bool
	// again reads it as what came with another HTTP status, nil where that changes
	// nothing but Status.
	again func(status int) Found
	// secrets are what the whole text has of those.
	secrets *secrets
}

// Fact is something that was said, under a label of at most nine letters.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Recognize finds the first error in a text. A profile of JSON-RPC is never guessed.
// It returns ErrEmpty, ErrTooLarge, or an error that wraps ErrSuccess or ErrUnknown,
// none of which repeats what stands in the text.
func Recognize(text []byte) (Found, error) {
	if len(text) > MaxText {
		return Found{}, ErrTooLarge
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return Found{}, ErrEmpty
	}
	f, err := recognize(text, 0)
	if err != nil {
		return Found{}, err
	}
	f.secrets = findSecrets(text)
	return f, nil
}

// recognize finds an error in a text that stands in so many others.
func recognize(text []byte, layer int) (Found, error) {
	if layer > maxLayers {
		return Found{}, fmt.Errorf("%w: it stands in more than %d other things", ErrUnknown, maxLayers)
	}
	if response, ok := splitTranscript(text); ok {
		f, err := response.recognize(layer + 1)
		return f.inside(response.shown), err
	}
	if frames, ok := splitFrames(text); ok {
		return frames.recognize(layer + 1)
	}
	trimmed := bytes.TrimSpace(text)
	if startsJSON(trimmed) {
		return recognizeJSON(trimmed, layer)
	}
	if isEventStream(trimmed) {
		return recognizeEvents(trimmed, layer+1)
	}
	if response, ok := splitHeaders(trimmed); ok {
		return response.recognize(layer + 1)
	}
	return recognizeText(trimmed, layer)
}

// inside notes what an error stood in.
func (f Found) inside(thing string) Found {
	if thing != "" {
		f.Inside = append([]string{thing}, f.Inside...)
	}
	return f
}

// noted adds a fact, unless it says nothing.
func (f Found) noted(label, text string) Found {
	if strings.TrimSpace(text) != "" {
		f.Facts = append(f.Facts, Fact{label, text})
	}
	return f
}

func success(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSuccess, fmt.Sprintf(format, args...))
}

func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnknown, fmt.Sprintf(format, args...))
}

func startsJSON(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// WithStatus returns the error as one that came with that HTTP status, which counts
// more than what was concluded without it.
func (f Found) WithStatus(status int) Found {
	f.Status = status
	if f.again != nil {
		said := f.again(status)
		said.Inside, said.Header, said.secrets = f.Inside, f.Header, f.secrets
		return said
	}
	return f
}
