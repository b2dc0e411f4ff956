package process

import (
	"bytes"
	"errors"
	"os"
	"time"
)

// markRounds is how many times survivors are searched. A process that forks during one search, or that is executing another
// program then, is found by the next search.
const markRounds = 50

// markPause is the longest pause between two searches. There is no event to wait for: the kernel does not report that a process
// has executed another program. This takes a moment, or longer on a busy machine.
const markPause = 10 * time.Millisecond

// KillMarked kills the processes that have the mark in their environment. It does not find a process that was started with an
// environment without the mark.
func KillMarked(mark string) {
	for round := range markRounds {
		if !searchMarked(mark) {
			return
		}
		time.Sleep(min(time.Duration(round)*time.Millisecond/4, markPause))
	}
}

// searchMarked kills the processes that it finds and reports whether to search again. A process that cannot be examined belongs
// to another user.
func searchMarked(mark string) bool {
	again := false
	for _, pid := range all() {
		if pid != os.Getpid() {
			again = killMarked(pid, mark) || again
		}
	}
	return again
}

// killMarked kills a process that has the mark, and reports whether to search again. It opens a handle of the process before it
// examines the process, so that the process number cannot pass to another process in between.
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
	// A process that is already dead need not be searched again.
	return !errors.Is(process.Kill(), os.ErrProcessDone)
}
