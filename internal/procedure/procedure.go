// Package procedure keeps in a context what was called.
package procedure

import "context"

// Context is a context that knows what was called, which may be a part of
// something larger. It must not be copied once it is in use.
type Context struct {
	context.Context //nolint:containedctx // it is one
	Name            string
}

type key struct{}

// Value implements [context.Context].
func (c *Context) Value(k any) any {
	if _, ok := k.(key); ok {
		return c
	}
	return c.Context.Value(k)
}

// Of returns what was called, "" where it is not known.
func Of(ctx context.Context) string {
	if c, ok := ctx.Value(key{}).(*Context); ok {
		return c.Name
	}
	return ""
}

// With returns a context that knows the name, ctx itself where it does.
func With(ctx context.Context, name string) context.Context {
	if name == "" || Of(ctx) == name {
		return ctx
	}
	return &Context{ctx, name}
}
