package explain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/explain"
)

// Bodies of services that no test can reach, with the members that the documentation
// named beside each has, and values of our own.
func TestFinding_N06_services(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source, text  string
		what          string // a part of what it is called
		code, message string
		seconds       float64
		known, detail string // parts of what is told
	}{
		{"kubernetes.io, Status v1 meta", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"wait a bit","reason":"TooManyRequests","details":{"retryAfterSeconds":10},"code":429}`,
			"Kubernetes", "RESOURCE_EXHAUSTED", "wait a bit", 10, "TooManyRequests", ""},
		{"kubernetes.io, StatusDetails v1 meta", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"web is invalid","reason":"Invalid","details":{"name":"web","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueInvalid","message":"must be above 0","field":"spec.replicas"}]},"code":422}`,
			"Kubernetes", "FAILED_PRECONDITION", "web is invalid", 0, "apps", "spec.replicas: must be above 0"},
		{"docs.stripe.com/api/errors", `{"error":{"type":"card_error","code":"card_declined","decline_code":"insufficient_funds","message":"No funds.","doc_url":"https://docs.example.com/declined"}}`,
			"Stripe", "FAILED_PRECONDITION", "No funds.", 0, "insufficient_funds", "https://docs.example.com/declined"},
		{"docs.stripe.com/api/errors, a parameter", `{"error":{"type":"invalid_request_error","code":"parameter_missing","param":"amount","message":"Which amount?","request_log_url":"https://dashboard.example.com/1"}}`,
			"Stripe", "INVALID_ARGUMENT", "Which amount?", 0, "parameter_missing", "amount: Which amount?"},
		{"docs.github.com, troubleshooting the REST API", `{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}],"documentation_url":"https://docs.example.com/rest","status":"422"}`,
			"GitHub", "FAILED_PRECONDITION", "Validation Failed", 0, "HTTP status 422", "Issue.title: missing_field"},
		{"docs.github.com, bad credentials", `{"message":"Bad credentials","documentation_url":"https://docs.example.com/rest"}`,
			"GitHub", "UNAUTHENTICATED", "Bad credentials", 0, "no HTTP status was shown", ""},
		{"learn.microsoft.com/graph/errors", `{"error":{"code":"itemNotFound","message":"No such item.","innerError":{"code":"deleted","request-id":"r-1","client-request-id":"r-2","date":"2026-01-02T03:04:05"}}}`,
			"Microsoft", "NOT_FOUND", "No such item.", 0, "deleted", "the request is r-1"},
		{"learn.microsoft.com, Azure Resource Manager", `{"error":{"code":"InvalidTemplate","message":"It is invalid.","target":"parameters","details":[{"code":"MissingParameter","target":"name","message":"needed"}]}}`,
			"Microsoft", "INVALID_ARGUMENT", "It is invalid.", 0, "InvalidTemplate", "name: needed"},
		{"docs.spring.io, DefaultErrorAttributes", `{"timestamp":"2026-01-02T03:04:05.000+00:00","status":404,"error":"Not Found","message":"No order","path":"/orders/7"}`,
			"Spring", "NOT_FOUND", "No order", 0, "HTTP status 404", ""},
		{"docs.spring.io, ProblemDetail", `{"type":"https://shop.example.com/errors/locked","title":"Locked","status":423,"detail":"It is locked","instance":"/orders/7"}`,
			"problem", "FAILED_PRECONDITION", "It is locked", 0, "https://shop.example.com/errors/locked", ""},
		{"a problem whose status is a string", `{"type":"about:blank","title":"Not Found","status":"404","detail":"No order","instance":"/orders/7"}`,
			"problem", "NOT_FOUND", "No order", 0, "/orders/7", ""},
		{"platform.openai.com/docs/guides/error-codes", `{"error":{"message":"Too fast","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			"OpenAI", "RESOURCE_EXHAUSTED", "Too fast", 0, "rate_limit_exceeded, of the kind requests", ""},
		{"docs.anthropic.com/en/api/errors", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r-1"}`,
			"Anthropic", "UNAVAILABLE", "Overloaded", 0, "overloaded_error", "the request is r-1"},
		{"RFC 6749 section 5.2", `{"error":"invalid_grant","error_description":"It is expired"}`,
			"OAuth", "INVALID_ARGUMENT", "It is expired", 0, "invalid_grant", ""},
		{"RFC 6750 section 3", "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\", error_description=\"It expired\"\r\n\r\n",
			"OAuth", "UNAUTHENTICATED", "It expired", 0, "invalid_token", ""},
		{"spec.graphql.org, section 7.1", `{"errors":[{"message":"Not for you","path":["order",0],"extensions":{"code":"FORBIDDEN"}}],"data":null}`,
			"GraphQL", "PERMISSION_DENIED", "Not for you", 0, "order.0", ""},
		{"jsonapi.org, error objects", `{"errors":[{"status":"422","source":{"pointer":"/data/attributes/name"},"title":"Invalid","detail":"It is short"}]}`,
			"JSON:API", "FAILED_PRECONDITION", "It is short", 0, "HTTP status 422", "/data/attributes/name: It is short"},
		{"discord.com/developers, rate limits", `{"message":"Slow down.","retry_after":64.5,"global":false}`,
			"Discord", "RESOURCE_EXHAUSTED", "Slow down.", 64.5, "", ""},
		{"core.telegram.org/bots/api, ResponseParameters", `{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":5}}`,
			"Telegram", "RESOURCE_EXHAUSTED", "Too Many Requests", 5, "", ""},
		{"docs.aws.amazon.com, DynamoDB errors", `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"No table"}`,
			"Amazon", "NOT_FOUND", "No table", 0, "ResourceNotFoundException", ""},
		{"docs.aws.amazon.com, S3 error responses", "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code><Message>No such key.</Message><Key>a.txt</Key><RequestId>R1</RequestId></Error>",
			"XML", "NOT_FOUND", "No such key.", 0, "NoSuchKey", "the request is R1"},
		{"envoyproxy.io, response flags", "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
			"Envoy", "UNAVAILABLE", "upstream connect error or disconnect/reset before headers. reset reason: connection failure", 0, "", ""},
		{"developers.cloudflare.com, 5xx errors", "<!DOCTYPE html><html><head><title>shop.example.com | 502: Bad gateway</title></head><body><h1>Bad gateway</h1>Cloudflare Ray ID: <strong>7c1b2e3f4a5b6c7d</strong></body></html>",
			"Cloudflare", "UNAVAILABLE", "shop.example.com | 502: Bad gateway", 0, "7c1b2e3f4a5b6c7d", ""},
		{"docs.rs/tonic, Status", `status: NotFound, message: "no \"order\"", details: [], metadata: MetadataMap { headers: {} }`,
			"gRPC", "NOT_FOUND", `no "order"`, 0, "", ""},
		{"learn.microsoft.com, Grpc.Core.RpcException", "Unhandled exception. Grpc.Core.RpcException: Status(StatusCode=\"NotFound\", Detail=\"no order\")\n   at Shop.Main()",
			"gRPC", "NOT_FOUND", "no order", 0, "", ""},
		{"pub.dev/packages/grpc, GrpcError", "gRPC Error (code: 5, codeName: NOT_FOUND, message: no order, details: [], rawResponse: null, trailers: {})",
			"gRPC", "NOT_FOUND", "no order", 0, "", ""},
		{"rubydoc.info/gems/grpc, BadStatus", "GRPC::NotFound: 5:no order. debug_error_string:{UNKNOWN:Error received}",
			"gRPC", "NOT_FOUND", "no order", 0, "", ""},
		{"modelcontextprotocol.io, CallToolResult", `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"No weather there"}],"isError":true}}`,
			"MCP", "UNKNOWN", "No weather there", 0, "", ""},
		{"connectrpc.com, EndStreamResponse", `{"error":{"code":"resource_exhausted","message":"slow down"},"metadata":{"a":["b"]}}`,
			"Connect", "RESOURCE_EXHAUSTED", "slow down", 0, "", ""},
		{"html.spec.whatwg.org, server-sent events", "event: error\ndata: {\"error\":{\"code\":\"not_found\",\"message\":\"gone\"}}\n\n",
			"Connect", "NOT_FOUND", "gone", 0, "", ""},
		{"a service that nobody knows", `{"success":false,"errorCode":"ORDER_LOCKED","errorMessage":"It is locked","retryAfter":30,"requestId":"r-9"}`,
			"a service's own", "UNKNOWN", "It is locked", 30, "ORDER_LOCKED", "the request is r-9"},
		{"what Python prints of a body", `shop.NotFoundError: Error code: 404 - {'error': {'message': "It isn't there", 'type': 'x_error', 'param': None, 'code': 'gone'}}`,
			"OpenAI", "NOT_FOUND", "It isn't there", 0, "gone", ""},
		{"headers in the tools of Chromium", ":status: 200\ncontent-type: application/grpc\ngrpc-status: 5\ngrpc-message: no%20order",
			"gRPC", "NOT_FOUND", "no order", 0, "", ""},
		{"headers whose values stand in the next line", "Request URL:\nhttps://shop.example.com/x\nStatus Code:\n503 Service Unavailable\ncontent-type\ntext/plain\nretry-after\n7",
			"", "UNAVAILABLE", "HTTP status 503 Service Unavailable", 7, "", ""},
		{"an archive of a browser (HAR)", `{"log":{"version":"1.2","entries":[{"response":{"status":200,"headers":[],"content":{"text":"{}"}}},{"response":{"status":404,"headers":[{"name":"content-type","value":"application/json"}],"content":{"text":"{\"code\":\"not_found\",\"message\":\"gone\"}"}}}]}}`,
			"Connect", "NOT_FOUND", "gone", 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			t.Parallel()
			report, got := told(t, []byte(tt.text))
			if !strings.Contains(report.What, tt.what) || got.Code != tt.code || got.Message != tt.message {
				t.Errorf("%q %s %q, want %q %s %q", report.What, got.Code, got.Message, tt.what, tt.code, tt.message)
			}
			if seconds := got.Retry.Seconds; tt.seconds != 0 && (seconds == nil || *seconds != tt.seconds) {
				t.Errorf("retry %+v, want after %v s", got.Retry, tt.seconds)
			}
			var known strings.Builder
			for _, fact := range report.Known {
				known.WriteString(fact.Label + " " + fact.Text + "\n")
			}
			if !strings.Contains(known.String(), tt.known) {
				t.Errorf("no %q in %q", tt.known, known.String())
			}
			if details := strings.Join(got.Details, "\n"); !strings.Contains(details, tt.detail) {
				t.Errorf("no %q in %q", tt.detail, details)
			}
		})
	}
}

// What has no error in it is no error, though it looks a little like one.
func TestRecognize_success(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"data: {\"status\":\"completed\"}\n\ndata: [DONE]\n\n",
		"data: {\"code\":7,\"name\":\"x\"}\n\n",
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}`,
		"\x02\x00\x00\x00\x02{}",
		"HTTP/2 200\r\ncontent-type: application/grpc\r\n\r\ngrpc-status: 0\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"code\":7,\"name\":\"x\"}",
		"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n",
		`{"log":{"entries":[{"response":{"status":200,"headers":[],"content":{}}}]}}`,
	} {
		if f, err := explain.Recognize([]byte(text)); !errors.Is(err, explain.ErrSuccess) {
			t.Errorf("%q is %+v, %v, want a success", text, f, err)
		}
	}
}
