package errmap

import "github.com/errmap/errmap/internal/schema"

// A Definition and a Catalog are what package schema has by those names, with the
// methods that are for users. A pointer to the one is a pointer to the other, nil
// too: both are compared by their pointers.

func (d *Definition) schema() *schema.Definition { return (*schema.Definition)(d) }

func (c *Catalog) schema() *schema.Catalog { return (*schema.Catalog)(c) }

func definitions(all []*schema.Definition) []*Definition {
	if all == nil {
		return nil
	}
	out := make([]*Definition, len(all))
	for i, d := range all {
		out[i] = (*Definition)(d)
	}
	return out
}
