package wire

import (
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// standing is what an error is in the catalogue of its reader, and among the errors
// that the profile itself defines; nil where it is none.
type standing struct{ known, own *schema.Definition }

func standingOf(details []hub.Detail, p *Profile, catalog *schema.Catalog) (s standing) {
	isKnown, isOwn := false, p.own == nil
	for i := range details {
		in, ok := InfoOf(&details[i], catalog)
		if !ok || isKnown && isOwn {
			continue
		}
		if !isKnown {
			s.known, isKnown = catalog.Lookup(in.Domain(), in.Reason())
		}
		if !isOwn && string(in.Domain()) == p.Domain {
			s.own, isOwn = p.own.Find(p.Domain, string(in.Reason())), true
		}
	}
	return s
}

// definition returns what a reader goes by: the catalogue first.
func (s standing) definition() *schema.Definition {
	if s.known != nil {
		return s.known
	}
	return s.own
}

// implied is the number that an error has of its own: the profile's for an error that
// it defines; the catalogue's for its identity, if the profile may write it; else the
// table's.
func (p *Profile) implied(number int32, s standing) int64 {
	if d := s.definition(); d != nil {
		switch own := p.of(d); {
		case own != nil && !own.ReadOnly:
			return own.Number
		case own != nil || p.Domain != "" && d.Domain() == p.Domain:
		default:
			if n, ok := d.JSONRPCCode(); ok && p.may(int64(n)) {
				return int64(n)
			}
		}
	}
	return row(number).jsonrpc
}

// code returns the code that a reader arrives at without a marker.
func (p *Profile) code(s standing, number int64) int32 {
	if d := s.definition(); d != nil {
		return int32(d.Code())
	}
	if own := p.numbered(number); own != nil {
		return int32(own.Definition.Code())
	}
	if c, ok := p.Codes[number]; ok {
		return int32(c)
	}
	return codeByNumber(number)
}
