package process

import (
	"bytes"
	"errors"
	"os"
	"time"
)

// markRounds is how often survivors are looked for: one that forks while it is looked for shows up the next time, as does one that
// becomes another program.
const markRounds = 50

// markPause is the longest pause between two rounds. There is no event to wait for: the kernel reports to nobody that a process has
// become another program, which takes a moment, or longer on a busy machine.
const markPause = 10 * time.Millisecond

// KillMarked kills the processes that have the mark in their environment. One that was started with an environment of its own is not
// found.
func KillMarked(mark string) {
	for round := range markRounds {
		if !searchMarked(mark) {
			return
		}
		time.Sleep(min(time.Duration(round)*time.Millisecond/4, markPause))
	}
}

// searchMarked kills whom it finds and reports whether to search again. What cannot be looked at belongs to someone else.
func searchMarked(mark string) bool {
	again := false
	for _, pid := range all() {
		if pid != os.Getpid() {
			again = killMarked(pid, mark) || again
		}
	}
	return again
}

// killMarked kills a process that has the mark, and reports whether to look again. The process is taken hold of before it is
// looked at, so that its number cannot pass to another one in between.
func killMarked(pid int, mark string) (again bool) {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	environ := environment(pid)
	if environ == nil {
		return true
	}
	if !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, mark+"\x00"...)) {
		return false
	}
	// One that is already dead need not be looked for again.
	return !errors.Is(process.Kill(), os.ErrProcessDone)
}
