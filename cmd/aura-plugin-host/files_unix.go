//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/shared"
)

// ownFDs is above the descriptors that a plugin is likely to close by mistake.
const ownFDs = 64

// launchFile is nil if the descriptor cannot be used.
func launchFile() *os.File { return os.NewFile(shared.LaunchFD, "launch specification") }

func endLaunch(f *os.File) error { return f.Close() }

// keepFromChildren keeps descriptors from being inherited.
func keepFromChildren(fds ...int) {
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
}

// separate moves the handshake to a descriptor of its own, in os.Stdout, and points descriptor 1 at standard error. The plugin
// gets descriptor 1 and a copy of descriptor 2, so that the last words of a crash are heard even if it closes what it got.
func separate() (streams, error) {
	handshake, err1 := duplicate(1, "handshake")
	stderr, err2 := duplicate(2, "stderr")
	err := errors.Join(err1, err2)
	if err == nil {
		err = redirect(2, 1)
	}
	if err != nil {
		return streams{}, fmt.Errorf("separating the handshake from the output: %w", err)
	}
	out := streams{stdout: os.NewFile(1, "stdout"), stderr: stderr}
	os.Stdout = handshake
	return out, nil
}

func duplicate(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, ownFDs)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(dup), name), nil
}

// watch ends the process, with all it started, when the lifeline ends.
func watch(isolated bool) {
	// A descriptor that does not block costs no thread while it is read.
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

// end does not return. The process leads its group, unless somebody started it by hand.
func end(isolated bool) {
	if !isolated {
		process.KillDescendants(os.Getpid())
		if unix.Getpgrp() == os.Getpid() {
			_ = unix.Kill(0, unix.SIGKILL)
		}
	}
	os.Exit(exitFailure)
}
