package main

import (
	"io"
	"os"

	"github.com/idelchi/aura/shared"
)

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
	lifeline := os.NewFile(shared.LifelineFD, "lifeline")
	go func() {
		_, _ = io.Copy(io.Discard, lifeline)
		os.Exit(exitFailure)
	}()
}
