package hub

import "strings"

// The names of the details that translation itself looks at.
const (
	NameErrorInfo        = "google.rpc.ErrorInfo"
	NameRetryInfo        = "google.rpc.RetryInfo"
	NameDebugInfo        = "google.rpc.DebugInfo"
	NameBadRequest       = "google.rpc.BadRequest"
	NamePrecondition     = "google.rpc.PreconditionFailure"
	NameQuotaFailure     = "google.rpc.QuotaFailure"
	NameHelp             = "google.rpc.Help"
	NameLocalizedMessage = "google.rpc.LocalizedMessage"
	NameStatus           = "google.rpc.Status"
	NameCarried          = "errmap.v1.Carried"
	NameValue            = "google.protobuf.Value"
)

// URLPrefix is what a bare type name gets to be a type URL.
const URLPrefix = "type.googleapis.com/"

// URLErrorInfo is the type URL of nearly every detail.
const URLErrorInfo = URLPrefix + NameErrorInfo

// Detail is one detail of an error as it travels: a type URL with bytes, or a JSON
// element that has no binary form here. The zero Detail is the empty
// google.protobuf.Any.
type Detail struct {
	// TypeURL is, of a JSON element, its "@type"; "" where it has none.
	TypeURL string
	Value   []byte
	// JSON is compact; nil for a detail that is bytes.
	JSON []byte
	// Named is, of the bytes of an ErrorInfo that names an error, where its reason
	// stands, from and to, and then its domain. It is zeros until somebody has looked.
	Named [4]uint32
}

// IsJSON tells whether the detail is a JSON element.
func (d *Detail) IsJSON() bool { return d.JSON != nil }

// Empty tells whether the detail is the empty Any, which is {} in JSON.
func (d *Detail) Empty() bool { return d.JSON == nil && d.TypeURL == "" && len(d.Value) == 0 }

// Name returns the bare type name: what follows the last slash of the type URL.
func (d *Detail) Name() string { return BareName(d.TypeURL) }

// Is tells whether the bare type name is that.
func (d *Detail) Is(name string) bool {
	n := len(d.TypeURL) - len(name)
	return n >= 0 && d.TypeURL[n:] == name && (n == 0 || d.TypeURL[n-1] == '/')
}

// BareName returns what follows the last slash of a type URL.
func BareName(typeURL string) string { return typeURL[strings.LastIndexByte(typeURL, '/')+1:] }

// CompleteURL makes a bare type name a type URL.
func CompleteURL(name string) string {
	switch {
	case name == NameErrorInfo:
		return URLErrorInfo
	case name == "" || strings.IndexByte(name, '/') >= 0:
		return name
	}
	return URLPrefix + name
}
