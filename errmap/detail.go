package errmap

import (
	"bytes"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// RawDetail is one detail of an error as it travels: a type URL with its
// bytes, or a JSON element that has no binary form here. It is immutable; the
// zero value is the empty google.protobuf.Any.
type RawDetail struct{ d hub.Detail }

// NewRawDetail returns the detail of that type URL with a copy of those bytes,
// which are not looked at. A type URL without a slash is a bare type name and
// gets the prefix "type.googleapis.com/".
func NewRawDetail(typeURL string, value []byte) RawDetail {
	return RawDetail{hub.Detail{TypeURL: hub.CompleteURL(jsontree.Clean(typeURL)), Value: bytes.Clone(value)}}
}

// TypeURL returns the type URL: of a JSON element its "@type", which may be
// missing.
func (d RawDetail) TypeURL() string { return d.d.TypeURL }

// Name returns the bare type name: what follows the last slash of the type URL.
func (d RawDetail) Name() protoreflect.FullName { return protoreflect.FullName(d.d.Name()) }

// Value returns a copy of the bytes, and false where the detail is a JSON
// element without a binary form.
func (d RawDetail) Value() ([]byte, bool) { return bytes.Clone(d.d.Value), d.d.JSON == nil }

// JSON returns a copy of the JSON element, and false where the detail is bytes.
func (d RawDetail) JSON() ([]byte, bool) { return bytes.Clone(d.d.JSON), d.d.JSON != nil }

// Any returns the detail as a google.protobuf.Any; nil where it is a JSON
// element.
func (d RawDetail) Any() *anypb.Any {
	if d.d.JSON != nil {
		return nil
	}
	return &anypb.Any{TypeUrl: d.d.TypeURL, Value: bytes.Clone(d.d.Value)}
}
