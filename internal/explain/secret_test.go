package explain_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
)

// both returns a report as people and as tools get it.
func both(t *testing.T, text string) string {
	t.Helper()
	report, _ := told(t, []byte(text))
	var b strings.Builder
	if err := report.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Credentials, cookies and ids of sessions are nowhere shown, wherever they stand and
// in whatever encoding they come.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const secret = "Zq7hVf93kLmT0xWd"
	withDetail := errmap.NewCode(code.Code_NOT_FOUND, "gone").WithDetail(&errdetails.ErrorInfo{Reason: "GONE", Domain: "shop.example.com", Metadata: map[string]string{"sessionToken": secret}})
	head := "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n%s\r\n{\"code\":\"not_found\",\"message\":\"no %s there\"}"
	for name, text := range map[string]string{
		"Authorization":            fmt.Sprintf(head, "Authorization: Bearer "+secret+"\r\n", secret),
		"Authorization, basic":     fmt.Sprintf(head, "Authorization: Basic "+secret+"==\r\n", secret),
		"Authorization, digest":    fmt.Sprintf(head, `Authorization: Digest username="me", response="`+secret+"\"\r\n", secret),
		"Set-Cookie":               fmt.Sprintf(head, "Set-Cookie: id="+secret+"; Path=/; HttpOnly\r\n", secret),
		"Mcp-Session-Id":           fmt.Sprintf(head, "Mcp-Session-Id: "+secret+"\r\n", secret),
		"X-Api-Key":                fmt.Sprintf(head, "X-Api-Key: "+secret+"\r\n", secret),
		"a header of one's own":    fmt.Sprintf(head, "X-Shop-Auth-Token: "+secret+"\r\n", secret),
		"curl -v":                  "> GET / HTTP/1.1\r\n> Cookie: a=b1c2; sid=" + secret + "\r\n< HTTP/1.1 404 Not Found\r\n< content-type: application/json\r\n< \r\n{\"code\":\"not_found\",\"message\":\"" + secret + "\"}",
		"curl -v over HTTP/2":      "* [HTTP/2] [1] [authorization: Bearer " + secret + "]\n< HTTP/2 404\n< content-type: application/json\n<\n{\"code\":\"not_found\",\"message\":\"" + secret + "\"}",
		"a query":                  `{"code":"not_found","message":"GET https://shop.example.com/x?access_token=` + secret + `&a=1 failed"}`,
		"a query, random":          `{"code":"not_found","message":"GET https://shop.example.com/x?u=` + secret + `&a=1 failed"}`,
		"a URL with a password":    `{"code":"not_found","message":"postgres://app:` + secret + `@db:5432 is gone"}`,
		"a member":                 `{"error":{"code":404,"message":"gone","status":"NOT_FOUND","password":"` + secret + `"}}`,
		"a member in members":      `{"error":{"code":404,"message":"gone","status":"NOT_FOUND","request":{"headers":{"cookie":["` + secret + `"]}}}}`,
		"JSON in a string":         `{"error":{"code":404,"message":"gone","status":"NOT_FOUND","raw":"{\"api_key\":\"` + secret + `\"}"}}`,
		"a problem":                `{"type":"about:blank","title":"x","status":404,"detail":"gone","clientSecret":"` + secret + `"}`,
		"metadata":                 `{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE","domain":"shop.example.com","metadata":{"session_id":"` + secret + `"}}]}`,
		"details in base64":        errmap.EncodeGRPC(withDetail).String(),
		"a detail in base64":       string(errmap.EncodeConnect(withDetail)),
		"an unknown type":          `{"code":"not_found","details":[{"type":"acme.v9.Mystery","value":"` + base64.RawStdEncoding.EncodeToString([]byte("\x0a\x30password="+secret)) + `"}]}`,
		"a percent-encoded text":   "grpc-status: 5\ngrpc-message: " + url.PathEscape("token="+secret),
		"JSON-RPC data":            `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone","data":{"apiKey":"` + secret + `"}}}`,
		"a line of a log":          `level=error msg="call failed" auth_token=` + secret + ` err="rpc error: code = NotFound desc = Bearer ` + secret + ` is no good"`,
		"a record of a log":        `{"level":"error","time":1,"headers":{"authorization":"Bearer ` + secret + `"},"err":"rpc error: code = NotFound desc = ` + secret + `"}`,
		"a service's body":         `{"error":{"message":"Incorrect API key provided: ` + secret + `","type":"invalid_request_error","param":null,"code":"invalid_api_key","api_key":"` + secret + `"}}`,
		"Python":                   `Error code: 404 - {'error': {'message': 'gone ` + secret + `', 'type': 'x', 'param': None, 'code': 'y', 'token': '` + secret + `'}}`,
		"a key known by its shape": `{"code":"not_found","message":"sk-live` + secret + ` is no key, nor ghp_` + secret + `"}`,
		"a JWT":                    `{"code":"not_found","message":"eyJhbGciOiJIUzI1NiJ9.` + secret + `.` + secret + ` is expired"}`,
		"a page":                   "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1>/x?token=" + secret + "</body></html>",
		"devtools":                 ":status: 404\nset-cookie: sid=" + secret + "; Path=/\ncontent-type: application/json\n\n{\"code\":\"not_found\",\"message\":\"" + secret + "\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := both(t, text)
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))[:18]} {
				if strings.Contains(shown, form) {
					t.Errorf("the secret is shown:\n%s", shown)
				}
			}
			if !strings.Contains(shown, `"code": "NOT_FOUND"`) && name != "a service's body" {
				t.Errorf("the error is not told:\n%s", shown)
			}
		})
	}
}

// What is no secret stays, though its name or its place could have one.
func TestSecrets_kept(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"error":"invalid_token","error_description":"The token is expired"}`:                                                            "The token is expired",
		`{"code":"unauthenticated","message":"invalid token: unexpected end of input"}`:                                                   "invalid token: unexpected end of input",
		`{"code":"unauthenticated","message":"Bearer authentication required"}`:                                                           "Bearer authentication required",
		`{"error":{"message":"x","type":"tokens","param":null,"code":"rate_limit_exceeded","total_tokens":12}}`:                           "rate_limit_exceeded",
		`{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"GHJNPQBQTPBYRKPGBR"}]}`: "GHJNPQBQTPBYRKPGBR",
	} {
		if shown := both(t, text); !strings.Contains(shown, want) || strings.Contains(shown, explain.Redacted) {
			t.Errorf("no %q in:\n%s", want, shown)
		}
	}
}

// Characters that would steer a terminal, turn the order of text or hide it are shown
// as what they are, to people and to tools.
func TestPrintable(t *testing.T) {
	t.Parallel()
	shown := both(t, "{\"code\":\"not_found\",\"message\":\"a\\u001b[31mb\\u202egnp.exe\\u2066c\\u200bd\\u009b2Je\\u0007\\u2028f\"}")
	for _, c := range shown {
		if strings.ContainsRune("\x1b\u202e\u2066\u200b\u009b\a\u2028", c) {
			t.Errorf("%U is in the report", c)
		}
	}
	for _, want := range []string{`a\x1b[31mb\u202egnp.exe\u2066c\u200bd\u009b2Je\a\u2028f`, `"a\u001b[31mb\u202egnp.exe\u2066c\u200bd\u009b2Je\u0007\u2028f"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in:\n%s", want, shown)
		}
	}
}

// However many stand before it, a secret is not shown.
func TestSecrets_many(t *testing.T) {
	t.Parallel()
	const secret = "Zq7hVf93kLmT0xWd"
	response := "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n%sX-Api-Key: " + secret + "\r\n\r\n{\"code\":\"not_found\",\"message\":\"no " + secret + " there\"}"
	for name, before := range map[string]func(i int) string{
		"the same": func(int) string { return "X-Api-Key: anotherOne1\r\n" },
		"common":   func(int) string { return "X-Token: null\r\n" },
		"others":   func(i int) string { return fmt.Sprintf("X-Api-Key: Other%dSecret\r\n", i) },
	} {
		var many strings.Builder
		for i := range 12_000 {
			many.WriteString(before(i))
		}
		if got := both(t, fmt.Sprintf(response, many.String())); strings.Contains(got, secret) || !strings.Contains(got, explain.Redacted) {
			t.Errorf("%s: shown in %.500s", name, got)
		}
	}
}
