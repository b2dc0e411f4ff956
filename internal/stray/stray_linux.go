package stray

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// rounds is how often survivors are looked for: one that forks while it is looked for shows up the next time.
const rounds = 20

// Kill ends the processes that have the mark in their environment. One that was started with an environment of its own is not
// found.
func Kill(mark string) {
	for range rounds {
		if !killOnce(mark) {
			return
		}
	}
}

// killOnce reports whether it has killed anything. What cannot be looked at belongs to someone else.
func killOnce(mark string) bool {
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
		killed = killMarked(pid, mark) || killed
	}
	return killed
}

// killMarked kills a process that has the mark. The process is taken hold of before it is looked at, so that its number
// cannot pass to another one in between.
func killMarked(pid int, mark string) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, mark+"\x00"...)) {
		return false
	}
	// One that is already dead need not be looked for again.
	return !errors.Is(process.Kill(), os.ErrProcessDone)
}
