package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/errmap/errmap/errmap/errmaptest"
)

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
