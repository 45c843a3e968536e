package errmap

import statuspb "google.golang.org/genproto/googleapis/rpc/status"

// PercentEncode is percentEncode for the tests.
func PercentEncode(s string) string { return percentEncode(s) }

// PercentDecode is percentDecode for the tests.
func PercentDecode(s string) string { return percentDecode(s) }

// ParseStatus is parseStatus for the tests.
func ParseStatus(b []byte) (s *statuspb.Status, strict bool, err error) {
	return parseStatus(b, 1<<20, new(notes))
}
