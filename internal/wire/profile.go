package wire

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// The numbers that JSON-RPC 2.0 section 5.1 defines.
const (
	numberParseError     = -32700
	numberInvalidRequest = -32600
	numberMethodNotFound = -32601
	numberInvalidParams  = -32602
	numberInternalError  = -32603
)

// Profile is a dialect of JSON-RPC 2.0: which numbers an error has there and what its
// data looks like. It is data: what a profile does differently stands in it, and
// nowhere else. It is not changed once it is compiled.
type Profile struct {
	Name string
	// Domain is that of the errors that the profile itself defines, "" for none.
	Domain string
	// Own are those errors.
	Own []OwnError
	// Objects tells that the data of an own error is an object with the members that
	// it requires, and with all else that the error says under "details". Otherwise
	// data is an array of typed objects, as of any error.
	Objects bool
	// Reserved are the first and the last number of those that only own errors have;
	// zeros for none.
	Reserved [2]int64
	// Repeats are the numbers among the reserved ones that are written again where
	// they were received; RepeatsAll tells that all are.
	Repeats    []int64
	RepeatsAll bool
	// Codes are the numbers that stand for a bare code: read, and never written.
	Codes map[int64]code.Code
	// HTTPStatuses are the statuses of answers with an error of that number, where
	// they are not 200.
	HTTPStatuses map[int64]int
	// Accepted is the status of an answer to notifications alone.
	Accepted int
	// NoBatches tells that a batch is refused, NoNullIDs that a request with a null id
	// is, and that an answer to one whose id is not known has none.
	NoBatches, NoNullIDs bool
	// Origins tells that a request of another origin is refused unless that is allowed.
	Origins bool
	// BareMethods tells that a method is called by its name alone.
	BareMethods bool

	own        *schema.Catalog
	low, high  int64      // of the numbers of byNumber
	byNumber   []OwnError // those without a condition
	conditions []OwnError
}

// OwnError is an error that a profile itself defines.
type OwnError struct {
	Number     int64
	Definition *schema.Definition
	// Members are those that its data requires, in the order in which they are written.
	Members []Member
	// Alone tells that the number means this error only where data is an object of
	// exactly those members, each of its type, and of nothing else but details.
	Alone bool
	// ReadOnly tells that the number is read and not written.
	ReadOnly bool
}

// Member is a member that the data of an own error requires.
type Member struct {
	Name string
	// Empty is the JSON of the value that says nothing, such as "", [] or {}. Its kind
	// is the member's.
	Empty string
}

// emptyText is the metadata text of the value that says nothing.
func (m *Member) emptyText() string {
	if m.Empty == `""` {
		return ""
	}
	return m.Empty
}

// isString tells whether the member is a string.
func (m *Member) isString() bool { return m.Empty[0] == '"' }

// Value returns a metadata text as JSON of the member's type, the empty value for one
// that is not of it.
func (m *Member) value(dst []byte, text string) []byte {
	if m.isString() {
		return jsontree.AppendString(dst, text)
	}
	t := jsontree.Read([]byte(text), DefaultDepth)
	defer t.Release()
	if kindOf(m.Empty) != t.Root().Kind() {
		return append(dst, m.Empty...)
	}
	return t.Root().AppendCompact(dst)
}

func kindOf(text string) jsontree.Kind {
	switch text[0] {
	case '"':
		return jsontree.String
	case '{':
		return jsontree.Object
	case '[':
		return jsontree.Array
	case 't', 'f':
		return jsontree.Bool
	case 'n':
		return jsontree.Null
	}
	return jsontree.Number
}

// Compile checks a profile and makes its tables.
func (p *Profile) Compile() error {
	var mistakes []error
	fail := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("errmap: profile %q: "+format, append([]any{p.Name}, args...)...))
	}
	if p.Name == "" {
		fail("it has no name")
	}
	if p.Reserved[0] > p.Reserved[1] {
		fail("the reserved numbers end at %d, before they begin at %d", p.Reserved[1], p.Reserved[0])
	}
	definitions := make([]*schema.Definition, 0, len(p.Own))
	numbers := map[int64]string{}
	for _, own := range p.Own {
		d := own.Definition
		switch {
		case d == nil:
			fail("an error without a definition")
			continue
		case d.Domain() != p.Domain:
			fail("%s is of domain %s, not %s", d.FullName(), d.Domain(), p.Domain)
		case own.Number == 0:
			fail("%s has no number", d.FullName())
		case p.Codes[own.Number] != 0:
			fail("number %d is that of %s and of a bare code", own.Number, d.FullName())
		case !own.Alone && isTableNumber(own.Number):
			fail("number %d of %s is that of a code without identity: it can mean the error only with its data", own.Number, d.FullName())
		case numbers[own.Number] != "":
			fail("number %d is that of both %s and %s", own.Number, numbers[own.Number], d.FullName())
		}
		for _, m := range own.Members {
			if m.Name == "" || m.Name == "details" || !validJSON(m.Empty) {
				fail("%s: member %q with the empty value %q: want a name that is not details, and JSON", d.FullName(), m.Name, m.Empty)
			}
		}
		numbers[own.Number] = string(d.FullName())
		definitions = append(definitions, d)
		if own.Alone {
			p.conditions = append(p.conditions, own)
			continue
		}
		if len(p.byNumber) == 0 {
			p.low, p.high = own.Number, own.Number
		}
		p.low, p.high = min(p.low, own.Number), max(p.high, own.Number)
		p.byNumber = append(p.byNumber, own)
	}
	for number := range p.Codes {
		if isTableNumber(number) {
			fail("number %d is that of a code already", number)
		}
	}
	if p.Accepted == 0 {
		p.Accepted = http.StatusNoContent
	}
	if len(definitions) > 0 {
		var err error
		if p.own, err = schema.Of(definitions...); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return errors.Join(mistakes...)
}

func validJSON(text string) bool {
	t := jsontree.Read([]byte(text), DefaultDepth)
	defer t.Release()
	return t.Root().Exists()
}

// HTTPStatus returns the HTTP status of an answer that holds an error of that number.
func (p *Profile) HTTPStatus(number int64) int {
	if status, ok := p.HTTPStatuses[number]; ok {
		return status
	}
	return http.StatusOK
}

// reserved tells whether only own errors have a number.
func (p *Profile) reserved(number int64) bool {
	return p.Reserved != [2]int64{} && number >= p.Reserved[0] && number <= p.Reserved[1]
}

// may tells whether the profile writes the number of an error that it does not define.
func (p *Profile) may(number int64) bool {
	return number != 0 && !p.reserved(number) && p.numbered(number) == nil && !p.bare(number)
}

// mayRepeat tells whether the profile writes a number that was received.
func (p *Profile) mayRepeat(number int64) bool {
	if own := p.numbered(number); own != nil && own.ReadOnly {
		return false
	}
	return number != 0 && !p.bare(number) && (p.RepeatsAll || !p.reserved(number) || slices.Contains(p.Repeats, number))
}

// bare tells whether a number stands for a bare code.
func (p *Profile) bare(number int64) bool {
	_, ok := p.Codes[number]
	return ok
}

// numbered returns the own error of a number that means it whatever data is; nil where
// there is none.
func (p *Profile) numbered(number int64) *OwnError {
	if number < p.low || number > p.high {
		return nil
	}
	for i := range p.byNumber {
		if p.byNumber[i].Number == number {
			return &p.byNumber[i]
		}
	}
	return nil
}

// means returns the own error that a number means beside that data; nil where there is
// none.
func (p *Profile) means(number int64, data jsontree.Value) *OwnError {
	if own := p.numbered(number); own != nil {
		return own
	}
	for i := range p.conditions {
		if own := &p.conditions[i]; own.Number == number && own.alone(data) {
			return own
		}
	}
	return nil
}

// alone tells whether data is an object of exactly the members that the error
// requires, and of nothing else but details.
func (own *OwnError) alone(data jsontree.Value) bool {
	if !data.Is(jsontree.Object) {
		return false
	}
	found := 0
	for m := data.First(); m.Exists(); m = m.Next() {
		i := slices.IndexFunc(own.Members, func(want Member) bool { return m.NameIs(want.Name) })
		switch {
		case i >= 0 && kindOf(own.Members[i].Empty) == m.Kind():
			if !m.Repeats() {
				found++
			}
		case i >= 0 || !m.NameIs("details"):
			return false
		}
	}
	return found == len(own.Members)
}

// of returns the entry of a definition; nil where it has none.
func (p *Profile) of(d *schema.Definition) *OwnError {
	if d == nil || d.Domain() != p.Domain || p.Domain == "" {
		return nil
	}
	for i := range p.Own {
		if own := &p.Own[i]; own.Definition == d || own.Definition.Reason() == d.Reason() {
			return own
		}
	}
	return nil
}
