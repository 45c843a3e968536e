package explain

import (
	"regexp"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// networkWords are what operating systems and the libraries of several languages say
// of connections that failed.
var networkWords = []struct {
	why     string
	pattern *regexp.Regexp
	code    code.Code
}{
	{"a connection that was refused", regexp.MustCompile(`(?i)\bECONNREFUSED\b|connection refused|failed to connect to|could(?: not|n't) connect to|actively refused|\bconnect: connection\b`), code.Code_UNAVAILABLE},
	{"a name that was not found", regexp.MustCompile(`(?i)\bENOTFOUND\b|\bEAI_AGAIN\b|no such host|could not resolve host|name or service not known|nodename nor servname|UnknownHostException|temporary failure in name resolution`), code.Code_UNAVAILABLE},
	{"a connection that broke", regexp.MustCompile(`(?i)\bECONNRESET\b|\bEPIPE\b|connection reset|socket hang up|broken pipe|empty reply from server|unexpected EOF|connection aborted|RemoteDisconnected|server closed the (?:stream|connection)|GOAWAY|premature close`), code.Code_UNAVAILABLE},
	{"a network that cannot be reached", regexp.MustCompile(`(?i)\bE(?:HOST|NET)UNREACH\b|no route to host|network is unreachable`), code.Code_UNAVAILABLE},
	{"a certificate that is not trusted", regexp.MustCompile(`(?i)\bx509: |certificate (?:verify failed|has expired|signed by unknown)|SSL certificate problem|unable to (?:get local issuer|verify the first) certificate|self[- ]signed certificate|SSLHandshakeException|PKIX path|CERT_HAS_EXPIRED`), code.Code_UNAVAILABLE},
	{"a time that was over", regexp.MustCompile(`(?i)\bETIMEDOUT\b|\bESOCKETTIMEDOUT\b|deadline exceeded|timed out|i/o timeout|\bTimeoutException\b|operation timeout`), code.Code_DEADLINE_EXCEEDED},
	{"a call that was given up", regexp.MustCompile(`(?i)context canceled|\bAbortError\b|operation was aborted|\bECANCELED\b`), code.Code_CANCELLED},
}
