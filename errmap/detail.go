package errmap

import (
	"bytes"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

const (
	typeURLPrefix = "type.googleapis.com/"
	typeErrorInfo = typeURLPrefix + string(nameErrorInfo) // of nearly every detail
)

// The names of the details that translation itself looks at.
const (
	nameErrorInfo  protoreflect.FullName = "google.rpc.ErrorInfo"
	nameDebugInfo  protoreflect.FullName = "google.rpc.DebugInfo"
	nameRetryInfo  protoreflect.FullName = "google.rpc.RetryInfo"
	nameBadRequest protoreflect.FullName = "google.rpc.BadRequest"
	nameStatus     protoreflect.FullName = "google.rpc.Status"
	nameHelp       protoreflect.FullName = "google.rpc.Help"
	nameCarried    protoreflect.FullName = "errmap.v1.Carried"
)

// RawDetail is one detail of an error as it travels: a type URL with its
// bytes, or a JSON element that has no binary form here. It is immutable; the
// zero value is the empty google.protobuf.Any.
type RawDetail struct {
	typeURL string
	value   []byte
	json    []byte // compact; nil for a detail that is bytes
}

// NewRawDetail returns the detail of that type URL with a copy of those bytes,
// which are not looked at. A type URL without a slash is a bare type name and
// gets the prefix "type.googleapis.com/".
func NewRawDetail(typeURL string, value []byte) RawDetail {
	return RawDetail{typeURL: completeURL(schema.Repair(typeURL)), value: bytes.Clone(value)}
}

// TypeURL returns the type URL: of a JSON element its "@type", which may be
// missing.
func (d RawDetail) TypeURL() string { return d.typeURL }

// Name returns the bare type name: what follows the last slash of the type URL.
func (d RawDetail) Name() protoreflect.FullName { return bareName(d.typeURL) }

// Value returns a copy of the bytes, and false where the detail is a JSON
// element without a binary form.
func (d RawDetail) Value() ([]byte, bool) { return bytes.Clone(d.value), d.json == nil }

// JSON returns a copy of the JSON element, and false where the detail is bytes.
func (d RawDetail) JSON() ([]byte, bool) { return bytes.Clone(d.json), d.json != nil }

// Any returns the detail as a google.protobuf.Any; nil where it is a JSON
// element.
func (d RawDetail) Any() *anypb.Any {
	if d.json != nil {
		return nil
	}
	return &anypb.Any{TypeUrl: d.typeURL, Value: bytes.Clone(d.value)}
}

// detailOf returns m as a detail, its text repaired where it is not UTF-8.
func detailOf(m proto.Message) (RawDetail, error) {
	d, err := schema.DetailOf(m)
	return rawDetail(d), err
}

func rawDetail(d hub.Detail) RawDetail {
	return RawDetail{typeURL: d.TypeURL, value: d.Value, json: d.JSON}
}

func bareName(typeURL string) protoreflect.FullName {
	return protoreflect.FullName(typeURL[strings.LastIndexByte(typeURL, '/')+1:])
}

// completeURL makes a bare type name a type URL.
func completeURL(name string) string {
	if name == "" || strings.Contains(name, "/") {
		return name
	}
	return typeURLPrefix + name
}
