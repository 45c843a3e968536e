// Package origin tells the requests that web pages may make from those that they may not.
package origin

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// AnyHost allows every host.
const AnyHost = "*"

// What is said of a request that is refused, with HTTP status 403.
var (
	errCross = errors.New("a page of another origin has asked, which this server does not allow: the origin has to be allowed on the server")
	errHost  = errors.New("the server listens on this machine alone and was asked under another name: the host has to be allowed on the server")
)

// A Rule says which origins and hosts are let in. It is safe for concurrent use.
type Rule struct {
	protection *http.CrossOriginProtection
	origins    map[string]bool
	hosts      map[string]bool
	every      bool // every Origin must be allowed, whatever the method
}

// An Option changes a Rule.
type Option func(*Rule)

// EveryOrigin has the rule refuse each Origin that is neither allowed nor that of the
// server itself, whatever the method, as MCP demands.
func EveryOrigin() Option { return func(r *Rule) { r.every = true } }

// New returns a rule that lets in the pages of these origins ("https://app.example.com"),
// and requests for these hosts ("api.example.com", with or without a port), besides those
// of the server itself. The error says which of them is none.
func New(origins, hosts []string, opts ...Option) (*Rule, error) {
	rule := &Rule{protection: http.NewCrossOriginProtection(), origins: make(map[string]bool), hosts: make(map[string]bool)}
	var mistakes []error
	for _, o := range origins {
		if err := rule.protection.AddTrustedOrigin(o); err != nil {
			mistakes = append(mistakes, err)
		}
		rule.origins[o] = true
	}
	for _, h := range hosts {
		if u, err := url.Parse("//" + h); h != AnyHost && (err != nil || u.Host != h || h == "") {
			mistakes = append(mistakes, fmt.Errorf("invalid host %q: want a name such as api.example.com, or %s for any", h, AnyHost))
		}
		rule.hosts[strings.ToLower(h)] = true
	}
	for _, opt := range opts {
		opt(rule)
	}
	return rule, errors.Join(mistakes...)
}

// Check returns an error, for the caller, where a request is to be refused. A request that
// no page made is let in.
func (rule *Rule) Check(r *http.Request) error {
	if r.Host != "" && onLoopback(r) && !rule.host(r.Host) {
		return errHost
	}
	// What no browser sent has neither, and then there is nothing to look at.
	if r.Header["Sec-Fetch-Site"] == nil && r.Header["Origin"] == nil {
		return nil
	}
	if rule.protection.Check(r) != nil {
		return errCross
	}
	if !rule.every {
		return nil
	}
	for _, o := range r.Header["Origin"] {
		u, err := url.Parse(o)
		if !rule.origins[o] && (err != nil || u.Host != r.Host || onLoopback(r) && !rule.host(r.Host)) {
			return errCross
		}
	}
	return nil
}

// host reports whether a host, with or without a port, is this machine or allowed.
func (rule *Rule) host(host string) bool {
	host = strings.ToLower(host)
	name := host
	if strings.Contains(host, ":") { // without one, SplitHostPort makes an error
		if without, _, err := net.SplitHostPort(host); err == nil {
			name = without
		}
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || rule.hosts[AnyHost] || rule.hosts[host] || rule.hosts[name] {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// onLoopback reports whether the connection came in on an address that only this machine
// reaches. A name that resolves to it for a browser (DNS rebinding) makes a page of that
// name one of the server's own origin, so only names of this machine are let in.
func onLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.IP.IsLoopback()
}

// A Checked is a writer of a handler that has checked the request, by a rule that has the
// last word.
type Checked interface{ OriginChecked() }

// IsChecked reports whether w is, or wraps, a Checked.
func IsChecked(w http.ResponseWriter) bool {
	for {
		switch wrapper := w.(type) {
		case Checked:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = wrapper.Unwrap()
		default:
			return false
		}
	}
}
