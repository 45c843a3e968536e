package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/errmap/errmap/errmap/errmaptest"
)

// Whatever a peer wrote is explained or refused, and never steers the terminal.
func FuzzExplain(f *testing.F) {
	for _, v := range seeds(f) {
		f.Add(v.InputText())
	}
	f.Add([]byte("HTTP/2 429\r\ncontent-type: application/json\r\nretry-after: 7\r\n\r\n{\"error\":{\"code\":429}}"))
	f.Add([]byte("HTTP/1.1 502 Bad Gateway\n\n<html>\x1b[31m"))
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := recognize(text)
		if err != nil {
			return
		}
		report, err := found.explain(now)
		if err == nil && strings.ContainsFunc(report, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			t.Errorf("the report has control characters: %q", report)
		}
	})
}

// Each line is answered by one line, which is JSON with an output or an error.
func FuzzConvertLine(f *testing.F) {
	for _, v := range seeds(f) {
		line, err := json.Marshal(map[string]any{"from": v.From, "to": v.To, "profile": v.Profile, "input": json.RawMessage(v.Input)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		answer := conversion{}.appendAnswer(nil, line)
		var got struct{ Output, Error json.RawMessage }
		if err := json.Unmarshal(answer, &got); err != nil || (got.Output == nil) == (got.Error == nil) || bytes.ContainsRune(answer, '\n') {
			t.Errorf("answer %q to %q: %v", answer, line, err)
		}
	})
}

// seeds are some vectors of every file.
func seeds(f *testing.F) []errmaptest.Vector {
	vectors, err := errmaptest.Vectors()
	if err != nil {
		f.Fatal(err)
	}
	var some []errmaptest.Vector
	for i, v := range vectors {
		if i%7 == 0 && len(v.Input) < 4096 {
			some = append(some, v)
		}
	}
	return some
}
