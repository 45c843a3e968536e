// Package header tells the headers of a transport from those of a call.
package header

// ofTransport are those that are not a method's to set.
var ofTransport = map[string]bool{
	"Accept-Encoding":          true,
	"Connection":               true,
	"Content-Encoding":         true,
	"Content-Length":           true,
	"Content-Type":             true,
	"Connect-Accept-Encoding":  true,
	"Connect-Content-Encoding": true,
	"Connect-Protocol-Version": true,
	"Connect-Timeout-Ms":       true,
	"Date":                     true,
	"Grpc-Accept-Encoding":     true,
	"Grpc-Encoding":            true,
	"Grpc-Message":             true,
	"Grpc-Status":              true,
	"Grpc-Status-Details-Bin":  true,
	"Grpc-Timeout":             true,
	"Keep-Alive":               true,
	"Te":                       true,
	"Trailer":                  true,
	"Transfer-Encoding":        true,
	"Upgrade":                  true,
}

// OfTransport tells whether a header, by its canonical key, is the transport's to
// set: one of HTTP's framing, or of a protocol of RPC.
func OfTransport(key string) bool { return ofTransport[key] }
