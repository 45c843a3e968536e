package errmapmcp

import (
	"context"
	"crypto/sha256"
	"iter"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pageKey struct{}

// pageNote tells a walk what the result of a page does not.
type pageNote struct{ emptyCursor bool }

// Tools returns the tools of the server, page by page, as the SDK's session
// does; the cursor of params, which may be nil, is where it begins. The walk fails
// as [KindPaginationCycle] where a cursor comes again, an empty one too, and where
// there is more after the pages that [WithPagination] allows: what came until then
// is yielded, and an error is the last thing.
func (s *Session) Tools(ctx context.Context, params *mcp.ListToolsParams) iter.Seq2[*mcp.Tool, error] {
	if params == nil {
		params = &mcp.ListToolsParams{}
	}
	return walk(ctx, s, params.Cursor, func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
		page := *params
		page.Cursor = cursor
		result, err := s.ListTools(ctx, &page)
		if err != nil {
			return nil, "", err
		}
		return result.Tools, result.NextCursor, nil
	})
}

// Prompts returns the prompts of the server as Tools returns the tools.
func (s *Session) Prompts(ctx context.Context, params *mcp.ListPromptsParams) iter.Seq2[*mcp.Prompt, error] {
	if params == nil {
		params = &mcp.ListPromptsParams{}
	}
	return walk(ctx, s, params.Cursor, func(ctx context.Context, cursor string) ([]*mcp.Prompt, string, error) {
		page := *params
		page.Cursor = cursor
		result, err := s.ListPrompts(ctx, &page)
		if err != nil {
			return nil, "", err
		}
		return result.Prompts, result.NextCursor, nil
	})
}

// Resources returns the resources of the server as Tools returns the tools.
func (s *Session) Resources(ctx context.Context, params *mcp.ListResourcesParams) iter.Seq2[*mcp.Resource, error] {
	if params == nil {
		params = &mcp.ListResourcesParams{}
	}
	return walk(ctx, s, params.Cursor, func(ctx context.Context, cursor string) ([]*mcp.Resource, string, error) {
		page := *params
		page.Cursor = cursor
		result, err := s.ListResources(ctx, &page)
		if err != nil {
			return nil, "", err
		}
		return result.Resources, result.NextCursor, nil
	})
}

// ResourceTemplates returns the resource templates of the server as Tools
// returns the tools.
func (s *Session) ResourceTemplates(ctx context.Context, params *mcp.ListResourceTemplatesParams) iter.Seq2[*mcp.ResourceTemplate, error] {
	if params == nil {
		params = &mcp.ListResourceTemplatesParams{}
	}
	return walk(ctx, s, params.Cursor, func(ctx context.Context, cursor string) ([]*mcp.ResourceTemplate, string, error) {
		page := *params
		page.Cursor = cursor
		result, err := s.ListResourceTemplates(ctx, &page)
		if err != nil {
			return nil, "", err
		}
		return result.ResourceTemplates, result.NextCursor, nil
	})
}

// walk goes from page to page until there is none, a cursor repeats or the cap
// is hit.
func walk[T any](ctx context.Context, s *Session, cursor string, page func(context.Context, string) ([]*T, string, error)) iter.Seq2[*T, error] {
	limit := s.client.config.maxPages
	if limit == 0 {
		limit = DefaultMaxPages
	}
	return func(yield func(*T, error) bool) {
		note := new(pageNote)
		ctx, cursor := context.WithValue(ctx, pageKey{}, note), cursor
		// A sum of each, since cursors are as long as a peer likes.
		seen := map[[sha256.Size]byte]bool{sha256.Sum256([]byte(cursor)): true}
		for pages := 1; ; pages++ {
			*note = pageNote{}
			items, next, err := page(ctx, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			switch {
			case note.emptyCursor:
				yield(nil, cursorRepeated(pages))
				return
			case next == "":
				return
			case seen[sha256.Sum256([]byte(next))]:
				yield(nil, cursorRepeated(pages))
				return
			case limit > 0 && pages >= limit:
				yield(nil, newError(KindPaginationCycle, NewReason(tokenPages, int64(pages)),
					WithData(DataCount, pages), WithData(DataCap, limit)))
				return
			}
			seen[sha256.Sum256([]byte(next))] = true
			cursor = next
		}
	}
}

// cursorRepeated returns the error of a cursor that came again. An empty one
// always does: with it the first page is asked for.
func cursorRepeated(pages int) *Error {
	return newError(KindPaginationCycle, ReasonCursorRepeated, WithData(DataCount, pages))
}
