package errmaptest

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	"github.com/errmap/errmap/errmap"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed testdata/vectors/*.json
var vectorFiles embed.FS

// Vector is one case of the wire contract: an error in one form, and what it is
// in another. README.md beside the vectors tells of each member.
type Vector struct {
	// File is the name of the file that the vector stands in.
	File string `json:"-"`
	// Name names the vector within its file.
	Name string `json:"name"`
	// Section is the section of docs/wire.md that the rule stands in.
	Section string `json:"section"`
	// Report is the number of the field report that the case is made of, 0 for
	// none.
	Report int `json:"report"`
	// Rule is the rule that the case settles.
	Rule string `json:"rule"`
	// From and To are forms: connect, grpc, status, http, problem or jsonrpc.
	From string `json:"from"`
	To   string `json:"to"`
	// Profile is the profile of JSON-RPC at both ends, "" for generic.
	// FromProfile and ToProfile, where they are not "", count for one end.
	Profile     string `json:"profile"`
	FromProfile string `json:"from_profile"`
	ToProfile   string `json:"to_profile"`
	// HTTPStatus is the status that Input came with, 0 for none.
	HTTPStatus int `json:"http_status"`
	// Input is JSON as it stands, or a string that holds the text of the error.
	Input jsontext.Value `json:"input"`
	// Output is what is wanted: JSON as it stands, or a string with its text; for
	// grpc always a string.
	Output jsontext.Value `json:"output"`
	// OutputHTTPStatus is the wanted HTTP status of an answer with Output, 0 for a
	// form that is in none.
	OutputHTTPStatus int `json:"output_http_status"`
	// Error is set where the input is to be refused.
	Error bool `json:"error"`
	// Notes says what notes are wanted: nil for any.
	Notes *Notes `json:"notes"`
}

// Notes is what a vector wants of the notes of a translation.
type Notes struct {
	// Some is set where there must be a note; where it is not, there must be
	// none.
	Some bool
	// Parts are texts each of which stands in some note. They are parts of the
	// input, never words of an implementation.
	Parts []string
}

// UnmarshalJSON reads true, false, or an array of parts.
func (n *Notes) UnmarshalJSON(text []byte) error {
	if text[0] != '[' {
		return json.Unmarshal(text, &n.Some)
	}
	n.Some = true
	return json.Unmarshal(text, &n.Parts)
}

// InputText returns the text of the error that goes in.
func (v *Vector) InputText() []byte { return text(v.Input) }

// OutputText returns the text of the error that is wanted.
func (v *Vector) OutputText() []byte { return text(v.Output) }

// Profiles returns the profiles of both ends. The error names a profile that
// there is none of.
func (v *Vector) Profiles() (from, to errmap.Profile, err error) {
	if from, err = profile(v.FromProfile, v.Profile); err == nil {
		to, err = profile(v.ToProfile, v.Profile)
	}
	return from, to, err
}

// Vectors returns all vectors, in the order of their files.
func Vectors() ([]Vector, error) {
	names, err := fs.Glob(vectorFiles, "testdata/vectors/*.json")
	if err != nil {
		return nil, err
	}
	var all []Vector
	for _, name := range names {
		content, err := vectorFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Section string   `json:"section"`
			About   string   `json:"about"`
			Vectors []Vector `json:"vectors"`
		}
		if err := json.Unmarshal(content, &file, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, v := range file.Vectors {
			v.File = path.Base(name)
			if v.Section == "" {
				v.Section = file.Section
			}
			all = append(all, v)
		}
	}
	return all, nil
}

func profile(names ...string) (errmap.Profile, error) {
	for _, name := range names {
		if name != "" {
			return errmap.ParseProfile(name)
		}
	}
	return errmap.ProfileGeneric, nil
}

// text returns what a string holds, and other JSON as it stands.
func text(v jsontext.Value) []byte {
	if v.Kind() != '"' {
		return v
	}
	inner, _ := jsontext.AppendUnquote(nil, []byte(v)) // a lone surrogate reads as U+FFFD
	return inner
}
