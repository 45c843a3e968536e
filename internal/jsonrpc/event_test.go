package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/jsonrpc"
)

// readEvents renders each event as name|data and the error that ended them.
func readEvents(source io.Reader, limit int) []string {
	reader := jsonrpc.NewEventReader(source, limit)
	var got []string
	for {
		event, err := reader.Next()
		if err != nil {
			return append(got, err.Error())
		}
		got = append(got, fmt.Sprintf("%s|%s", event.Name, event.Data))
	}
}

func TestEventReader_Next(t *testing.T) {
	t.Parallel()
	tests := []struct {
		settles string // of the HTML standard, section 9.2.6, unless it says otherwise
		stream  string
		want    []string
	}{
		{"lines end in LF, CR or both", "data: a\n\ndata: b\r\rdata: c\r\n\r\n", []string{"|a", "|b", "|c", "EOF"}},
		{"one space after the colon goes", "data:a\n\ndata:  b\n\ndata\n\n", []string{"|a", "| b", "|", "EOF"}},
		{"lines of data are joined", "data: a\ndata: b\ndata:\n\n", []string{"|a\nb\n", "EOF"}},
		{"the last name counts, for one event", "event: x\nevent: y\ndata: a\n\ndata: b\n\n", []string{"y|a", "|b", "EOF"}},
		{"an event without data is none", "event: x\n\ndata: a\n\n", []string{"|a", "EOF"}},
		{"comments and unknown fields are passed over", ": hello\n\nid: 7\nretry: 10\nfoo: bar\nbaz\n\n:\ndata: a\n\n", []string{"|a", "EOF"}},
		{"a byte order mark may come first", "\xEF\xBB\xBFdata: a\n\n", []string{"|a", "EOF"}},
		{"a byte order mark before a line end", "\xEF\xBB\xBF\ndata: a\n\n", []string{"|a", "EOF"}},
		{"an event without its blank line was cut off", "data: a\n\ndata: b\n", []string{"|a", "unexpected EOF"}},
		{"a line without its end was cut off", "data: a\n\ndat", []string{"|a", "unexpected EOF"}},
		{"nothing at all is an end", "", []string{"EOF"}},
		{"only comments are an end", ":\n\n:\n\n", []string{"EOF"}},
		{"what begins as JSON is no event (own choice)", `{"jsonrpc":"2.0","id":1,"result":1}`, []string{jsonrpc.ErrNotEvents.Error()}},
		{"what begins as JSON behind a byte order mark is no event either", "\xEF\xBB\xBF[]", []string{jsonrpc.ErrNotEvents.Error()}},
		{"what begins as HTML is no event (own choice)", "<html>", []string{jsonrpc.ErrNotEvents.Error()}},
	}
	for _, test := range tests {
		t.Run(test.settles, func(t *testing.T) {
			t.Parallel()
			for name, source := range map[string]io.Reader{
				"whole":     strings.NewReader(test.stream),
				"bytewise":  iotest.OneByteReader(strings.NewReader(test.stream)),
				"with data": iotest.DataErrReader(strings.NewReader(test.stream)),
			} {
				if diff := cmp.Diff(test.want, readEvents(source, 0)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestEventReader_Next_doesNotWaitForLineFeed(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	defer writer.Close()
	go func() { _, _ = writer.Write([]byte("data: a\r\r")) }()
	event, err := jsonrpc.NewEventReader(reader, 0).Next()
	if err != nil || string(event.Data) != "a" {
		t.Errorf("got %q and %v, want a at once", event.Data, err)
	}
}

func TestEventReader_Next_limits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	tests := map[string]struct {
		stream string
		want   []string
	}{
		"one line":    {"data: " + long + "\n\n", []string{jsonrpc.ErrEventTooLarge.Error()}},
		"many lines":  {strings.Repeat("data: 12345\n", 20) + "\n", []string{jsonrpc.ErrEventTooLarge.Error()}},
		"a comment":   {":" + long, []string{jsonrpc.ErrEventTooLarge.Error()}},
		"no line end": {long, []string{jsonrpc.ErrEventTooLarge.Error()}},
		"many events": {strings.Repeat("data: 1234567890\n\n", 20), append(slicesOf("|1234567890", 20), "EOF")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readEvents(iotest.OneByteReader(strings.NewReader(test.stream)), 50)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventReader_Next_errorOfTheSource(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	source := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n\nda"), iotest.ErrReader(broken))
	reader := jsonrpc.NewEventReader(source, 0)
	for range 2 {
		if _, err := reader.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := reader.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v, want the error of the source, each time", err)
		}
	}
}

func TestAppendEvent(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, want string }{
		{"", `{"a":1}`, "data: {\"a\":1}\n\n"},
		{"error", "{}", "event: error\ndata: {}\n\n"},
		{"", "a\r\nb\nc\rd\n", "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
		{"", "", "data: \n\n"},
	}
	for _, test := range tests {
		if got := string(jsonrpc.AppendEvent(nil, test.name, []byte(test.data))); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if got := readEvents(strings.NewReader(string(jsonrpc.AppendKeepAlive(nil))), 0); !cmp.Equal(got, []string{"EOF"}) {
		t.Errorf("a keep-alive reads as %q, want nothing", got)
	}
}

func slicesOf(value string, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = value
	}
	return values
}
