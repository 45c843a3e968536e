package explain

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"

	"github.com/errmap/errmap/internal/translate"
)

// frames are the messages of a stream of Connect, gRPC or gRPC-Web, each with a byte
// of flags and its length in four bytes before it.
type frames []frame

type frame struct {
	flags byte
	data  []byte
}

const (
	flagCompressed = 0x01
	flagEnd        = 0x02 // of Connect
	flagTrailers   = 0x80 // of gRPC-Web
	frameHead      = 5
)

// splitFrames splits a text that begins with a frame. A last frame that is cut, or
// that a terminal cut, is not among them.
func splitFrames(text []byte) (frames, bool) {
	var all frames
	for len(text) >= frameHead {
		flags, n := text[0], binary.BigEndian.Uint32(text[1:])
		if flags&^(flagCompressed|flagEnd|flagTrailers) != 0 || uint64(n) > uint64(len(text)-frameHead) {
			break
		}
		all = append(all, frame{flags, text[frameHead : frameHead+n]})
		text = text[frameHead+n:]
		if flags&(flagEnd|flagTrailers) != 0 {
			break
		}
	}
	return all, len(all) > 0
}

// recognize reads the end of the stream.
func (all frames) recognize(layer int) (Found, error) {
	last := all[len(all)-1]
	data := last.data
	if last.flags&flagCompressed != 0 {
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, _ = io.ReadAll(io.LimitReader(r, MaxText)) // what there is of it
		}
	}
	switch {
	case last.flags&flagTrailers != 0:
		header, _ := readHeader(data)
		f, err := response{header: header}.grpc()
		return f.inside("the trailers of a gRPC-Web stream"), err
	case last.flags&flagEnd != 0:
		return recognizeEnd(data, layer)
	}
	return Found{}, unknown("it is %d messages of a stream without its end, which has the error", len(all))
}

// recognizeEnd reads the JSON that ends a stream of Connect.
func recognizeEnd(data []byte, layer int) (Found, error) {
	members, ok := readMembers(data)
	if !ok {
		return Found{}, unknown("the end of the Connect stream is no JSON object")
	}
	if members["error"] == nil {
		return Found{}, success("a Connect stream that ended without an error")
	}
	f := Found{Form: translate.Connect, Text: members["error"], Why: "the end of a stream"}
	return f.inside("the end of a Connect stream"), nil
}

// fromBase64 decodes base64, of one piece or of several that each end with padding.
func fromBase64(text []byte) ([]byte, bool) {
	var out []byte
	for text = bytes.TrimSpace(text); len(text) > 0; {
		piece := text
		if pad := bytes.IndexByte(text, '='); pad >= 0 {
			end := pad + 1
			for end < len(text) && text[end] == '=' {
				end++
			}
			piece = text[:end]
		}
		text = text[len(piece):]
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			if part, err := encoding.DecodeString(string(piece)); err == nil {
				out, piece = append(out, part...), nil
				break
			}
		}
		if piece != nil {
			return nil, false
		}
	}
	return out, len(out) > 0
}
