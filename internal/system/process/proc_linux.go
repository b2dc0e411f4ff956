package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// entry returns the path of a file or link in /proc/PID.
func entry(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// all lists the visible processes.
func all() []int {
	// Without /proc no process is visible.
	entries, _ := os.ReadDir("/proc")
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// status holds the fields of /proc/PID/stat that are used here.
type status struct {
	state         byte
	parent, group int
	// cpu is in clock ticks, memory is in pages.
	cpu, memory int64
}

// alive returns false for a dead process that waits to be reaped, and for a process that does not exist.
func (s status) alive() bool { return s.state != 0 && s.state != 'Z' && s.state != 'X' }

func (s status) stopped() bool { return s.state == 'T' || s.state == 't' }

// statusOf reads /proc/PID/stat. It returns the zero value for a process that is gone.
func statusOf(pid int) status {
	data, err := os.ReadFile(entry(pid, "stat"))
	if err != nil {
		return status{}
	}
	// The name before the last parenthesis may contain anything. The first field after it is number 3 in the manual.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	const first, last = 3, 24
	if len(fields) <= last-first {
		return status{}
	}
	number := func(field int) int64 {
		n, _ := strconv.ParseInt(string(fields[field-first]), 10, 64)
		return n
	}
	return status{
		state: fields[0][0], parent: int(number(4)), group: int(number(5)), cpu: number(14) + number(15), memory: number(last),
	}
}

// children lists the children of all threads of a process; none if the process is gone. pid may be "self".
func children(pid string) []int {
	tasks := filepath.Join("/proc", pid, "task")
	// The threads are listed by name only: a pattern would also list all files of each thread.
	threads, _ := os.ReadDir(tasks)
	var out []int
	for _, thread := range threads {
		// The thread may have ended since.
		data, _ := os.ReadFile(filepath.Join(tasks, thread.Name(), "children"))
		for field := range bytes.FieldsSeq(data) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

// glances is how many times a process is examined that seems to have no environment.
const glances = 10

// environment returns the environment that a process was started with. It returns nil if the process is executing another
// program: for a moment the process has neither environment nor arguments then. Kernel threads and dead processes have no
// program at all; for these it returns an empty slice.
func environment(pid int) []byte {
	read := func(name string) []byte {
		// A file that cannot be read is treated as empty.
		data, _ := os.ReadFile(entry(pid, name))
		return append([]byte{}, data...)
	}
	for range glances {
		if environ := read("environ"); len(environ) > 0 {
			return environ
		}
		if _, err := os.Readlink(entry(pid, "exe")); err != nil {
			break
		}
		if len(read("cmdline")) == 0 {
			return nil
		}
		// The process has arguments, so it may have an environment by now.
	}
	return []byte{}
}

// Programs returns the names of the programs that the living descendants of a process run, parents before their children. The programs
// choose these names. A name has at most 15 bytes.
func Programs(pid int) []string {
	var names []string
	for _, child := range tree(pid) {
		name, err := os.ReadFile(entry(child, "comm"))
		if err == nil && statusOf(child).alive() {
			names = append(names, strings.TrimSuffix(string(name), "\n"))
		}
	}
	return names
}

// clockTicks is the unit of CPU time in /proc, fixed at 100 per second on every Linux that Go runs on.
const clockTicks = 100

// Usage returns the memory in bytes and the CPU time in seconds of a process and its descendants. If the kernel reports it, a shared
// page counts only with the share of these processes. Both results are 0 for a process that is gone.
func Usage(pid int) (memory int64, cpu float64) {
	memory, cpu = usage(pid)
	for _, child := range children(strconv.Itoa(pid)) {
		m, c := Usage(child)
		memory += m
		cpu += c
	}
	return memory, cpu
}

func usage(pid int) (memory int64, cpu float64) {
	s := statusOf(pid)
	cpu = float64(s.cpu) / clockTicks
	if pss, ok := proportional(pid); ok {
		return pss, cpu
	}
	return s.memory * int64(os.Getpagesize()), cpu
}

// proportional returns the proportional set size.
func proportional(pid int) (int64, bool) {
	b, err := os.ReadFile(entry(pid, "smaps_rollup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		rest, ok := strings.CutPrefix(line, "Pss:")
		if !ok {
			continue
		}
		kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		return kb << 10, err == nil
	}
	return 0, false
}
