//go:build unix

package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Patience is the timeout of every wait; a test that reaches it has failed.
const Patience = 3 * time.Minute

// Strays returns the processes whose working directory is below dir, without zombies. An empty dir has none.
func Strays(dir string) []int {
	if dir == "" {
		return nil
	}
	var out []int
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1) // a process that ends meanwhile is no stray
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		target, err := os.Readlink(filepath.Join("/proc", name, "cwd"))
		if err == nil && (target == dir || strings.HasPrefix(target, dir+"/")) {
			out = append(out, pid)
		}
	}
	return out
}

// Stopped reports whether every thread of a process has stopped.
func Stopped(pid int) bool {
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	if err != nil {
		return false
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil || !stoppedState.Match(stat) {
			return false
		}
	}
	return len(threads) > 0
}

// stoppedState matches the start of the line about a stopped thread.
var stoppedState = regexp.MustCompile(`^[0-9]+ \(.*\) T`)

// PIDIn reads the process ID from the output of `aura plugins show --json`. There is none if no session runs the plugin.
func PIDIn(shown []byte) (int, error) {
	var info struct {
		Processes []struct {
			Session string `json:"session"`
			Pid     int    `json:"pid"`
		} `json:"processes"`
	}
	if err := json.Unmarshal(shown, &info); err != nil {
		return 0, err
	}
	if len(info.Processes) != 1 || info.Processes[0].Session == "probe" || info.Processes[0].Pid == 0 {
		return 0, os.ErrProcessDone
	}
	return info.Processes[0].Pid, nil
}

// Held reports whether any process has the file open.
func Held(path string) bool {
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return false
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == path {
			return true
		}
	}
	return false
}
