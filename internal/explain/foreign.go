package explain

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// service is a form of errors that many programs of one maker, or of one framework,
// answer in.
type service struct {
	title string
	// is tells it by members that no other has together. inner is the object that
	// describes the error, o itself where there is none.
	is func(o, inner object) bool
	// more reads what the roles of the members alone do not say; nil for nothing.
	more func(p *parts, o, inner object)
}

// services are tried in turn.
var services = []service{
	{"a Status of Kubernetes", func(o, _ object) bool {
		return o.text("kind") == "Status" && o.has("apiVersion") && (o.text("status") == "Failure" || o.has("reason", "code"))
	}, kubernetes},
	{"an error of GraphQL", func(o, _ object) bool {
		first := firstObject(o["errors"])
		return first != nil && first.has("message") && (o.has("data") || o.isNull("data") || first.has("locations", "path", "extensions"))
	}, graphQL},
	{"an error document of JSON:API", func(o, _ object) bool {
		first := firstObject(o["errors"])
		return first != nil && (first.has("source") || first.has("title", "detail") && first.has("status", "code"))
	}, jsonAPI},
	{"an answer of Cloudflare's API", func(o, _ object) bool {
		return o["success"] == false && list(o["errors"]) != nil
	}, nil},
	{"an error of Anthropic's API", func(o, inner object) bool {
		return o.text("type") == "error" && inner.text("type") != "" && o.object("error") != nil
	}, nil},
	{"an error of Stripe", func(o, inner object) bool {
		return o.object("error") != nil && inner.text("type") != "" &&
			(strings.HasSuffix(inner.text("type"), "card_error") || inner.has("decline_code", "request_log_url", "doc_url", "payment_intent", "charge", "setup_intent", "source", "payment_method") ||
				slices.Contains([]string{"api_error", "idempotency_error"}, inner.text("type")) && !inner.has("param"))
	}, func(p *parts, _, inner object) {
		if inner.text("decline_code") != "" {
			p.facts = append(p.facts, Fact{"Declined", inner.text("decline_code")})
		}
		switch p.identity {
		case "rate_limit", "lock_timeout":
			p.documented(429)
		case "resource_missing":
			p.documented(404)
		}
		p.documented(map[string]int{"card_error": 402, "rate_limit_error": 429, "authentication_error": 401, "idempotency_error": 400, "invalid_request_error": 400, "api_error": 500}[inner.text("type")])
	}},
	{"an error of OpenAI's API, or of one like it", func(o, inner object) bool {
		return o.object("error") != nil && inner.has("message") && inner.text("type") != "" && (inner.has("param", "code") || inner.isNull("param") || inner.isNull("code"))
	}, nil},
	{"an error of Elasticsearch", func(_, inner object) bool { return inner.has("root_cause", "caused_by") && inner.has("reason", "type") }, func(p *parts, _, inner object) {
		p.message = inner.text("reason")
	}},
	{"an error of Microsoft's services (OData)", func(o, inner object) bool {
		return o.object("error") != nil && inner.text("code") != "" && inner.has("message") && !inner.has("status", "type") &&
			(inner.has("innerError", "innererror", "target", "additionalInfo") || list(inner["details"]) != nil || pascal.MatchString(inner.text("code")) || camel.MatchString(inner.text("code")))
	}, microsoft},
	{"an error of GitHub's API", func(o, _ object) bool { return o.has("documentation_url") && o.has("message") }, nil},
	{"an error of Twilio", func(o, _ object) bool { return o.has("more_info") && o.number("code") != 0 }, nil},
	{"an error of Telegram's API", func(o, _ object) bool { return o["ok"] == false && o.has("error_code", "description") }, nil},
	{"an error of Slack's API", func(o, _ object) bool { return o["ok"] == false && o.text("error") != "" }, nil},
	{"an error of OAuth 2.0 (RFC 6749)", func(o, _ object) bool {
		return token.MatchString(o.text("error")) && (o.has("error_description", "error_uri") || slices.Contains(oauthErrors, o.text("error")))
	}, oauth},
	{"an error of Spring", func(o, _ object) bool {
		return o.has("timestamp") && o.number("status") != 0 && o.has("error") && (o.has("path") || o.has("message"))
	}, nil},
	{"an error of NestJS or Fastify", func(o, _ object) bool { return o.number("statusCode") >= 400 && o.has("message", "error") }, nil},
	{"an error of Amazon's services", func(o, _ object) bool { return o.text("__type") != "" }, nil},
	{"an error of FastAPI", func(o, _ object) bool {
		first := firstObject(o["detail"])
		return first != nil && first.has("loc") && first.has("msg")
	}, func(p *parts, _, _ object) { p.documented(422) }},
	{"an error of Discord's API", func(o, _ object) bool {
		return o.has("message") && (o.has("retry_after") && o.has("global") || o.number("code") >= 10000 && !o.has("status", "details", "data"))
	}, func(p *parts, _, _ object) {
		if p.timed {
			p.documented(429)
		}
	}},
	{"a validation error of Laravel or of one like it", func(o, _ object) bool {
		errors := o.object("errors")
		return o.has("message") && len(errors) > 0 && allLists(errors) && !o.has("type", "title")
	}, func(p *parts, _, _ object) { p.documented(422) }},
}

var (
	token  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	pascal = regexp.MustCompile(`^[A-Z][a-z0-9]+(?:[A-Z_][A-Za-z0-9]*)+$|^[A-Z][a-z]+$`)
	camel  = regexp.MustCompile(`^[a-z]+(?:[A-Z][A-Za-z0-9]*)+$`)
)

// oauthErrors are the names of RFC 6749, 6750, 8628 and of OpenID Connect.
var oauthErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "access_denied", "unsupported_response_type",
	"server_error", "temporarily_unavailable", "invalid_token", "insufficient_scope", "authorization_pending", "slow_down", "expired_token", "interaction_required", "login_required", "consent_required",
}

// foreign reads an error in a form that is somebody else's; false for one that is
// nobody's known here and that the roles of its members tell nothing of.
func foreign(members map[string]any, status int) (Found, bool) {
	o := object(members)
	inner := o
	for _, name := range []string{"error", "fault", "Error", "err"} {
		if e := o.object(name); e != nil {
			inner = e
			break
		}
	}
	p := &parts{status: status}
	for _, s := range services {
		if !s.is(o, inner) {
			continue
		}
		p.title = s.title
		p.read(o, inner)
		if s.more != nil {
			s.more(p, o, inner)
		}
		return p.found("its members"), true
	}
	// Of no known maker: an error where a member says that it is one, and more than
	// errmap's own forms would show of it.
	p.read(o, inner)
	p.title = "an error in a form of a service's own"
	if inner["code"] != nil && inner["status"] != nil && inner.text("status") != "" && max(p.status, p.said) < 400 {
		return Found{}, false
	}
	says := 0
	for _, said := range []bool{max(p.status, p.said) >= 400, p.timed, len(p.fields) > 0, p.identity != "" && p.message != "", p.requestID != "", p.help != ""} {
		if said {
			says++
		}
	}
	isError := max(p.status, p.said) >= 400 || o["success"] == false || o["ok"] == false || o.has("error", "errors", "fault", "err", "errorMessage", "error_message", "errorCode", "error_code", "Error")
	plain := o.has("code") && o.number("code") >= 100 && o.number("code") < 600 && len(p.fields) == 0 && !p.timed && p.requestID == "" && p.help == ""
	if !isError || says < 2 || plain || o.has("title", "instance") || o.object("error") == nil && o.has("@type", "domain") {
		return Found{}, false
	}
	p.loose = max(p.status, p.said) < 400 && !o.has("error", "errors")
	return p.found("the names of its members"), true
}

func kubernetes(p *parts, o, _ object) {
	p.identity, p.kind = o.text("reason"), ""
	details := o.object("details")
	if seconds := details.number("retryAfterSeconds"); seconds > 0 {
		p.wait(seconds)
	}
	if name := details.text("name"); name != "" {
		p.resource = strings.TrimPrefix(strings.Join([]string{details.text("kind"), name}, "/"), "/")
		if group := details.text("group"); group != "" {
			p.facts = append(p.facts, Fact{"Group", group})
		}
	}
	p.fields = nil
	for _, cause := range objects(details["causes"]) {
		p.violation(cause.text("field"), cause.text("message"), upper(cause.text("reason")))
	}
}

// upper returns a name as the reasons of google.rpc are, "" for one that cannot be.
func upper(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' && name[i-1] >= 'a' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	if s := strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(b.String())); reason.MatchString(s) {
		return s
	}
	return ""
}

var reason = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,61}[A-Z0-9]$`)

func microsoft(p *parts, _, inner object) {
	p.fields = nil
	for _, detail := range objects(inner["details"]) {
		p.violation(detail.text("target"), detail.text("message"), upper(detail.text("code")))
	}
	if target := inner.text("target"); target != "" && len(p.fields) == 0 {
		p.violation(target, p.message, "")
	}
	// The innermost code is the most specific one.
	for depth, in := 0, inner; depth < 8; depth++ {
		next := in.object("innerError")
		if next == nil {
			next = in.object("innererror")
		}
		if next == nil {
			break
		}
		in = next
		for _, name := range []string{"request-id", "requestId", "client-request-id"} {
			if p.requestID == "" {
				p.requestID = in.text(name)
			}
		}
		if c := in.text("code"); c != "" && c != p.identity {
			p.facts = append(p.facts, Fact{"Inner", c})
		}
	}
}

func graphQL(p *parts, o, _ object) {
	all := objects(o["errors"])
	first := all[0]
	extensions := first.object("extensions")
	p.fields = nil // what stands there is a path in the answer
	p.identity, p.kind = extensions.text("code"), extensions.text("classification")
	p.message = first.text("message")
	if status := object(extensions.object("http")).number("status"); status >= 400 {
		p.said = int(status)
	}
	if path := joinPath(first["path"]); path != "" {
		p.facts = append(p.facts, Fact{"Path", path})
	}
	p.more(len(all))
	if _, null := o["data"]; null && o["data"] != nil {
		p.facts = append(p.facts, Fact{"Data", "there is data too: a part of the call succeeded"})
	}
}

func jsonAPI(p *parts, o, _ object) {
	all := objects(o["errors"])
	p.fields = nil
	for _, e := range all {
		source := e.object("source")
		if field := source.text("pointer") + source.text("parameter"); field != "" {
			p.violation(field, e.text("detail"), upper(e.text("code")))
		}
	}
	if p.message == "" {
		p.message = all[0].text("title")
	}
	p.more(len(all))
}

func oauth(p *parts, o, _ object) {
	p.identity, p.kind = o.text("error"), ""
	p.message = o.text("error_description")
	// RFC 6749 section 5.2, RFC 6750 section 3.1.
	switch p.identity {
	case "invalid_client", "invalid_token":
		p.documented(401)
	case "insufficient_scope":
		p.documented(403)
	case "server_error":
		p.documented(500)
	case "temporarily_unavailable":
		p.documented(503)
	}
	if slices.Contains(oauthErrors, p.identity) {
		p.documented(400)
	}
}

// more notes that there are errors beside the one that is told.
func (p *parts) more(count int) {
	if count > 1 {
		p.facts = append(p.facts, Fact{"More", strconv.Itoa(count-1) + " other errors are in the same answer"})
	}
}

func allLists(o object) bool {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if list(o[key]) == nil {
			return false
		}
	}
	return true
}
