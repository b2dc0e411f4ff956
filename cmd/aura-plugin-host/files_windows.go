package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// launchFile returns standard input, which later serves as the lifeline.
func launchFile() *os.File { return os.Stdin }

// endLaunch prevents the plugin from reading the lifeline.
func endLaunch(f *os.File) error {
	lifeline = f
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("emptying standard input: %w", err)
	}
	os.Stdin = null
	return nil
}

// lifeline is the file that reaches end of file when aura is gone. endLaunch sets it.
var lifeline *os.File

// keepFromChildren does nothing: handles are not inherited by default.
func keepFromChildren(...int) {}

// closeInherited does nothing: handles are not inherited by default.
func closeInherited(int) {}

// separate gives the plugin standard error for both streams. Standard output is the handshake.
func separate() (out streams, handshake *os.File, err error) {
	return streams{stdout: os.Stderr, stderr: os.Stderr}, os.Stdout, nil
}

// takeInput fails: on this system, no process is started for one call.
func takeInput() (*os.File, error) { return nil, errors.ErrUnsupported }

// watch ends the process when the lifeline reaches end of file.
func watch(bool) {
	go func() {
		_, _ = io.Copy(io.Discard, lifeline)
		os.Exit(exitFailure)
	}()
}
