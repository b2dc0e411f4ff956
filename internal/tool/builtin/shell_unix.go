//go:build unix

package builtin

import (
	"os/exec"
	"sync"
)

// guarded starts a watcher beside the command, $1, for the shell $0. The watcher belongs to the command's process group but is no child of
// its shell; it waits for the end of aura, which is the end of the lifeline, and then kills the group, itself included. It is there before
// the command starts anything.
const guarded = `({ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 &); exec 3<&-; exec "$0" -c "$1"`

// plainShell is on every system; command lines run in bash if there is one.
const plainShell = "/bin/sh"

// command is the program that runs a command line, with its arguments.
func command(line string) ([]string, error) {
	return []string{plainShell, "-c", guarded, shell(), line}, nil
}

// shell is what command lines run in.
var shell = sync.OnceValue(func() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "bash"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return plainShell
})
