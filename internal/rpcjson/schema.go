// Package rpcjson reads and writes the ProtoJSON of the google.rpc detail types
// straight from and to their wire bytes, without building a message. Nearly
// every detail of nearly every error is of one of these types, and nearly all of
// the cost of translating an error is theirs.
//
// The package answers only where it is certain of what protojson would say, and
// declines otherwise: an unknown field, text that is not UTF-8, a wrong wire
// type, an unusual spelling. Then the caller takes the general way, through
// protojson, which also tells what is wrong. Fuzz tests hold the two together.
package rpcjson

// canonicalPrefix begins the type URLs that need no thought.
const canonicalPrefix = "type.googleapis.com/"

// maxFields is the number of fields of the largest message below.
const maxFields = 8

// kind says how a field is written.
type kind uint8

const (
	kindString        kind = iota
	kindStrings            // repeated string
	kindMap                // map<string, string>
	kindMessage            // singular, so with presence
	kindMessages           // repeated message
	kindInt64              // without presence
	kindOptionalInt64      // with presence
	kindDuration           // google.protobuf.Duration
)

// field is a field of a message. Its number is its place in the message, plus
// one: these messages have no gaps, which spares a look-up.
type field struct {
	kind    kind
	name    string // in ProtoJSON
	origin  string // in the schema; a reader of ProtoJSON takes it too
	message *message
}

// message is a message type: its fields by number.
type message struct {
	name   string // of a detail type, the full name
	url    string
	head   string // the beginning of its Any in ProtoJSON
	fields []field
	leads  []string // how the member of each field begins behind another one
}

var (
	errorInfo = detail("google.rpc.ErrorInfo",
		field{kindString, "reason", "reason", nil},
		field{kindString, "domain", "domain", nil},
		field{kindMap, "metadata", "metadata", nil})

	retryInfo = detail("google.rpc.RetryInfo",
		field{kindDuration, "retryDelay", "retry_delay", nil})

	debugInfo = detail("google.rpc.DebugInfo",
		field{kindStrings, "stackEntries", "stack_entries", nil},
		field{kindString, "detail", "detail", nil})

	quotaFailure = detail("google.rpc.QuotaFailure",
		field{kindMessages, "violations", "violations", &message{fields: []field{
			{kindString, "subject", "subject", nil},
			{kindString, "description", "description", nil},
			{kindString, "apiService", "api_service", nil},
			{kindString, "quotaMetric", "quota_metric", nil},
			{kindString, "quotaId", "quota_id", nil},
			{kindMap, "quotaDimensions", "quota_dimensions", nil},
			{kindInt64, "quotaValue", "quota_value", nil},
			{kindOptionalInt64, "futureQuotaValue", "future_quota_value", nil},
		}}})

	preconditionFailure = detail("google.rpc.PreconditionFailure",
		field{kindMessages, "violations", "violations", &message{fields: []field{
			{kindString, "type", "type", nil},
			{kindString, "subject", "subject", nil},
			{kindString, "description", "description", nil},
		}}})

	localizedMessage = detail("google.rpc.LocalizedMessage",
		field{kindString, "locale", "locale", nil},
		field{kindString, "message", "message", nil})

	badRequest = detail("google.rpc.BadRequest",
		field{kindMessages, "fieldViolations", "field_violations", &message{fields: []field{
			{kindString, "field", "field", nil},
			{kindString, "description", "description", nil},
			{kindString, "reason", "reason", nil},
			{kindMessage, "localizedMessage", "localized_message", localizedMessage},
		}}})

	requestInfo = detail("google.rpc.RequestInfo",
		field{kindString, "requestId", "request_id", nil},
		field{kindString, "servingData", "serving_data", nil})

	resourceInfo = detail("google.rpc.ResourceInfo",
		field{kindString, "resourceType", "resource_type", nil},
		field{kindString, "resourceName", "resource_name", nil},
		field{kindString, "owner", "owner", nil},
		field{kindString, "description", "description", nil})

	help = detail("google.rpc.Help",
		field{kindMessages, "links", "links", &message{fields: []field{
			{kindString, "description", "description", nil},
			{kindString, "url", "url", nil},
		}}})
)

func detail(name string, fields ...field) *message {
	url := canonicalPrefix + name
	m := &message{name: name, url: url, head: `{"@type":"` + url + `"`, fields: fields}
	m.lead()
	return m
}

// lead makes the leads of a message and of those in its fields.
func (m *message) lead() {
	m.leads = make([]string, len(m.fields))
	for i, f := range m.fields {
		m.leads[i] = `,"` + f.name + `":`
		if f.message != nil {
			f.message.lead()
		}
	}
}

// typeOf returns the detail type that a type URL names; nil for any other and
// for a URL without a slash.
func typeOf[T string | []byte](url T) *message {
	slash := -1
	for i := len(url) - 1; i >= 0 && slash < 0; i-- {
		if url[i] == '/' {
			slash = i
		}
	}
	if slash < 0 {
		return nil
	}
	return named(url[slash+1:])
}

// named returns the detail type of a bare type name; nil for any other.
func named[T string | []byte](name T) *message {
	switch string(name) {
	case errorInfo.name:
		return errorInfo
	case retryInfo.name:
		return retryInfo
	case debugInfo.name:
		return debugInfo
	case quotaFailure.name:
		return quotaFailure
	case preconditionFailure.name:
		return preconditionFailure
	case badRequest.name:
		return badRequest
	case requestInfo.name:
		return requestInfo
	case resourceInfo.name:
		return resourceInfo
	case help.name:
		return help
	case localizedMessage.name:
		return localizedMessage
	}
	return nil
}

// place returns the place of the field that ProtoJSON knows by that name, or -1.
func (m *message) place(name []byte) int {
	for i := range m.fields {
		if f := &m.fields[i]; string(name) == f.name || string(name) == f.origin {
			return i
		}
	}
	return -1
}
