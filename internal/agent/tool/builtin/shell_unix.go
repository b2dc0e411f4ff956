//go:build unix

package builtin

import (
	"os/exec"
	"sync"
)

// guarded is a script that runs the command $1 in the shell $0 and starts a watcher before it. The watcher belongs to the
// command's process group but is not a child of its shell. It waits until aura ends, which closes the lifeline, and then kills
// the process group, including itself. The watcher is running before the command starts any process.
const guarded = `({ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 &); exec 3<&-; exec "$0" -c "$1"`

// plainShell exists on every system. Command lines run in bash if it is available.
const plainShell = "/bin/sh"

// command returns the program that runs a command line, with its arguments.
func command(line string) ([]string, error) {
	return []string{plainShell, "-c", guarded, shell(), line}, nil
}

// shell returns the shell that command lines run in.
var shell = sync.OnceValue(func() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "bash"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return plainShell
})
