package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// The exit statuses for a program that does not exist, and for one that exists but cannot be run (NotExecutable).
const (
	exitNotFound = 127
	// NotExecutable is the latter.
	NotExecutable  = 126
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

// outsideOf rejects a call of a program that is in one of the directories, wherever its links lead from.
func outsideOf(refused []string) func(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
		return func(ctx context.Context, args []string) error {
			hc := interp.HandlerCtx(ctx)
			path, err := interp.LookPathDir(hc.Dir, hc.Env, args[0])
			if err != nil {
				path = firstIn(refused, args[0])
			}

			dir := containing(refused, path)
			if path == "" || dir == "" {
				return next(ctx, args) // it also reports a program that does not exist
			}

			_, _ = fmt.Fprintf(hc.Stderr, "%s: not started, because tools can write to %s and this line is not confined; "+
				"install the program elsewhere, or remove sandbox: off\n", path, dir)

			return interp.ExitStatus(NotExecutable)
		}
	}
}

// firstIn returns the path of a program that is directly in one of the directories, such as one that PATH no longer contains; empty if
// there is none.
func firstIn(dirs []string, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return ""
	}

	for _, dir := range dirs {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(dir, name)
		}
	}

	return ""
}

// containing returns the directory that contains a file or what the file leads to; empty if there is none.
func containing(dirs []string, path string) string {
	places := []string{filepath.Clean(path)}
	if end, err := filepath.EvalSymlinks(path); err == nil {
		places = append(places, end)
	}

	for _, dir := range dirs {
		for _, place := range places {
			if rel, err := filepath.Rel(dir, place); err == nil && filepath.IsLocal(rel) {
				return dir
			}
		}
	}

	return ""
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

	return interp.ExitStatus(NotExecutable)
}
