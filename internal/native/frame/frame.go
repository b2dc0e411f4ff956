// Package frame reads and writes the frames of the protocol of docs/guests.md. Compiled plugins contain it, so it imports only the standard
// library.
package frame

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Max is the size of the largest frame, in bytes.
const Max = 64 << 20

// headSize is the size of the length before each frame, in bytes.
const headSize = 4

// ErrTooLarge means that a frame was not sent because of its size.
var ErrTooLarge = fmt.Errorf("a frame has more than the limit of %d MiB", Max>>20)

// Write writes a frame at once. It fails without writing if the frame is too large.
func Write(w io.Writer, text []byte) error {
	if len(text) > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(text))
	}
	frame := make([]byte, headSize, headSize+len(text))
	binary.BigEndian.PutUint32(frame, uint32(len(text)))
	_, err := w.Write(append(frame, text...))
	return err
}

// Read reads one frame. It returns io.EOF if the other side ended the stream between two frames. It allocates memory as the
// bytes arrive, because the other side may never send them.
func Read(r io.Reader) ([]byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > Max {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	text, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(text)) < size {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}
