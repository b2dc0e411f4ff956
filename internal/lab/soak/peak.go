package main

import (
	"fmt"
	"os"

	"github.com/idelchi/aura/host"
)

// peak is the resident memory of a process, in bytes: rest at the last look, and most since the peak was reset or the process
// was started.
type peak struct{ rest, most int64 }

// text formats the memory at rest and at its peak.
func (p peak) text() string {
	if p.rest == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f, peak %.1f MB", float64(p.rest)/1e6, float64(p.most)/1e6)
}

// peaks holds the peaks of aura and its plugins, by name.
type peaks map[string]peak

// look reads the peaks. A process that has just exited keeps its last peak.
func (p peaks) look(pid int, plugins map[string]host.PluginHealth) {
	for name, pid := range pids(pid, plugins) {
		status := fmt.Sprintf("/proc/%d/status", pid)
		rest, err := field(status, "VmRSS:")
		if err != nil {
			continue
		}
		if most, err := field(status, "VmHWM:"); err == nil {
			p[name] = peak{rest << 10, most << 10}
		}
	}
}

// resetPeaks makes the kernel restart its peak counters. If that is not permitted, because aura may not access the process,
// the peak covers the whole lifetime of the process.
func resetPeaks(pid int, plugins map[string]host.PluginHealth) {
	const resetHWM = "5"
	for _, pid := range pids(pid, plugins) {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte(resetHWM), 0)
	}
}

// pids returns the process IDs of a session by name.
func pids(pid int, plugins map[string]host.PluginHealth) map[string]int {
	out := map[string]int{own: pid}
	for name, h := range plugins {
		out[name] = h.Pid
	}
	return out
}
