//go:build !linux

package shell

import (
	"io"
	"runtime/debug"

	"mvdan.cc/sh/v3/interp"
)

// limits is empty: there are no limits to lift on this system.
type limits struct{}

// confine makes the garbage collector work harder near the limit. This system has no suitable hard limit.
func confine(memory int64, stderr io.Writer) (io.Writer, *limits, error) {
	debug.SetMemoryLimit(memory)

	return stderr, &limits{}, nil
}

func (*limits) exec(next interp.ExecHandlerFunc) interp.ExecHandlerFunc { return next }

// end does nothing: this system does not end the programs of a line one by one.
func (*limits) end() {}
