package errmap

// The long ways, which the short ones of plain.go are held to.

func SettledJSONRPC(e *Error, p Profile) ([]byte, int64) {
	return settleRPC(nil, e, p, newEncodeOptions(nil))
}

func SettledConnect(e *Error) []byte { return settleConnect(e, newEncodeOptions(nil)) }

func SettledHTTP(e *Error) (int, []byte) { return settleHTTP(e, newEncodeOptions(nil)) }

func SettledGRPC(e *Error) GRPCHeaders { return settleGRPC(e, newEncodeOptions(nil)) }

func PlainJSONRPC(e *Error, p Profile) ([]byte, int64, bool) {
	return appendPlainRPC(nil, e, p, newEncodeOptions(nil))
}

func DecodeShortRPC(body []byte, p Profile) (*Error, bool) {
	return decodePlainRPC(body, p, newDecodeOptions(nil))
}

func DecodeLongRPC(body []byte, p Profile) (*Error, error) {
	return decodeAnyRPC(body, p, newDecodeOptions(nil))
}

func DecodeShortConnect(body []byte) (*Error, bool) {
	return decodePlainConnect(body, newDecodeOptions(nil))
}

func DecodeLongConnect(body []byte) (*Error, error) {
	return decodeAnyConnect(body, newDecodeOptions(nil))
}
