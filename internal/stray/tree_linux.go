package stray

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// KillTree kills a process with all its descendants. The process is stopped first, so that it starts no more, and must have
// adopted the orphans among its descendants (PR_SET_CHILD_SUBREAPER) for all of them to be found.
func KillTree(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	KillDescendants(pid)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// sweeps bounds the search for descendants that start others while they are being killed.
const sweeps = 100

// KillDescendants kills all processes below one. If that one adopts orphans, the children of a killed process become its own and are
// found by the next sweep.
func KillDescendants(pid int) {
	for range sweeps {
		victims := descendants(pid)
		if len(victims) == 0 {
			return
		}
		for _, victim := range victims {
			_ = syscall.Kill(victim, syscall.SIGKILL)
		}
	}
}

// descendants lists the living processes below one. A dead one that waits to be reaped is not listed.
func descendants(pid int) []int {
	children := make(map[int][]int)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, alive := parentOf(child); alive {
			children[parent] = append(children[parent], child)
		}
	}
	var out []int
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		out = append(out, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return out
}

// parentOf reads /proc/PID/stat: after the name in parentheses come the state and the parent.
func parentOf(pid int) (parent int, alive bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	text := string(b)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}
