package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

const (
	elicitation = `{"code":-32042,"message":"visit it","data":{"elicitations":[{"mode":"url","elicitationId":"e-1","url":"https://shop.example.com/pay","message":"Pay first."}]}}`
	noResource  = `{"code":-32002,"message":"no such order","data":{"uri":"shop://a"}}`
)

// What a server of 2025-11-25 answers with the numbers of that revision is typed,
// and the same object when it is passed on to a peer of that revision.
func TestFinding_X15_a_client_of_an_older_session(t *testing.T) {
	t.Parallel()
	for _, object := range []string{elicitation, noResource} {
		session := connectRaw(t, "", answerError(object))
		err := readResource(t.Context(), session)
		e, ok := errors.AsType[*errmapmcp.Error](err)
		if !ok {
			t.Fatal(err)
		}
		if got := errmap.EncodeJSONRPC(e.Peer(), errmap.ProfileMCP20251125); string(got) != object {
			t.Errorf("it is passed on as %s, want %s", got, object)
		}
	}
	_, err := connectRaw(t, "", answerError(elicitation)).GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
	typed, ok := errors.AsType[*mcpv1.UrlElicitationRequiredError](err)
	if !ok || len(typed.GetElicitations()) != 1 || typed.GetElicitations()[0].GetFields()["url"].GetStringValue() != "https://shop.example.com/pay" {
		t.Errorf("the error is %v %+v", err, typed)
	}
	missing, ok := errors.AsType[*mcpv1.ResourceNotFoundError](readResource(t.Context(), connectRaw(t, "", answerError(noResource))))
	if !ok || missing.GetUri() != "shop://a" {
		t.Errorf("the error is %+v", missing)
	}
}

// A server answers in the form of the revision that each client speaks.
func TestFinding_X15_a_server_of_both_revisions(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
	if err := errmapmcp.InstallServer(server, new(reports).guard()); err != nil {
		t.Fatal(err)
	}
	var failure jsonrpc.Error
	if err := json.Unmarshal([]byte(elicitation), &failure); err != nil {
		t.Fatal(err)
	}
	server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, &failure })
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "shop://{id}", Name: "order"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, errmap.NewCode(code.Code_NOT_FOUND, "no such order")
	})
	for _, c := range []struct {
		revision                    string
		stateless                   bool
		prompt, resource, unmatched int64
	}{
		{legacy, false, -32042, -32002, -32002},
		{newest, true, -31400, -32602, -32602},
	} {
		t.Run(c.revision, func(t *testing.T) {
			t.Parallel()
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: c.stateless, Logger: quiet()})
			served := httptest.NewServer(handler)
			t.Cleanup(served.Close)
			session, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, served.URL), &mcp.ClientSessionOptions{ProtocolVersion: c.revision})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			e := wantKind(t, err, errmapmcp.KindProtocol, errmapmcp.NewReason("jsonrpc", c.prompt))
			if c.revision == legacy && string(e.RPCError()) != elicitation {
				t.Errorf("the object is %s", e.RPCError())
			}
			if typed, ok := errors.AsType[*mcpv1.UrlElicitationRequiredError](err); !ok || e.Peer().Code() != code.Code_FAILED_PRECONDITION {
				t.Errorf("the error is %+v, %s", typed, e.Peer().Code())
			}
			for uri, number := range map[string]int64{"shop://a": c.resource, "other://a": c.unmatched} {
				_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				e := wantKind(t, err, errmapmcp.KindNotFound, errmapmcp.NewReason("jsonrpc", number))
				if typed, ok := errors.AsType[*mcpv1.ResourceNotFoundError](err); !ok || typed.GetUri() != uri {
					t.Errorf("the object is %s", e.RPCError())
				}
			}
		})
	}
}
