package agent

import (
	"net/url"
	"strings"

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
			{
				ID: wordFail, Name: "Fail", Tags: []string{"errors"}, Examples: []string{"fail UNSUPPORTED_OPERATION"},
				Description: "Fails with the reason that is named: " + strings.Join(failureNames(), ", ") + ".",
			},
		},
	}
}
