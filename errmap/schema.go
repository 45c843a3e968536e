package errmap

import (
	"unsafe"

	"github.com/errmap/errmap/internal/schema"
)

// A Definition and a Catalog are what package schema has by those names, as structs
// of this package, so that users see nothing of that one. Each holds nothing else,
// so a pointer to the one is turned into a pointer to the other, nil into nil: both
// are compared by their pointers, and a copy would be another.

func (d *Definition) schema() *schema.Definition {
	if d == nil {
		return nil
	}
	return &d.of
}

func (c *Catalog) schema() *schema.Catalog {
	if c == nil {
		return nil
	}
	return &c.of
}

func definition(d *schema.Definition) *Definition { return (*Definition)(unsafe.Pointer(d)) }

func catalog(c *schema.Catalog) *Catalog { return (*Catalog)(unsafe.Pointer(c)) }

func definitions(all []*schema.Definition) []*Definition {
	if all == nil {
		return nil
	}
	out := make([]*Definition, len(all))
	for i, d := range all {
		out[i] = definition(d)
	}
	return out
}
