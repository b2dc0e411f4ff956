package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// The limits for reading a journal, in bytes. The first record names the session and is short. Its limit is small so that a
// file that is not a journal is rejected before much of it is read.
const (
	maxFirst   = 1 << 20
	maxRecord  = 128 << 20
	maxJournal = 1 << 30
)

// lines reads a journal line by line.
type lines struct {
	in   *bufio.Reader
	buf  []byte
	size int
	// maxRecord and maxJournal are the constants of the same names, except in tests.
	maxRecord, maxJournal int
}

func newLines(r io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), maxRecord: maxRecord, maxJournal: maxJournal}
}

// next returns a line without its newline. complete is false if the line has no newline; only the last line can lack one. The
// line is valid until the next call.
func (l *lines) next(first bool) (line []byte, complete bool, err error) {
	limit := l.maxRecord
	if first {
		limit = maxFirst
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		l.size += len(part)
		switch {
		case len(l.buf) > limit:
			return nil, false, fmt.Errorf("a record of more than %d bytes: not a journal of aura, or a damaged one", limit)
		case l.size > l.maxJournal:
			return nil, false, fmt.Errorf("the journal has more than %d bytes, which is the limit", l.maxJournal)
		case err == nil:
			return l.buf[:len(l.buf)-1], true, nil
		case errors.Is(err, io.EOF):
			return l.buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// ended reports whether there is no more input.
func (l *lines) ended() bool {
	_, err := l.in.Peek(1)
	return err != nil
}
