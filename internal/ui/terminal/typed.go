package terminal

import (
	"fmt"
	"os"
)

// DiscardTyped discards what was typed on a terminal and not yet read, including an unfinished line.
func DiscardTyped(f *os.File) error {
	if err := discardTyped(f); err != nil {
		return fmt.Errorf("discarding what was typed before the question: %w", err)
	}
	return nil
}
