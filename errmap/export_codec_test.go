package errmap

import "github.com/errmap/errmap/internal/wire"

// PercentEncode is that of grpc-message, for the tests.
func PercentEncode(s string) string { return wire.PercentEncode(s) }

// PercentDecode is that of grpc-message, for the tests.
func PercentDecode(s string) string { return wire.PercentDecode(s) }
