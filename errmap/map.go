package errmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// ToMap returns the error object of JSON-RPC 2.0 as the map that JSON-RPC
// libraries pass around: "code" (int64), "message" (string) and, where there is
// something to say, "data". Numbers inside data are json.Number, so that they
// keep their text. It is nil for nil.
func ToMap(e *Error, p Profile, opts ...EncodeOption) map[string]any {
	if e == nil {
		return nil
	}
	object, number := AppendJSONRPC(nil, e, p, opts...)
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&m); err != nil { // unreachable: the object is our own JSON
		return map[string]any{"code": number, "message": e.Message()}
	}
	m["code"] = number
	return m
}

// FromMap reads the error object of JSON-RPC 2.0 out of a map: code of any number
// type, message, and data, which may be anything that encoding/json writes. Data
// that it cannot write is dropped with a note.
func FromMap(m map[string]any, p Profile, opts ...DecodeOption) (*Error, error) {
	if m == nil {
		return nil, &FormError{Wire: WireJSONRPC, Reason: "no map"}
	}
	var lost hub.Notes
	object := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, err := marshalPlain(m[name])
		if err != nil {
			lost.Add("member %q dropped: %v", name, err)
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(jsontree.AppendString(object, name), ':'), value...)
	}
	e, err := DecodeJSONRPC(append(object, '}'), p, opts...)
	if err != nil {
		return nil, err
	}
	e.hub.Notes = append(lost, e.hub.Notes...)
	return e, nil
}

func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("it has no JSON: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
