package errmapotel

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
)

// The names of the attributes.
const (
	CodeKey      = attribute.Key("errmap.code")
	DomainKey    = attribute.Key("errmap.domain")
	ReasonKey    = attribute.Key("errmap.reason")
	OriginKey    = attribute.Key("errmap.origin")
	RequestIDKey = attribute.Key("errmap.request_id")
	MessageKey   = attribute.Key("errmap.message")
	SideKey      = attribute.Key("errmap.side")
	WireKey      = attribute.Key("errmap.wire")

	metadataPrefix = "errmap.metadata."
)

const (
	other       = "_OTHER" // as the conventions call what is not listed
	originLocal = "local"
	originPeer  = "peer"
	maxBytes    = 255 // of one value that a peer can choose
)

// Attrs returns an error as attributes: those that Observe puts on a span. Use it for
// logs and for spans and metrics of one's own, of errors that do not end a call. Of any
// error that is neither an *errmap.Error nor an annotated message, nor wraps one, it has
// the code UNKNOWN; of nil it has none.
func Attrs(err error) []attribute.KeyValue {
	if err == nil {
		return nil
	}
	return (&Telemetry{}).attrs(errmap.From(err), "")
}

func (t *Telemetry) attrs(e *errmap.Error, requestID string) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 6+len(t.metadata))
	attrs = append(attrs, CodeKey.String(e.Code().String()))
	if domain, reason := e.Domain(), e.Reason(); reason != "" {
		attrs = append(attrs, DomainKey.String(clip(domain)), ReasonKey.String(clip(reason)))
	}
	origin := originLocal
	if e.Remote() {
		origin = originPeer
	}
	attrs = append(attrs, OriginKey.String(origin))
	if info, ok := errmap.Detail[*errdetails.RequestInfo](e); ok && requestID == "" {
		requestID = info.GetRequestId()
	}
	if requestID != "" {
		attrs = append(attrs, RequestIDKey.String(clip(requestID)))
	}
	if t.message {
		attrs = append(attrs, MessageKey.String(clip(e.Message())))
	}
	if len(t.metadata) > 0 {
		entries := e.Metadata()
		for _, key := range t.metadata {
			if value, ok := entries[key]; ok {
				attrs = append(attrs, attribute.String(metadataPrefix+key, clip(value)))
			}
		}
	}
	return attrs
}

// clip returns the beginning of s that is within bounds, as valid UTF-8.
func clip(s string) string {
	return cut(strings.ToValidUTF8(s[:min(len(s), 2*maxBytes)], "\uFFFD"))
}

// cut returns the longest beginning of valid UTF-8 that is within bounds.
func cut(s string) string {
	n := min(len(s), maxBytes)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
