package wire

import (
	"slices"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// Shorten returns an error whose lists of violations and links, those of BadRequest,
// PreconditionFailure, QuotaFailure and Help, take at most so many bytes together: each
// keeps as many elements as fit beside those before it, from the front and at least
// one. A note tells how many went. It returns e itself where all fit.
func Shorten(e *hub.Error, catalog *schema.Catalog, most int) *hub.Error {
	room, short := most, e
	for i := range e.Details {
		d := &e.Details[i]
		elements := elementsOf(d.Name())
		if elements == "" {
			continue
		}
		if n := len(d.Value) + len(d.JSON); n <= room { // JSON has more bytes than what it says
			room -= n
			continue
		}
		value, ok := knownPart(catalog.Codec(), d)
		if !ok {
			continue
		}
		size, kept, count := 0, 0, 0
		ok = eachElement(value, func(raw []byte) {
			if count++; kept == count-1 && (kept == 0 || size+len(raw) <= room) {
				size, kept = size+len(raw), kept+1
			}
		})
		room = max(room-size, 0)
		if !ok || kept == count {
			continue
		}
		if short == e {
			c := *e
			c.Details, c.Notes = slices.Clone(e.Details), slices.Clip(e.Notes)
			short = &c
		}
		short.Details[i] = hub.Detail{TypeURL: d.TypeURL, Value: firstElements(value, size)}
		short.Notes.Add("%d of %d %s left out: lists may take %d bytes", count-kept, count, elements, most)
	}
	return short
}
