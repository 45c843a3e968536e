package errmap

import statuspb "google.golang.org/genproto/googleapis/rpc/status"

// PercentEncode is percentEncode for the tests.
func PercentEncode(s string) string { return percentEncode(s) }

// PercentDecode is percentDecode for the tests.
func PercentDecode(s string) string { return percentDecode(s) }

// ParseStatus is parseStatus for the tests.
func ParseStatus(b []byte) (*statuspb.Status, []string, error) {
	var n notes
	s, _, err := parseStatus(b, 1<<20, &n)
	return s, n, err
}
