package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// ReadKeys lets a terminal pass on each key at once, without showing it, or each line when it is finished.
func ReadKeys(f *os.File, each bool) error {
	const lines = windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT
	var modes uint32
	if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &modes); err != nil {
		return fmt.Errorf("reading the modes of the terminal: %w", err)
	}
	modes |= lines
	if each {
		modes &^= lines
	}
	if err := windows.SetConsoleMode(windows.Handle(f.Fd()), modes); err != nil {
		return fmt.Errorf("changing the modes of the terminal: %w", err)
	}
	return nil
}
