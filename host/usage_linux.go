package host

import (
	"os"
	"strconv"
	"strings"
)

// clockTicks is the unit of CPU time in /proc, fixed at 100 per second on every Linux that Go runs on.
const clockTicks = 100

// usage returns a process's memory in bytes, shared pages counted by share where the kernel tells, and its CPU time in
// seconds. Both are 0 for a process that is gone.
func usage(pid int) (memory int64, cpu float64) {
	fields, ok := statFields(pid)
	if !ok {
		return 0, 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 == nil && err2 == nil {
		cpu = (user + system) / clockTicks
	}
	if pss, ok := proportional(pid); ok {
		return pss, cpu
	}
	pages, err := strconv.ParseInt(fields[21], 10, 64)
	if err != nil {
		return 0, cpu
	}
	return pages * int64(os.Getpagesize()), cpu
}

// proportional returns the proportional set size.
func proportional(pid int) (int64, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
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
