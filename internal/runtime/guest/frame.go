package guest

import (
	"errors"
	"io"
	"os"

	"github.com/idelchi/aura/shared/frame"
)

// errTooLarge distinguishes a frame that was not sent because of its size.
var errTooLarge = frame.ErrTooLarge

func writeFrame(w io.Writer, text []byte) error { return frame.Write(w, text) }

func readFrame(r io.Reader) ([]byte, error) { return frame.Read(r) }

// ended reports whether an error of readFrame means that the other side closed the stream or exited.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded)
}
