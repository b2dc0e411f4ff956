package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/sandbox"
)

// redirect makes descriptor to a copy of descriptor from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// closeInherited closes the descriptors from first on that this process has only because aura got them from whoever started it.
// The runtime's own stay.
func closeInherited(first int) {
	var keep []int
	for fd := 3; fd < first; fd++ {
		keep = append(keep, fd)
	}
	report("inherited descriptors", sandbox.CloseInherited(keep...))
}

// sweeps bounds the search for descendants that start others while they are being killed.
const sweeps = 100

// killDescendants kills all processes below this one. A killed one's children move up to this process and are found next.
func killDescendants() {
	for range sweeps {
		victims := descendants()
		if len(victims) == 0 {
			return
		}
		for _, pid := range victims {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// descendants lists the living processes below this one.
func descendants() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, alive := parentOf(pid); alive {
			children[parent] = append(children[parent], pid)
		}
	}
	var out []int
	for queue := []int{os.Getpid()}; len(queue) > 0; queue = queue[1:] {
		below := children[queue[0]]
		out, queue = append(out, below...), append(queue, below...)
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
