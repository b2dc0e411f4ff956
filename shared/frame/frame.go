// Package frame reads and writes the frames of the protocol of docs/guests.md. Compiled plugins contain it, so it imports only the standard
// library.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/idelchi/aura/shared/exact"
)

// Max is the size of the largest frame, in bytes.
const Max = 64 << 20

// headSize is the size of the length before each frame, in bytes.
const headSize = 4

// ErrTooLarge means that a frame was not sent because of its size.
var ErrTooLarge = fmt.Errorf("a frame has more than the limit of %d MiB", Max>>20)

// Write writes the parts of one frame. It fails without writing if the frame is too large. The caller allows no other writes meanwhile.
func Write(w io.Writer, parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, headSize+min(size, joined)), uint32(size)) //nolint:gosec // at most Max
	for _, part := range parts {
		if len(head)+len(part) <= joined {
			head = append(head, part...)
			continue
		}
		for _, b := range [][]byte{head, part} {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		head = head[:0]
	}
	if len(head) == 0 {
		return nil
	}
	_, err := w.Write(head)
	return err
}

// joined is how many bytes of a frame are copied to be written at once. A larger part is written as it is, because memory is limited.
const joined = 32 << 10

// Read reads one frame. It returns io.EOF if the other side ended the stream between two frames.
func Read(r io.Reader) ([]byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	if size > Max {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	exact.MakeRoom(size)
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	return text, nil
}
