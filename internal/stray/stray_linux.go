package stray

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// rounds is how often survivors are looked for: one that forks while it is looked for shows up the next time, as does one that
// becomes another program.
const rounds = 50

// longest is the longest pause between two rounds. There is no event to wait for: the kernel tells nobody that a process has become
// another program, which takes a moment, or longer on a busy machine.
const longest = 10 * time.Millisecond

// Kill ends the processes that have the mark in their environment. One that was started with an environment of its own is not
// found.
func Kill(mark string) {
	for round := range rounds {
		if !search(mark) {
			return
		}
		time.Sleep(min(time.Duration(round)*time.Millisecond/4, longest))
	}
}

// search kills whom it finds and reports whether to search again. What cannot be looked at belongs to someone else.
func search(mark string) bool {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	again := false
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		again = killMarked(pid, mark) || again
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
	environ := environment(filepath.Join("/proc", strconv.Itoa(pid)))
	if environ == nil {
		return true
	}
	if !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, mark+"\x00"...)) {
		return false
	}
	// One that is already dead need not be looked for again.
	return !errors.Is(process.Kill(), os.ErrProcessDone)
}

// glances is how often a process is looked at that seems to have no environment.
const glances = 10

// environment is what a process was started with, and nil if it is just becoming another program: for a moment it shows neither
// environment nor arguments then. The kernel's own processes and the dead have no program at all.
func environment(dir string) []byte {
	read := func(name string) []byte {
		// What cannot be read is as good as not there.
		data, _ := os.ReadFile(filepath.Join(dir, name))
		return append([]byte{}, data...)
	}
	for range glances {
		if environ := read("environ"); len(environ) > 0 {
			return environ
		}
		if _, err := os.Readlink(filepath.Join(dir, "exe")); err != nil {
			break
		}
		if len(read("cmdline")) == 0 {
			return nil
		}
		// It has arguments, so it may have an environment by now.
	}
	return []byte{}
}
