package errmapmcp

import (
	"net/url"
	"strings"
)

// originOf returns the origin of a URL (RFC 6454 section 4): its scheme, host and
// port. It is "" for a URL without a host.
func originOf(u *url.URL) string {
	if u == nil || u.Host == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// otherOrigin returns the error of a request that would leave the origin of the
// server. Neither the session nor what a call holds is for another one, whatever
// a redirect or the server itself says.
func otherOrigin(u *url.URL) *Error {
	return newError(KindTransport, ReasonOrigin, WithData(DataOrigin, originOf(u)))
}
