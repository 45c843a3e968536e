// Package protofield passes over the fields of Protobuf bytes that nobody has read yet.
package protofield

import "google.golang.org/protobuf/encoding/protowire"

// Each calls f for each field of a message that has a length: messages, strings, bytes and
// packed lists. It ends at the first error of f, which it returns, and, without one, at
// what is malformed: whoever reads the message says so.
func Each(raw []byte, f func(number protowire.Number, value []byte) error) error {
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return nil
		}
		raw = raw[n:]
		if n = protowire.ConsumeFieldValue(number, kind, raw); n < 0 {
			return nil
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(raw)
			if err := f(number, value); err != nil {
				return err
			}
		}
		raw = raw[n:]
	}
	return nil
}
