package inflight

import "bytes"

// valueBytes is about what a JSON value becomes that has no text of its own, such as {}
// or 0: a node while it is parsed, and a message of Protobuf, of which the smallest has
// 64 bytes and a pointer.
const valueBytes = 96

// Values counts the values, and the names of members not, that JSON has at most, at a
// fraction of the cost to parse it. It need not be valid.
func Values(body []byte) int {
	n := 1
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[', ',':
			n++
		case '"':
			i = closing(body, i+1)
		}
	}
	return n
}

// closing is where a string ends that begins at i.
func closing(body []byte, i int) int {
	for {
		end := bytes.IndexByte(body[i:], '"')
		if end < 0 {
			return len(body)
		}
		end += i
		escapes := 0
		for end-escapes > i && body[end-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// Weighed is what the values of a body count beside its bytes: what is made of them. One
// body alone may be as large as the limits let it.
func (b *Budget) Weighed(values int) int64 {
	return min(Counted(values*valueBytes), b.Share())
}
