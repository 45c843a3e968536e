package errmapmcp

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const methodListTemplates = "resources/templates/list"

// maxListed is how many names of one kind are remembered. A server with more is
// one of which it is not known what it lacks.
const maxListed = 10_000

// listings are the names that a server has listed, of tools, of prompts and of
// resources: by them an answer tells that there is no such tool, which JSON-RPC has
// no code for. The zero listings know nothing. They are safe for concurrent use.
type listings struct {
	mu     sync.Mutex
	byCall map[string]*listing // by the method that calls what is listed; templates by their own
}

// listing is what was listed so far, page by page.
type listing struct {
	names    map[string]bool
	next     string // the cursor of the page that is missing
	complete bool
}

// note takes in a page. emptied tells that it had an empty cursor, so that it is
// not known whether there is more.
func (l *listings) note(call, cursor, next string, emptied bool, names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	current := l.byCall[call]
	switch {
	case cursor == "":
		current = &listing{names: map[string]bool{}}
	case current == nil || current.complete || current.next != cursor:
		return // a page out of order
	}
	for _, name := range names {
		current.names[name] = true
	}
	current.next, current.complete = next, next == "" && !emptied
	if l.byCall == nil {
		l.byCall = map[string]*listing{}
	}
	l.byCall[call] = current
	if len(current.names) > maxListed {
		delete(l.byCall, call)
	}
}

// forget drops what was listed for a call; for all where call is "".
func (l *listings) forget(call string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call == "" {
		l.byCall = nil
		return
	}
	delete(l.byCall, call)
}

// lack tells whether the server has listed all that it has, and not that name.
func (l *listings) lack(call, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call == methodReadResource {
		// What a template of the server stands for is not listed.
		templates := l.byCall[methodListTemplates]
		if templates == nil || !templates.complete || len(templates.names) > 0 {
			return false
		}
	}
	current := l.byCall[call]
	return current != nil && current.complete && !current.names[name]
}

// noteListed takes in what a result lists.
func (l *link) noteListed(req mcp.Request, result mcp.Result, emptied bool) {
	switch r := result.(type) {
	case *mcp.ListToolsResult:
		l.listed.note(methodCallTool, cursorOf(req), r.NextCursor, emptied, namesOf(r.Tools, func(t *mcp.Tool) string { return t.Name }))
	case *mcp.ListPromptsResult:
		l.listed.note(methodGetPrompt, cursorOf(req), r.NextCursor, emptied, namesOf(r.Prompts, func(p *mcp.Prompt) string { return p.Name }))
	case *mcp.ListResourcesResult:
		l.listed.note(methodReadResource, cursorOf(req), r.NextCursor, emptied, namesOf(r.Resources, func(m *mcp.Resource) string { return m.URI }))
	case *mcp.ListResourceTemplatesResult:
		l.listed.note(methodListTemplates, cursorOf(req), r.NextCursor, emptied, namesOf(r.ResourceTemplates, func(m *mcp.ResourceTemplate) string { return m.URITemplate }))
	}
}

func cursorOf(req mcp.Request) string {
	switch p := req.GetParams().(type) {
	case *mcp.ListToolsParams:
		if p != nil {
			return p.Cursor
		}
	case *mcp.ListPromptsParams:
		if p != nil {
			return p.Cursor
		}
	case *mcp.ListResourcesParams:
		if p != nil {
			return p.Cursor
		}
	case *mcp.ListResourceTemplatesParams:
		if p != nil {
			return p.Cursor
		}
	}
	return ""
}

func namesOf[T any](all []*T, name func(*T) string) []string {
	var names []string
	for _, one := range all {
		if one != nil {
			names = append(names, name(one))
		}
	}
	return names
}

// noteChanged takes in a notification by which a list is no longer what it was.
func (l *link) noteChanged(method string) {
	switch method {
	case "notifications/tools/list_changed":
		l.listed.forget(methodCallTool)
	case "notifications/prompts/list_changed":
		l.listed.forget(methodGetPrompt)
	case "notifications/resources/list_changed":
		l.listed.forget(methodReadResource)
		l.listed.forget(methodListTemplates)
	}
}

// shown returns a result without what the policy hides: a list must not tell of
// what the client says is not there.
func (c *Client) shown(ctx context.Context, req mcp.Request, result mcp.Result) mcp.Result {
	if c.config.policy == nil {
		return result
	}
	session, _ := req.GetSession().(*mcp.ClientSession)
	hides := func(method string, params mcp.Params) bool {
		call := Call{method: method, request: &mcp.ClientRequest[mcp.Params]{Session: session, Params: params}}
		hidden := true // by a policy that panics
		_ = guarded(func() error {
			hidden = c.config.policy(ctx, call).verdict == verdictHide
			return nil
		})
		return hidden
	}
	switch r := result.(type) {
	case *mcp.ListToolsResult:
		shown := *r
		shown.Tools = without(r.Tools, func(t *mcp.Tool) bool { return hides(methodCallTool, &mcp.CallToolParams{Name: t.Name}) })
		return &shown
	case *mcp.ListPromptsResult:
		shown := *r
		shown.Prompts = without(r.Prompts, func(p *mcp.Prompt) bool { return hides(methodGetPrompt, &mcp.GetPromptParams{Name: p.Name}) })
		return &shown
	case *mcp.ListResourcesResult:
		shown := *r
		shown.Resources = without(r.Resources, func(m *mcp.Resource) bool { return hides(methodReadResource, &mcp.ReadResourceParams{URI: m.URI}) })
		return &shown
	case *mcp.ListResourceTemplatesResult:
		shown := *r
		shown.ResourceTemplates = without(r.ResourceTemplates, func(m *mcp.ResourceTemplate) bool {
			return hides(methodReadResource, &mcp.ReadResourceParams{URI: m.URITemplate})
		})
		return &shown
	}
	return result
}

// without returns the elements that are not hidden, never nil: a list without
// elements is still a list.
func without[T any](all []*T, hidden func(*T) bool) []*T {
	kept := slices.DeleteFunc(slices.Clone(all), func(one *T) bool { return one != nil && hidden(one) })
	if kept == nil {
		return []*T{}
	}
	return kept
}
