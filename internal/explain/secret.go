package explain

import (
	"cmp"
	"encoding/base64"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Redacted is what stands in the place of a secret.
const Redacted = "[redacted]"

const (
	// minSecret is how long a text must be to be looked for elsewhere, in bytes: one
	// that is shorter occurs by chance.
	minSecret = 4
	// maxSecrets bounds how many different texts are looked for. Of what has more, no
	// text is shown.
	maxSecrets = 10_000
)

// secrets are the texts that must not be shown. They are collected from the whole
// text, wherever they are known by a name or by their shape, and then nowhere shown.
type secrets struct {
	seen     map[string]bool
	tooMany  bool
	replacer *strings.Replacer // of those that are seen; nil after one more is
}

// secretWord is in the names of members, headers and parameters whose values are
// secrets.
const secretWord = `authorization|cookie|token|secret|passw(?:or)?d|passphrase|\bpwd|api[_-]?key|apikey|access[_-]?key|private[_-]?key|subscription[_-]?key|session|credential|signature|\bjwt\b|\botp\b|csrf|xsrf|code[_-]?verifier|assertion|\bsid\b|\bsig\b|bearer|x-amz-credential`

// notSecret are names that have such a word and whose values tell nothing.
var notSecret = regexp.MustCompile(`(?i)^(?:token[_-]?type|tokens|[a-z_]*_tokens|max[_-]?tokens|token[_-]?endpoint[a-z_]*|session[_-]?state|access-control-[a-z-]*|supported[a-z_]*|x-csrf-protection|grpc-.*)$`)

var (
	secretName   = regexp.MustCompile(`(?i)` + secretWord)
	secretHeader = regexp.MustCompile(`(?im)(?:^|[\s\[<>*])((?:proxy-)?authorization|(?:set-)?cookie2?|[a-z0-9-]*(?:` + secretWord + `)[a-z0-9-]*)[ \t]*:[ \t]*([^\r\n]+)`)
	secretMember = regexp.MustCompile(`(?i)([\w.-]*(?:` + secretWord + `)[\w.-]*)\\?["']?\s*(?:=>|[:=])\s*(?:\[\s*)?(?:\\?"((?:[^"\\]|\\[^"])*)|'((?:[^'\\]|\\.)*)'|([^\s"'\\,;&\])}>]+))`)
	metadataKey  = regexp.MustCompile(`(?i)key:\s*"([^"]*(?:` + secretWord + `)[^"]*)"\s+value:\s*"((?:[^"\\]|\\.)*)"`)
	scheme       = regexp.MustCompile(`(?i)\b(bearer|basic|digest|negotiate|ntlm|dpop|apikey|hawk|aws4-hmac-sha256)[ \t]+([A-Za-z0-9._~+/-]{4,}=*)`)
	userInfo     = regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://([^\s/@:]*):([^\s/@]+)@`)
	query        = regexp.MustCompile(`[?&#]([A-Za-z0-9_.%~-]+)=([^\s&#"'<>\\]+)`)
	// shapes are tokens that are known by what they look like.
	shapes = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?|\b(?:sk|pk|rk|whsec)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9*_-]{8,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{8,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w-]{16,}|\bnpm_[A-Za-z0-9]{20,}|\bhf_[A-Za-z0-9]{16,}|\bSG\.[\w-]{16,}|\bdop_v1_[a-f0-9]{32,}|(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))|hooks\.slack\.com/services/[\w/]+|\bbot[0-9]{6,}:[\w-]{30,}`)
)

// commonWords may stand behind the name of a scheme, and are no credentials.
var commonWords = []string{"authentication", "authorization", "realm", "error", "scope", "token", "tokens", "auth", "credentials", "scheme", "header", "challenge", "required", "expected", "invalid", "missing", "access"}

// findSecrets collects the secrets of a text.
func findSecrets(text []byte) *secrets {
	s := &secrets{seen: map[string]bool{}}
	s.collect(string(text))
	return s
}

func (s *secrets) collect(text string) {
	for _, match := range secretHeader.FindAllStringSubmatch(text, -1) {
		if notSecret.MatchString(match[1]) {
			continue
		}
		value := strings.Trim(strings.TrimSpace(match[2]), `"',]`)
		if strings.Contains(strings.ToLower(match[1]), "cookie") {
			for pair := range strings.SplitSeq(value, ";") {
				if name, v, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && !cookieAttribute(name) {
					s.add(strings.Trim(v, `"`))
				}
			}
			continue
		}
		if kind, credentials, ok := strings.Cut(value, " "); ok && strings.Contains(strings.ToLower(match[1]), "authorization") && len(kind) < 24 {
			s.add(credentials)
			s.add(strings.TrimRight(credentials, "= "))
			for _, match := range quotedValue.FindAllStringSubmatch(credentials, 32) {
				s.add(match[1])
			}
			for part := range strings.SplitSeq(credentials, ",") {
				if _, v, ok := strings.Cut(part, "="); ok {
					s.add(strings.Trim(v, `" `))
				}
			}
			continue
		}
		if headerName.MatchString(match[1]) && !strings.Contains(value, " ") {
			s.add(value)
		}
	}
	for _, match := range secretMember.FindAllStringSubmatch(text, -1) {
		if notSecret.MatchString(match[1]) {
			continue
		}
		s.add(match[2])
		s.add(match[3])
		if looksRandom(match[4]) || hardName.MatchString(match[1]) {
			s.add(match[4])
		}
	}
	for _, match := range metadataKey.FindAllStringSubmatch(text, -1) {
		s.add(match[2])
	}
	for _, match := range scheme.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(commonWords, strings.ToLower(strings.Trim(match[2], "=.,"))) && !strings.HasSuffix(match[2], "=") || looksRandom(match[2]) {
			s.add(match[2])
		}
	}
	for _, match := range userInfo.FindAllStringSubmatch(text, -1) {
		s.add(match[2])
	}
	for _, match := range query.FindAllStringSubmatch(text, -1) {
		if secretName.MatchString(match[1]) && !notSecret.MatchString(match[1]) || queryName.MatchString(match[1]) || len(match[2]) >= 16 && looksRandom(match[2]) {
			s.add(match[2])
			if plain, err := url.QueryUnescape(match[2]); err == nil {
				s.add(plain)
			}
		}
	}
	for _, match := range shapes.FindAllString(text, -1) {
		s.add(match)
	}
}

var (
	quotedValue = regexp.MustCompile(`"([^"]{4,})"`)
	headerName  = regexp.MustCompile(`(?i)^[a-z0-9-]+$`)
	queryName   = regexp.MustCompile(`(?i)^(?:key|code|auth|k|t|pass|hmac|state|nonce|x-amz-.*|sv|se|sp|sr)$`)
	// hardName names what is secret even where it is a common word.
	hardName = regexp.MustCompile(`(?i)passw|secret|passphrase|\bpwd|api[_-]?key|private|session[_-]?id|\bsid\b|cookie|[_-]token|mcp-session`)
)

func cookieAttribute(name string) bool {
	switch strings.ToLower(name) {
	case "path", "domain", "expires", "max-age", "samesite", "priority", "version":
		return true
	}
	return false
}

// looksRandom tells whether a text is not a word: it has digits and letters, or both
// cases, or is long.
func looksRandom(s string) bool {
	digit, lower, upper := false, false, false
	for _, c := range s {
		digit = digit || c >= '0' && c <= '9'
		lower = lower || c >= 'a' && c <= 'z'
		upper = upper || c >= 'A' && c <= 'Z'
	}
	return len(s) >= 6 && (digit && (lower || upper) || len(s) >= 8 && lower && upper) || len(s) >= 24
}

func (s *secrets) add(text string) {
	text = strings.TrimSpace(text)
	if len(text) < minSecret || s.seen[text] || text == Redacted || slices.Contains(plainValues, strings.ToLower(text)) {
		return
	}
	if len(s.seen) >= maxSecrets {
		s.tooMany = true
		return
	}
	s.seen[text] = true
	// As it stands in a string of JSON.
	if escaped := string(appendQuoted(nil, text)); escaped[1:len(escaped)-1] != text {
		s.seen[escaped[1:len(escaped)-1]] = true
	}
	s.replacer = nil
}

// plainValues stand where a secret could, and are none.
var plainValues = []string{"null", "true", "false", "none", "undefined", "code", "message", "status", "details", "error", "type", "reason", "domain", "metadata", "required", "missing", "invalid", "expired"}

// in tells whether a secret is in a text.
func (s *secrets) in(text string) bool { return s.clean(text) != text }

// clean returns a text without the secrets.
func (s *secrets) clean(text string) string {
	switch {
	case s == nil || len(s.seen) == 0 || text == "":
		return text
	case s.tooMany:
		return Redacted
	case s.replacer == nil:
		// The longest first: one may hold another.
		texts := slices.SortedFunc(maps.Keys(s.seen), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		pairs := make([]string, 0, 2*len(texts))
		for _, secret := range texts {
			pairs = append(pairs, secret, Redacted)
		}
		s.replacer = strings.NewReplacer(pairs...)
	}
	return s.replacer.Replace(text)
}

// cleanJSON returns JSON without the secrets: the values of members whose names say
// so, what is collected, and base64 that holds it. changed tells whether one was
// there.
func (s *secrets) cleanJSON(body []byte) (clean []byte, changed bool) {
	s.walk(body, func(name, value string) {
		if named(name) {
			s.add(value)
		}
		s.collect(value)
	})
	d := jsontext.NewDecoder(strings.NewReader(string(body)), lenient)
	var out strings.Builder
	e := jsontext.NewEncoder(&out, lenient)
	for {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() == '"' {
			text := token.String()
			kind, n := d.StackIndex(d.StackDepth())
			isName := kind == '{' && n%2 == 1
			now := s.clean(text)
			if !isName && now == text && len(text) >= 8 && s.inBase64(text) {
				now = ""
			}
			if now != text {
				changed = true
			}
			token = jsontext.String(now)
		}
		if e.WriteToken(token) != nil {
			return body, false
		}
	}
	return []byte(strings.TrimSuffix(out.String(), "\n")), changed
}

// inBase64 tells whether a text is base64 of bytes that hold a secret.
func (s *secrets) inBase64(text string) bool {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if raw, err := encoding.DecodeString(text); err == nil {
			inner := findSecrets(raw)
			return s.in(string(raw)) || inner.in(string(raw))
		}
	}
	return false
}

// named tells whether the value of a member of that name is a secret.
func named(name string) bool { return secretName.MatchString(name) && !notSecret.MatchString(name) }

// walk calls f for every text in JSON, with the name of the member that it is in.
func (s *secrets) walk(body []byte, f func(name, value string)) {
	var v any
	if json.Unmarshal(body, &v, lenient) != nil {
		return
	}
	var visit func(name string, v any)
	visit = func(name string, v any) {
		switch v := v.(type) {
		case string:
			f(name, v)
		case []any:
			for _, element := range v {
				visit(name, element)
			}
		case map[string]any:
			for key, member := range v {
				inner := key
				if named(name) {
					inner = name // what is in a secret is one
				}
				visit(inner, member)
			}
		}
	}
	visit("", v)
}
