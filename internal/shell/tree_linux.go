package shell

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxRounds bounds how often the tree is searched, should something in it start processes faster than they are killed.
const maxRounds = 100

// adoptOrphans makes this process the parent of whatever its descendants leave behind, so that all of them can be found.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting orphans: %w", err)
	}

	return nil
}

// freeze stops the group, so that nothing in it goes on while its tree is taken down.
func (g *group) freeze() { _ = unix.Kill(-g.id, unix.SIGSTOP) }

// killEscaped kills those descendants of root that have left its process group. Root must have adopted orphans: what
// they leave behind is then found in the next round.
func killEscaped(root int) {
	killTree(root, func(group int) bool { return group != root })
}

// killDescendants kills all descendants of root, those in its process group too: one of them may be about to leave it.
func killDescendants(root int) {
	killTree(root, func(int) bool { return true })
}

// killTree kills the descendants of root whose process group is meant.
func killTree(root int, meant func(group int) bool) {
	for range maxRounds {
		killed := false

		for _, pid := range descendants(root) {
			if group, running := groupOf(pid); running && meant(group) {
				killed = unix.Kill(pid, unix.SIGKILL) == nil || killed
			}
		}

		if !killed {
			return
		}
	}
}

// descendants lists the processes below root, parents before their children.
func descendants(root int) []int {
	var all []int

	for next := []int{root}; len(next) > 0; {
		pid := next[0]
		children := childrenOf(pid)
		next = append(next[1:], children...)
		all = append(all, children...)
	}

	return all
}

// childrenOf lists the children of all threads of a process; none if it is gone.
func childrenOf(pid int) []int {
	// The pattern is well formed.
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))

	var children []int

	for _, list := range lists {
		// A thread may have ended since.
		data, _ := os.ReadFile(list)
		for field := range bytes.FieldsSeq(data) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				children = append(children, child)
			}
		}
	}

	return children
}

// groupOf reads the process group of a process, and whether it still runs.
func groupOf(pid int) (group int, running bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}

	// The name before the last parenthesis may contain anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 {
		return 0, false
	}

	group, err = strconv.Atoi(string(fields[2]))
	state := fields[0][0]

	return group, err == nil && state != 'Z' && state != 'X'
}
