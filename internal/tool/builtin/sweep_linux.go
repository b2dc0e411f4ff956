package builtin

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// sweepLimit is how often survivors are looked for: one that forks while it is looked for shows up the next time.
const sweepLimit = 20

// sweep kills the processes that have an entry in their environment. It is for those that have left their process group.
func sweep(entry string) {
	for range sweepLimit {
		if !sweepOnce(entry) {
			return
		}
	}
}

// sweepOnce reports whether it has killed anything. What cannot be looked at belongs to someone else.
func sweepOnce(entry string) bool {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	killed := false
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		killed = killMarked(pid, entry) || killed
	}
	return killed
}

// killMarked kills a process that has the entry. The process is taken hold of before it is looked at, so that its number
// cannot pass to another one in between.
func killMarked(pid int, entry string) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, entry+"\x00"...)) {
		return false
	}
	// One that is already dead need not be looked for again.
	return !errors.Is(process.Kill(), os.ErrProcessDone)
}
