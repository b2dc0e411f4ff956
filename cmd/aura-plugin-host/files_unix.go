//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/shared"
)

// ownFDs is the lowest descriptor for this process's own files, above the descriptors that a plugin is likely to close by
// mistake.
const ownFDs = 64

// launchFile returns the file with the launch specification, or nil if the descriptor cannot be used.
func launchFile() *os.File { return os.NewFile(shared.LaunchFD, "launch specification") }

func endLaunch(f *os.File) error { return f.Close() }

// keepFromChildren prevents descriptors from being inherited by programs that this process starts.
func keepFromChildren(fds ...int) {
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
}

// separate moves the handshake to its own descriptor and redirects descriptor 1 to standard error. The plugin receives descriptor 1 and a
// copy of descriptor 2, so that aura still receives the output of a crash if the plugin closes its files.
func separate() (out streams, handshake *os.File, err error) {
	handshake, err1 := duplicate(1, "handshake")
	stderr, err2 := duplicate(2, "stderr")
	err = errors.Join(err1, err2)
	if err == nil {
		err = redirect(2, 1)
	}
	if err != nil {
		return streams{}, nil, fmt.Errorf("separating the handshake from the output: %w", err)
	}
	return streams{stdout: os.Stdout, stderr: stderr}, handshake, nil
}

// takeInput moves standard input to a descriptor of its own, and empties standard input.
func takeInput() (*os.File, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("emptying standard input: %w", err)
	}
	// Reading a non-blocking descriptor occupies no thread.
	err = unix.SetNonblock(0, true)
	var input *os.File
	if err == nil {
		input, err = duplicate(0, "replies")
	}
	if err == nil {
		err = redirect(int(null.Fd()), 0)
	}
	if err = errors.Join(err, null.Close()); err != nil {
		return nil, fmt.Errorf("emptying standard input: %w", err)
	}
	return input, nil
}

func duplicate(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, ownFDs)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(dup), name), nil
}

// watch ends the process, with all its descendants, when the lifeline reaches end of file.
func watch(isolated bool) {
	// Reading a non-blocking descriptor occupies no thread.
	_ = unix.SetNonblock(shared.LifelineFD, true)
	lifeline, err := duplicate(shared.LifelineFD, "lifeline")
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "aura-plugin-host: watching the lifeline: %v\n", err)
		end(isolated)
	}
	_ = unix.Close(shared.LifelineFD)
	go func() {
		_, _ = io.Copy(io.Discard, lifeline)
		end(isolated)
	}()
}

// end does not return. The process leads its process group, unless a user started it by hand.
func end(isolated bool) {
	if !isolated {
		process.KillDescendants(os.Getpid())
		if unix.Getpgrp() == os.Getpid() {
			_ = unix.Kill(0, unix.SIGKILL)
		}
	}
	os.Exit(exitFailure)
}
