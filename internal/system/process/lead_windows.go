package process

import (
	"fmt"
	"os"
)

// Lead is not used on this system, which has no jobs of a terminal.
func Lead([]string) int {
	fmt.Fprintf(os.Stderr, "%s is for aura's own use\n", LeadArgument)
	return ReaperStatus
}
