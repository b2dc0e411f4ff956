package sandbox

import (
	"os"
	"slices"
)

// markName is the variable by which the programs of a call are found if there is no process namespace; see process.NewMark.
const markName = "AURA_SANDBOX"

// Marked adds the mark of this process to the environment of a program that a Tool starts.
func Marked(env []string) []string {
	mark := os.Getenv(markName) //nolint:forbidigo // the mark is how descendants are found, not a setting
	if mark == "" {
		return env
	}
	return append(slices.Clip(env), markName+"="+mark)
}
