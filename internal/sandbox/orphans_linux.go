package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// markName is the variable by which the programs of a call are known where there is no process namespace; see process.NewMark.
const markName = "AURA_SANDBOX"

// adoptOrphans makes this process the parent of whatever its descendants leave behind, so that all of them can be found.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting orphans: %w", err)
	}
	return nil
}

// endRounds bounds the search for processes that start others while they are killed.
const endRounds = 1000

// endDescendants kills all processes below this one. The children of a killed one move up to this process, which has adopted
// orphans, and are found next. A confined process sees no entries of /proc but its own, and these name its children.
func endDescendants() {
	done := make(chan struct{})
	// Before Landlock knew threads, only the one that starts programs could signal them.
	Fork(func() {
		defer close(done)
		for range endRounds {
			children := children()
			if len(children) == 0 {
				return
			}
			for _, pid := range children {
				_ = unix.Kill(pid, unix.SIGKILL)
				// Whoever waits for it elsewhere finds it gone.
				_, _ = unix.Wait4(pid, nil, 0, nil)
			}
		}
	})
	<-done
}

// children lists the children of all threads of this process.
func children() []int {
	// The pattern is well formed.
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	var out []int
	for _, list := range lists {
		// A thread may have ended since.
		data, _ := os.ReadFile(list)
		for field := range bytes.FieldsSeq(data) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

// marked passes the mark of this process on to a program.
func marked(cmd *exec.Cmd) {
	mark := os.Getenv(markName) //nolint:forbidigo // the mark is how descendants are found, not a setting
	if mark != "" && cmd.Env != nil {
		cmd.Env = append(slices.Clip(cmd.Env), strings.Join([]string{markName, mark}, "="))
	}
}
