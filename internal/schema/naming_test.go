package schema_test

import (
	"testing"

	"github.com/errmap/errmap/internal/schema"
)

func TestDefaultReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"OrderNotFoundError", "ORDER_NOT_FOUND"},
		{"OrderNotFound", "ORDER_NOT_FOUND"},
		{"HTTPTimeoutError", "HTTP_TIMEOUT"},
		{"TimeoutHTTP", "TIMEOUT_HTTP"},
		{"MissingTLSCertError", "MISSING_TLS_CERT"},
		{"OAuth2TokenExpiredError", "O_AUTH2_TOKEN_EXPIRED"},
		{"HTTP2StreamError", "HTTP2_STREAM"},
		{"A2AError", "A2_A"},
		{"IPv4Error", "I_PV4"},
		{"Error", "ERROR"},
		{"ErrorError", "ERROR"},
		{"Errors", "ERRORS"},
		{"TerrorError", "TERROR"},
		{"TERROR", "TERROR"},
		{"ABError", "AB"},
		{"X", "X"},
		{"lowerCamelError", "LOWER_CAMEL"},
		{"snake_case_error", "SNAKE_CASE"},
		{"Mixed_CaseError", "MIXED_CASE"},
		{"Mixed_HTTPError", "MIXED_HTTP"},
		{"_Leading", "_LEADING"},
		{"", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := schema.DefaultReason(tt.name); got != tt.want {
				t.Errorf("DefaultReason(%q) = %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

func TestKebab(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, want string }{
		{"ORDER_NOT_FOUND", "order-not-found"},
		{"HTTP2_STREAM", "http2-stream"},
		{"X", "x"},
		{"Ünknown reason", "Ünknown reason"},
		{"", ""},
	} {
		if got := schema.Kebab(tt.reason); got != tt.want {
			t.Errorf("Kebab(%q) = %q, want %q", tt.reason, got, tt.want)
		}
	}
}
