package plugin

import (
	"fmt"
	"regexp"
	"strings"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
)

// Limits of names in the DNS, RFC 1035, section 2.3.4, without the root's dot.
const (
	maxDomain = 253
	maxLabel  = 63
)

// domainSyntax is two labels or more: one alone is nobody's registered name.
var domainSyntax = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

// checkDomains checks the domain of each file, also where no error has it, the
// domains of options, and that every error has one of the two.
func checkDomains(s *Schema, report func(Mistake)) {
	for _, file := range s.files {
		domain, _ := schema.FileDomain(file)
		if domain != "" && !isDomain(domain) {
			m := malformedDomain(domain)
			m.File, m.Path = file, PathOf(file, fileOptions, int32(errmapv1.E_Domain.TypeDescriptor().Number()))
			report(m)
		}
	}
	eachDefinition(checkDomain)(s, report)
}

func checkDomain(d *Definition, report func(Mistake)) {
	path := d.optionPath(optionInfo, infoDomain)
	if own := d.Options.GetInfo().GetDomain(); own != "" && !isDomain(own) {
		m := malformedDomain(own)
		m.Path = path
		report(m)
	}
	if d.Domain == "" {
		report(Mistake{
			Path:     path,
			What:     fmt.Sprintf("%s has no domain", d.Message.Name()),
			Expected: "expected the name of the service that owns the error",
			Remedy:   "set (errmap.v1.domain) in the file or info.domain in the option",
		})
	}
}

func malformedDomain(domain string) Mistake {
	m := Mistake{
		What:     fmt.Sprintf("domain %q is malformed", domain),
		Expected: "expected a registered name such as orders.example.com, of lower-case labels (AIP-193)",
		Remedy:   "name the service that owns the errors",
	}
	if name := bareName(domain); isDomain(name) {
		m.Remedy = fmt.Sprintf("write %q", name)
	}
	return m
}

func isDomain(s string) bool {
	if len(s) > maxDomain || !domainSyntax.MatchString(s) {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) > maxLabel {
			return false
		}
	}
	return true
}

// bareName returns what a URL, or a name that is written in another way, most
// likely means.
func bareName(s string) string {
	s = strings.TrimSpace(s)
	if _, after, found := strings.Cut(s, "://"); found {
		s = after
	}
	if end := strings.IndexAny(s, "/:?#"); end >= 0 {
		s = s[:end]
	}
	return strings.TrimSuffix(strings.ToLower(s), ".")
}
