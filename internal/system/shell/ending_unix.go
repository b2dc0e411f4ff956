//go:build unix

package shell

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// ending is the descriptor on which the child reports the exit status of the line. The status of the process itself is ambiguous: the
// first process of a namespace does not die by a signal of its own, but exits, with a status that a line could have too.
const ending = "4"

// withEnding adds the descriptor to a specification. The caller must call closeTheirs when the process has started or failed to start.
func (p *lineProcess) withEnding(s process.Spec) (out process.Spec, closeTheirs func(), err error) {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return s, nil, fmt.Errorf("opening a pipe: %w", err)
	}

	p.ending = ours
	s.Files, s.ReadEnds = []*os.File{theirs}, []*os.File{ours}

	return s, func() { _ = theirs.Close() }, nil
}

// announced returns the status that the child reported, and closes the descriptor. It returns false if the child died before. The child
// must have ended.
func (p *lineProcess) announced() (status int, ok bool) {
	defer func() { _ = p.ending.Close() }()

	said := make([]byte, 1)
	n, err := process.Leftover(p.ending).Read(said)

	return int(said[0]), err == nil && n == 1
}

// announce reports the exit status of the line to the parent.
func announce(descriptor string, status int) error {
	fd, err := strconv.Atoi(descriptor)
	if err != nil {
		return fmt.Errorf("descriptor %q is not a number", descriptor)
	}

	_, err = unix.Write(fd, []byte{byte(status)})

	return err
}

// reserve keeps the descriptor from the programs of the line.
func reserve(descriptor string) {
	if fd, err := strconv.Atoi(descriptor); err == nil {
		unix.CloseOnExec(fd)
	}
}
