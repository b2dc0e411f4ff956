package acp

import (
	"bufio"
	"errors"
	"io"
)

// errLong is a line that is longer than a message may be.
var errLong = errors.New("the line is too long")

// lines reads messages, one per line.
type lines struct {
	in *bufio.Reader
	// most is the maximum length of a line in bytes.
	most int
}

func newLines(in io.Reader, most int) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// next returns the next line without its line ending. The caller owns it. A line that is too long is read to its end and not kept;
// next returns errLong, and the line after it can be read. Input that ends within a line returns io.ErrUnexpectedEOF.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.most+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (long || len(line) > 0):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case long:
			return nil, errLong
		default:
			return line[:len(line)-1], nil
		}
	}
}
