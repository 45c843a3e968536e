package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap/errmaptest"
)

// The command answers the vectors as the library does.
func TestConvert_lines_vectors(t *testing.T) {
	t.Parallel()
	vectors, err := errmaptest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for _, v := range vectors {
		text, err := json.Marshal(struct {
			From        string          `json:"from"`
			To          string          `json:"to"`
			Profile     string          `json:"profile,omitempty"`
			FromProfile string          `json:"from_profile,omitempty"`
			ToProfile   string          `json:"to_profile,omitempty"`
			HTTPStatus  int             `json:"http_status,omitempty"`
			Input       json.RawMessage `json:"input"`
		}{v.From, v.To, v.Profile, v.FromProfile, v.ToProfile, v.HTTPStatus, json.RawMessage(v.Input)})
		if err != nil {
			t.Fatalf("%s/%s: %v", v.File, v.Name, err)
		}
		in.Write(append(text, '\n'))
	}
	stdout, stderr, code := runErrmap(t, in.String(), "convert", "--lines")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	answers := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(answers) != len(vectors) {
		t.Fatalf("%d answers to %d lines", len(answers), len(vectors))
	}
	for i, v := range vectors {
		t.Run(v.File+"/"+v.Name, func(t *testing.T) {
			t.Parallel()
			var answer struct {
				Output     json.RawMessage `json:"output"`
				HTTPStatus int             `json:"http_status"`
				Notes      []string        `json:"notes"`
				Error      string          `json:"error"`
			}
			if err := json.Unmarshal([]byte(answers[i]), &answer); err != nil {
				t.Fatalf("answer %s: %v", answers[i], err)
			}
			got := errmaptest.Answer{Output: answer.Output, HTTPStatus: answer.HTTPStatus, Notes: answer.Notes}
			if answer.Error != "" {
				got.Err = errors.New(answer.Error)
			} else if v.To == "grpc" {
				var text string
				if err := json.Unmarshal(answer.Output, &text); err != nil {
					t.Fatalf("output %s: %v", answer.Output, err)
				}
				got.Output = []byte(text)
			}
			if diff := v.Diff(got); diff != "" {
				t.Errorf("%s\ninput %s\n(-want +got):\n%s", v.Rule, v.InputText(), diff)
			}
		})
	}
}
