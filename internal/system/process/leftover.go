package process

import (
	"errors"
	"io"
	"os"
)

// maxDrain is how many bytes are read after the deadline at most, in case a descendant that was not found keeps writing. It is
// the largest size of a pipe by default on Linux.
const maxDrain = 1 << 20

// Leftover returns a reader of one of Spec.ReadEnds. Reads from such a file end soon after the process does, also if the reader was too slow
// for what the process had written by then. This reader still gets that.
func Leftover(f *os.File) io.Reader { return &leftover{from: f} }

type leftover struct {
	from *os.File
	// late is how many bytes were read after the deadline.
	late int
}

func (l *leftover) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || l.late >= maxDrain || len(p) == 0 {
		return n, err
	}
	n, err = readNow(l.from, p)
	l.late += n
	return n, err
}
