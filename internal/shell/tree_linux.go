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
func killEscaped(root int) { endTree(root, false) }

// seizeDescendants kills those descendants of root that have left its process group, and stops the others: one of them may be
// about to leave it. The stopped ones end with the group. They are not killed here, because a part of the line that waits
// for one of them would go on.
func seizeDescendants(root int) { endTree(root, true) }

func endTree(root int, stop bool) {
	for range maxRounds {
		acted := false

		for _, pid := range descendants(root) {
			group, state := groupOf(pid)

			switch {
			case state == 0 || state == 'Z' || state == 'X':
			case group != root:
				acted = unix.Kill(pid, unix.SIGKILL) == nil || acted
			case stop && state != 'T' && state != 't':
				acted = unix.Kill(pid, haltSignal(pid, root)) == nil || acted
			}
		}

		if !acted {
			return
		}
	}
}

// haltSignal is what a process in the group is halted by. A child that has not become another program yet is killed: until then
// the thread that forked it waits for it, and with that thread in the end all of the interpreter.
func haltSignal(pid, root int) unix.Signal {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if own, ownErr := os.Readlink(fmt.Sprintf("/proc/%d/exe", root)); err == nil && ownErr == nil && program == own {
		return unix.SIGKILL
	}

	return unix.SIGSTOP
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

// groupOf reads the process group and the state of a process; the state is 0 if it is gone.
func groupOf(pid int) (group int, state byte) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}

	// The name before the last parenthesis may contain anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 {
		return 0, 0
	}

	if group, err = strconv.Atoi(string(fields[2])); err != nil {
		return 0, 0
	}

	return group, fields[0][0]
}
