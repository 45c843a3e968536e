package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
)

// page is a listing as a page for people has it.
type page struct {
	Title   string
	Count   int
	Domains []pageDomain
}

type pageDomain struct {
	Name   string
	ID     string
	Errors []pageError
}

// pageError is an Entry with what is said in words.
type pageError struct {
	Entry
	ID      string
	Meaning string
	Retry   string
	Wires   []pageWire
}

// pageWire is one example, for all forms that are the same.
type pageWire struct {
	Label string
	// Status is the HTTP status that it comes with, 0 for none.
	Status int
	// Language is that of Text, for what colours it.
	Language string
	Text     string
	Notes    []string
}

// labels are what people call the forms.
var labels = map[translate.Form]string{
	translate.Connect: "Connect",
	translate.GRPC:    "gRPC and gRPC-Web",
	translate.Status:  "google.rpc.Status",
	translate.HTTP:    "HTTP+JSON (AIP-193)",
	translate.Problem: "Problem details (RFC 9457)",
	translate.JSONRPC: "JSON-RPC 2.0",
}

// page puts the errors under their domains, in the order in which they were
// added.
func (l *Listing) page(title string) page {
	p := page{Title: title, Count: len(l.errors)}
	ids := make(map[string]bool)
	index := make(map[string]int)
	for _, d := range l.errors {
		i, ok := index[d.Domain()]
		if !ok {
			i = len(p.Domains)
			index[d.Domain()] = i
			p.Domains = append(p.Domains, pageDomain{Name: d.Domain(), ID: freeID(ids, d.Domain())})
		}
		p.Domains[i].Errors = append(p.Domains[i].Errors, pageError{
			Entry:   l.Entry(d),
			ID:      freeID(ids, d.Domain()+"-"+d.Reason()),
			Meaning: Meaning(d.Code()),
			Retry:   retryWords(d),
			Wires:   l.pageWires(d),
		})
	}
	return p
}

func (l *Listing) pageWires(d *errmap.Definition) []pageWire {
	var wires []pageWire
	var rpc []Example
	for _, x := range l.Examples(d) {
		if x.Form == translate.JSONRPC {
			rpc = append(rpc, x)
			continue
		}
		wires = append(wires, pageWireOf(labels[x.Form], x))
	}
	for profiles := len(rpc); len(rpc) > 0; {
		first, same, others := rpc[0], []string(nil), []Example(nil)
		for _, x := range rpc {
			if bytes.Equal(x.Output, first.Output) && x.HTTPStatus == first.HTTPStatus {
				same = append(same, x.Profile.String())
			} else {
				others = append(others, x)
			}
		}
		label := "every profile"
		if len(same) < profiles {
			label = "profile " + strings.Join(same, " and ")
		}
		wires = append(wires, pageWireOf(labels[translate.JSONRPC]+", "+label, first))
		rpc = others
	}
	return wires
}

func pageWireOf(label string, x Example) pageWire {
	w := pageWire{Label: label, Status: x.HTTPStatus, Language: "json", Text: string(x.Output), Notes: x.Notes}
	var indented bytes.Buffer
	if !x.Form.IsJSON() {
		w.Language = "text"
	} else if json.Indent(&indented, x.Output, "", "  ") == nil {
		w.Text = indented.String()
	}
	return w
}

// What says the type and the way of a field.
func (f Field) What() string {
	switch {
	case f.Detail:
		return f.Type + ", a detail of its own"
	case f.Key != f.Name:
		return f.Type + ", metadata " + f.Key
	}
	return f.Type
}

// Numbers says code, HTTP status and JSON-RPC number.
func (e Entry) Numbers() string {
	return fmt.Sprintf("%s, HTTP %d, JSON-RPC %d", e.Code, e.HTTPStatus, e.JSONRPCCode)
}

// freeID returns text as an identifier for links that none of taken is, and
// takes it.
func freeID(taken map[string]bool, text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	base := strings.Trim(b.String(), "-")
	if base == "" {
		base = "error"
	}
	id := base
	for n := 2; taken[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	taken[id] = true
	return id
}
