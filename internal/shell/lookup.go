package shell

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// The exit statuses for a program that does not exist, and for one that exists but cannot be run.
const (
	exitNotFound   = 127
	exitNoProgram  = 126
	cannotBeRun    = "permission denied"
	cannotBeRunTip = "; make it executable with chmod +x"
)

// findable rejects a call of a program that cannot be found, and reports the name of the program.
func findable(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		hc := interp.HandlerCtx(ctx)
		if _, err := interp.LookPathDir(hc.Dir, hc.Env, args[0]); err != nil {
			return missing(hc.Stderr, args[0], err)
		}

		return next(ctx, args)
	}
}

// missing prints why a program was not found and returns the exit status. It adds the name of the program, because the error
// may not contain it.
func missing(stderr io.Writer, name string, err error) error {
	text := err.Error()
	if strings.Contains(text, name) || strings.Contains(text, "no such file") {
		_, _ = fmt.Fprintln(stderr, text)

		return interp.ExitStatus(exitNotFound)
	}

	if text == cannotBeRun {
		text += cannotBeRunTip
	}

	_, _ = fmt.Fprintf(stderr, "%s: %s\n", name, text)

	return interp.ExitStatus(exitNoProgram)
}
