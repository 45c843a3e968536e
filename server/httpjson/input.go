package httpjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inputerror"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxDepth is how deep the JSON of a request may nest.
const maxDepth = 100

// maxEcho bounds what an error repeats of a request.
const maxEcho = 256

// fill makes the request message. Its error is for the caller, whose own input it
// speaks of.
func (s *stream) fill(m proto.Message) *errmap.Error {
	if err := s.fillBody(m); err != nil {
		return err
	}
	for name, value := range s.path {
		if err := runtime.PopulateFieldFromPath(m, name, value); err != nil {
			return badInput(fmt.Sprintf("%q in the path does not fit its field", name), err)
		}
	}
	if s.binding.body == "*" {
		return nil
	}
	query := s.r.URL.Query()
	delete(query, "$alt")
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := runtime.PopulateQueryParameters(m, url.Values{name: query[name]}, s.binding.bound); err != nil {
			return badInput(fmt.Sprintf("the query parameter %q does not fit its field", clip(name)), err)
		}
	}
	return nil
}

func (s *stream) fillBody(m proto.Message) *errmap.Error {
	if len(bytes.TrimSpace(s.body)) == 0 {
		return nil
	}
	body, before := s.body, 0
	if s.binding.bodyName != "" {
		if err := syntaxError(body); err != nil {
			return badInput("the body is not JSON: "+clip(err.Error()), err)
		}
		name, _ := json.Marshal(s.binding.bodyName)
		body = append(append([]byte{'{'}, name...), ':')
		before = len(body)
		body = append(append(body, s.body...), '}')
	}
	if nestsDeeper(body, maxDepth) {
		return badInput(fmt.Sprintf("the body nests more than %d arrays and objects", maxDepth), nil)
	}
	unmarshal := protojson.UnmarshalOptions{Resolver: s.catalog, DiscardUnknown: true}
	if err := unmarshal.Unmarshal(body, m); err != nil {
		text := fmt.Sprintf("the body is not the JSON of %s: %s", m.ProtoReflect().Descriptor().FullName(), clip(inputerror.Reason(err, before)))
		return badInput(text, err)
	}
	return nil
}

// nestsDeeper tells whether JSON, which need not be valid, nests deeper than that.
func nestsDeeper(body []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// syntaxError tells where JSON is malformed, in the words of protojson.
func syntaxError(body []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(body, &whole)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	before := body[:min(max(syntax.Offset-1, 0), int64(len(body)))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("(line %d:%d): %w", line, column, err)
}

func clip(text string) string {
	if len(text) <= maxEcho {
		return text
	}
	return strings.ToValidUTF8(text[:maxEcho], "") + "…"
}

func badInput(text string, cause error) *errmap.Error {
	return errmap.NewCode(code.Code_INVALID_ARGUMENT, text).WithCause(cause)
}
