package errmaptest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// maxNested is how many arrays an output may have for its difference to be told
// by cmp.
const maxNested = 16

// Answer is what a translation made of the input of a Vector.
type Answer struct {
	// Output is the error in its new form.
	Output []byte
	// HTTPStatus is that of an HTTP answer with Output, 0 for none.
	HTTPStatus int
	// Notes are what was dropped or repaired.
	Notes []string
	// Err is why there is no Output.
	Err error
}

// Diff reports how an answer differs from what the vector wants, "" where it does
// not. JSON is compared by its values, numbers by their tokens; members may come
// in any order. Details that are base64 are compared as the messages that they
// are where their type is linked.
func (v *Vector) Diff(got Answer) string {
	if v.Error || got.Err != nil {
		switch {
		case !v.Error:
			return fmt.Sprintf("failed: %v, want %s", got.Err, v.OutputText())
		case got.Err == nil:
			return fmt.Sprintf("got %s, want a failure", got.Output)
		}
		return ""
	}
	var b strings.Builder
	want, err := readOutput(v.To, v.OutputText())
	if err != nil {
		fmt.Fprintf(&b, "the vector's output is malformed: %v\n", err)
	}
	have, err := readOutput(v.To, got.Output)
	if err != nil {
		fmt.Fprintf(&b, "the output is malformed: %v: %s\n", err, got.Output)
	}
	switch text := v.OutputText(); {
	case same(want, have):
	case bytes.Count(text, []byte("[")) > maxNested: // cmp takes twice as long for each level
		fmt.Fprintf(&b, "got %s, want %s\n", got.Output, text)
	default:
		b.WriteString(cmp.Diff(want, have, protocmp.Transform()))
	}
	if v.OutputHTTPStatus != got.HTTPStatus {
		fmt.Fprintf(&b, "HTTP status %d, want %d\n", got.HTTPStatus, v.OutputHTTPStatus)
	}
	b.WriteString(v.Notes.diff(got.Notes))
	return b.String()
}

func (n *Notes) diff(got []string) string {
	switch {
	case n == nil:
		return ""
	case n.Some && len(got) == 0:
		return "no note, want some\n"
	case !n.Some && len(got) > 0:
		return fmt.Sprintf("notes %q, want none\n", got)
	}
	var b strings.Builder
	for _, part := range n.Parts {
		if !strings.Contains(strings.Join(got, "\n"), part) {
			fmt.Fprintf(&b, "no note with %q in %q\n", part, got)
		}
	}
	return b.String()
}

// same tells whether two values of readOutput are equal.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case proto.Message:
		b, ok := b.(proto.Message)
		return ok && proto.Equal(a, b)
	case *headers:
		b, ok := b.(*headers)
		return ok && a.Status == b.Status && a.Message == b.Message && proto.Equal(a.Details, b.Details) &&
			slices.EqualFunc(a.Decoded, b.Decoded, func(a, b proto.Message) bool { return proto.Equal(a, b) })
	}
	return a == b
}

// readOutput reads the text of an error into a value that cmp compares.
func readOutput(form string, text []byte) (any, error) {
	if form == "grpc" {
		h, err := readHeaders(string(text))
		if err != nil {
			return nil, err
		}
		return h, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	if form == "connect" {
		return v, decodeValues(v)
	}
	return v, nil
}

// headers are the three lines of gRPC, the last of them decoded.
type headers struct {
	Status, Message string
	Details         *statuspb.Status
	// Decoded are the details of linked types.
	Decoded []proto.Message
}

func readHeaders(text string) (*headers, error) {
	h := new(headers)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		switch name {
		case "grpc-status":
			h.Status = value
		case "grpc-message":
			h.Message = value
		case "grpc-status-details-bin":
			if err := h.decode(value); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unexpected line %q", line)
		}
	}
	return h, nil
}

func (h *headers) decode(value string) error {
	b, err := base64.RawStdEncoding.DecodeString(value)
	if err != nil {
		return fmt.Errorf("grpc-status-details-bin: %w", err)
	}
	h.Details = new(statuspb.Status)
	if err := proto.Unmarshal(b, h.Details); err != nil {
		return fmt.Errorf("grpc-status-details-bin: %w", err)
	}
	for _, d := range h.Details.GetDetails() {
		if m, err := decode(d.GetTypeUrl(), d.GetValue()); err == nil {
			h.Decoded = append(h.Decoded, m)
			d.Value = nil
		}
	}
	return nil
}

// decodeValues puts messages in the place of the base64 that stands for them.
func decodeValues(v any) error {
	object, _ := v.(map[string]any)
	details, _ := object["details"].([]any)
	for _, element := range details {
		detail, _ := element.(map[string]any)
		name, _ := detail["type"].(string)
		value, ok := detail["value"].(string)
		if !ok {
			continue
		}
		b, err := base64.RawStdEncoding.DecodeString(value)
		if err != nil {
			return fmt.Errorf("value of %s: %w", name, err)
		}
		if m, err := decode("type.googleapis.com/"+name, b); err == nil {
			detail["value"] = m
		} else {
			detail["value"] = b
		}
	}
	return nil
}
