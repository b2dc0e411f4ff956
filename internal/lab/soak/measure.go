package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/host"
)

// The measures of a process.
const (
	memory = iota
	descriptors
	threads
	goroutines
	measures
)

var measureNames = [measures]string{"memory", "descriptors", "threads", "goroutines"}

// samples holds the measurements of each process, by name.
type samples map[string]*[measures][]int64

// own is the name of aura's own process.
const own = "aura"

// look measures aura and its plugins once.
func (s samples) look(pid int, plugins map[string]host.PluginHealth) error {
	session := 0
	for _, name := range sorted(plugins) {
		h := plugins[name]
		session = h.SessionGoroutines
		// A plugin that has just crashed is measured the next time.
		_ = s.add(name, h.Pid, h.Goroutines)
	}
	return s.add(own, pid, session)
}

func (s samples) add(name string, pid, routines int) error {
	pss, err := field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
	if err != nil {
		return err
	}
	tasks, err := field(fmt.Sprintf("/proc/%d/status", pid), "Threads:")
	if err != nil {
		return err
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return err
	}
	if s[name] == nil {
		s[name] = &[measures][]int64{}
	}
	for i, value := range [measures]int64{pss << 10, int64(len(open)), tasks, int64(routines)} {
		if value > 0 {
			s[name][i] = append(s[name][i], value)
		}
	}
	return nil
}

// field returns the number that follows name in a file under /proc.
func field(file, name string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("reading %s: it has no line %s", file, name)
}

// middle returns the median, and false if there are no values.
func middle(values []int64) (int64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2], true
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
