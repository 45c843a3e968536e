package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine bounds one line of input: a body as large as the decoders take it,
// each byte of it escaped in a string.
const maxLine = 6*errmap.DefaultMaxBody + 64<<10

// lineInput is one object of input.
type lineInput struct {
	From        string         `json:"from"`
	To          string         `json:"to"`
	Profile     string         `json:"profile"`
	FromProfile string         `json:"from_profile"`
	ToProfile   string         `json:"to_profile"`
	HTTPStatus  int            `json:"http_status"`
	Input       jsontext.Value `json:"input"`
}

const lineMembers = "from, to, profile, from_profile, to_profile, http_status, input"

// runLines translates one line after the other. What is wrong with a line is the
// answer to it; the command fails only where it cannot read or write.
func (c conversion) runLines(ctx context.Context, in *bufio.Reader, stdout, stderr io.Writer) int {
	out := bufio.NewWriterSize(stdout, 64<<10)
	var text, answer []byte
	for ctx.Err() == nil {
		var tooLong bool
		var err error
		text, tooLong, err = readLine(in, text[:0])
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			if !errors.Is(err, io.EOF) {
				_ = out.Flush() // the read has failed already, and is reported
				return failed(stderr, fmt.Errorf("reading standard input: %w", err))
			}
			break
		}
		if tooLong {
			answer = appendError(answer[:0], fmt.Errorf("the line is longer than %d bytes", maxLine))
		} else {
			answer = c.appendAnswer(answer[:0], text)
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return failed(stderr, err)
		}
		// Whoever sends one line and waits for its answer gets it.
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return failed(stderr, err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return failed(stderr, err)
	}
	return exitOK
}

// readLine appends the next line to dst, without what ends it. Of one that is
// too long only the beginning is kept.
func readLine(in *bufio.Reader, dst []byte) (text []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(dst)+len(part) <= maxLine {
			dst = append(dst, part...)
		} else {
			tooLong = true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && len(dst) > 0 && dst[len(dst)-1] == '\n':
			dst = dst[:len(dst)-1]
		}
		return dst, tooLong, err
	}
}

// appendAnswer appends what one line is answered with.
func (c conversion) appendAnswer(dst, text []byte) []byte {
	r, err := c.parseLine(text)
	if err != nil {
		return appendError(dst, err)
	}
	result, err := translate.Run(r)
	if err != nil {
		return appendError(dst, err)
	}
	dst = append(dst, `{"output":`...)
	if r.To.IsJSON() {
		dst = append(dst, result.Output...)
	} else {
		dst = appendQuoted(dst, string(result.Output))
	}
	if result.HTTPStatus != 0 {
		dst = strconv.AppendInt(append(dst, `,"http_status":`...), int64(result.HTTPStatus), 10)
	}
	for i, note := range result.Notes {
		if i == 0 {
			dst = append(dst, `,"notes":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, note)
	}
	if len(result.Notes) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func (c conversion) parseLine(text []byte) (translate.Request, error) {
	var l lineInput
	options := json.JoinOptions(json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true))
	if err := json.Unmarshal(text, &l, options); err != nil {
		return translate.Request{}, lineError(err)
	}
	r, err := conversion{
		from:        cmp.Or(l.From, c.from),
		to:          cmp.Or(l.To, c.to),
		fromProfile: cmp.Or(l.FromProfile, l.Profile, c.fromProfile, c.profile),
		toProfile:   cmp.Or(l.ToProfile, l.Profile, c.toProfile, c.profile),
		httpStatus:  cmp.Or(l.HTTPStatus, c.httpStatus),
	}.request()
	if err != nil {
		return r, err
	}
	if len(l.Input) == 0 {
		return r, fmt.Errorf("input is missing: want a string or the JSON of an error")
	}
	switch {
	case l.Input.Kind() == '"':
		// The string is valid JSON; what of it is no text reads as U+FFFD.
		r.Input, _ = jsontext.AppendUnquote(nil, []byte(l.Input))
	case !r.From.IsJSON():
		return r, fmt.Errorf("input of the form %s is a string", r.From)
	default:
		r.Input = slices.Clone(l.Input)
	}
	return r, nil
}

// lineError tells in our own words what is wrong with a line.
func lineError(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		name := strings.TrimPrefix(string(semantic.JSONPointer), "/")
		if errors.Is(err, json.ErrUnknownName) {
			return fmt.Errorf("unknown member %q: want %s", name, lineMembers)
		}
		if name == "" {
			return fmt.Errorf("the line is no JSON object")
		}
		return fmt.Errorf("member %q is of the wrong type: want a string, or a number for http_status", name)
	}
	return fmt.Errorf("the line is no JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
}

func appendError(dst []byte, err error) []byte {
	return append(appendQuoted(append(dst, `{"error":`...), translate.Message(err)), '}')
}

// appendQuoted appends a JSON string; bytes that are not UTF-8 are U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
