package main

import (
	"fmt"
	"io"
	"os"
)

// launchFile is standard input, which goes on as the lifeline.
func launchFile() *os.File { return os.Stdin }

// endLaunch keeps the plugin from reading the lifeline.
func endLaunch(f *os.File) error {
	lifeline = f
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("emptying standard input: %w", err)
	}
	os.Stdin = null
	return nil
}

// lifeline is set by endLaunch.
var lifeline *os.File

// keepFromChildren has nothing to do: handles are not inherited unless asked for.
func keepFromChildren(...int) {}

// closeInherited has nothing to do either.
func closeInherited(int) {}

// separate gives the plugin standard error for both streams; os.Stdout keeps the handshake.
func separate() (streams, error) {
	return streams{stdout: os.Stderr, stderr: os.Stderr}, nil
}

// watch ends the process when the lifeline ends.
func watch(bool) {
	go func() {
		_, _ = io.Copy(io.Discard, lifeline)
		os.Exit(exitFailure)
	}()
}
