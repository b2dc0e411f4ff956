package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/idelchi/aura/internal/ui/terminal"
)

// output is standard output. It remembers write errors, so that no command has to check for them.
type output struct {
	io.Writer

	mu sync.Mutex
	// lost is the first failure. closed is set if the reader closed the pipe, which is not a failure.
	lost   error
	closed bool
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.recordFailure(err)
	return n, err
}

// recordFailure stores the first error of writing, and separately whether the reader has closed the pipe.
func (o *output) recordFailure(err error) {
	if err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if errors.Is(err, syscall.EPIPE) {
		o.closed = true
	} else if o.lost == nil {
		o.lost = err
	}
}

// Print implements terminal.Printer.
func (o *output) Print(text terminal.Styled) error {
	err := terminal.Print(o.Writer, text)
	o.recordFailure(err)
	return err
}

// finalError returns the final error of a command that returned err. It takes into account whether all output could be written.
func (o *output) finalError(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed && errors.Is(err, syscall.EPIPE):
		return nil
	case o.lost != nil && (err == nil || errors.Is(err, o.lost)):
		return fmt.Errorf("writing the output, of which a part is missing: %w", o.lost)
	default:
		return err
	}
}
