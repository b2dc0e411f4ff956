package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/idelchi/aura/shared"
)

// headSize is the size of the length before each frame, in bytes.
const headSize = 4

// writeFrame writes a frame at once. It fails without writing if the frame is too large.
func writeFrame(w io.Writer, text []byte) error {
	if len(text) > shared.MaxMessage {
		return fmt.Errorf("%w: %d bytes", errTooLarge, len(text))
	}
	frame := make([]byte, headSize, headSize+len(text))
	binary.BigEndian.PutUint32(frame, uint32(len(text)))
	_, err := w.Write(append(frame, text...))
	return err
}

// errTooLarge distinguishes a frame that was not sent because of its size.
var errTooLarge = fmt.Errorf("a frame has more than the limit of %d MiB", shared.MaxMessage>>20)

// readFrame reads one frame. It returns io.EOF if the other side ended the stream between two frames. It allocates memory as the
// bytes arrive, because the other side may never send them.
func readFrame(r io.Reader) ([]byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > shared.MaxMessage {
		return nil, fmt.Errorf("%w: %d bytes", errTooLarge, size)
	}
	text, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(text)) < size {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// ended reports whether an error of readFrame means that the other side closed the stream or exited.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded)
}
