package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

const mediaText = "text/plain"

// The second agent, which a request reaches with this tenant, can less and asks
// for more, so that the rules of the SDK refuse requests.
const (
	tenantStrict    = "strict"
	extensionStrict = "https://github.com/errmap/errmap/extensions/strict"
)

// capabilities are those of the agent without a tenant. Its extended card is
// declared and not configured.
func capabilities() *a2a.AgentCapabilities {
	return &a2a.AgentCapabilities{Streaming: true, ExtendedAgentCard: true}
}

func strictCapabilities() *a2a.AgentCapabilities {
	return &a2a.AgentCapabilities{Extensions: []a2a.AgentExtension{*strictExtension()}}
}

func strictExtension() *a2a.AgentExtension {
	return &a2a.AgentExtension{
		URI: extensionStrict, Required: true,
		Description: "Every request to this tenant declares the extension, and none may stream.",
	}
}

// card tells clients where the agent is and what it does.
func card(base, version string) *a2a.AgentCard {
	host := base
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		host = u.Host
	}
	return &a2a.AgentCard{
		Name:        "errmap",
		Description: "Echoes, waits, and fails on purpose, with the same errors on every wire.",
		Version:     version,
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(base+"/", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(host, a2a.TransportProtocolGRPC),
			a2a.NewAgentInterface(base, a2a.TransportProtocolHTTPJSON),
		},
		Capabilities:       *capabilities(),
		DefaultInputModes:  []string{mediaText},
		DefaultOutputModes: []string{mediaText},
		Skills: []a2a.AgentSkill{
			{ID: "echo", Name: "Echo", Description: "Answers with the text of the message.", Tags: []string{"echo"}, Examples: []string{"hello"}},
			{ID: wordWait, Name: "Wait", Description: "Works for a time, so that the task can be watched and canceled.", Tags: []string{"stream"}, Examples: []string{"wait 5s"}},
			{ID: wordAsk, Name: "Ask", Description: "Asks for more, and goes on with the next message to the task.", Tags: []string{"stream"}, Examples: []string{"ask"}},
			{
				ID: wordFail, Name: "Fail", Tags: []string{"errors"}, Examples: []string{"fail UNSUPPORTED_OPERATION"},
				Description: "Fails with the reason that is named: " + strings.Join(failureNames(), ", ") + ".",
			},
		},
	}
}

// cardAge is how long a client may keep the card without asking again. It changes
// with the program that serves it.
const cardAge = 5 * time.Minute

// newCardHandler returns what serves the card: to anybody, from pages of any
// origin, and to caches (A2A section 8.6). Its tag is of the content, so that it
// is the same after a restart.
func newCardHandler(card *a2a.AgentCard) (http.Handler, error) {
	body, err := json.Marshal(card)
	if err != nil {
		return nil, err
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			h.Set("Content-Type", "application/json")
			h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(cardAge.Seconds())))
			h.Set("ETag", tag)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		case http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", cardMethods)
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
		default:
			h.Set("Allow", cardMethods)
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}), nil
}

const cardMethods = "GET, HEAD, OPTIONS"
