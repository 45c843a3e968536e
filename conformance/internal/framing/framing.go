// Package framing reads and writes the messages by which the conformance runner
// talks to the programs under test.
package framing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"
)

// Read reads one message with its length before it, four bytes in network order.
// It returns io.EOF where nothing more comes, and io.ErrUnexpectedEOF in mid-message.
func Read(r io.Reader, m proto.Message) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err
	}
	data := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, data); err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	if err := proto.Unmarshal(data, m); err != nil {
		return fmt.Errorf("read %T: %w", m, err)
	}
	return nil
}

// Write writes one message in the form that Read reads, in one call of w.Write.
func Write(w io.Writer, m proto.Message) error {
	data, err := proto.MarshalOptions{}.MarshalAppend(make([]byte, 4), m)
	if err != nil {
		return fmt.Errorf("write %T: %w", m, err)
	}
	binary.BigEndian.PutUint32(data, uint32(len(data)-4))
	_, err = w.Write(data)
	return err
}
