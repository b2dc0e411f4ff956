//go:build unix

package process

import (
	"os/exec"
	"slices"
)

// guardShell is on every Unix.
const guardShell = "/bin/sh"

// guardScript starts a watcher and becomes the program $0. The watcher belongs to the program's process group but is no child of the
// program; it waits for the end of aura, which is the end of descriptor 3, and then kills the group, itself included.
const guardScript = `({ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 &); exec 3<&-; exec "$0" "$@"`

// guard puts a watcher before the program of a command.
func guard(cmd *exec.Cmd) {
	cmd.Args = slices.Concat([]string{guardShell, "-c", guardScript, cmd.Path}, cmd.Args[1:])
	cmd.Path = guardShell
}
