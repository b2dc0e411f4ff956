package plaintext

import (
	"fmt"
	"strings"
)

// OneLine returns text with every run of white space as one blank, so that it cannot imitate further lines of a message.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// OnOff returns "on" or "off".
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Counted returns a number and what is counted, such as "1 file" or "3 files".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
