package shell

import (
	"context"
	"fmt"
	"slices"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// lacking lists the builtins of Bash whose names the interpreter knows but that it does not implement. The interpreter ends
// them with status 2, which has a special meaning for hooks.
var lacking = []string{
	"bg", "bind", "caller", "compgen", "complete", "compopt", "disown", "enable", "fc", "fg", "history", "jobs", "kill",
	"logout", "newgrp", "suspend", "ulimit", "umask",
}

// outside turns a call of a lacking builtin into a call of the program of that name. Functions of the line take precedence over
// both.
func outside(file *syntax.File) interp.CallHandlerFunc {
	own := functions(file)

	return func(ctx context.Context, args []string) ([]string, error) {
		name := args[0]
		if !slices.Contains(lacking, name) || own[name] {
			return args, nil
		}

		hc := interp.HandlerCtx(ctx)
		if path, err := interp.LookPathDir(hc.Dir, hc.Env, name); err == nil {
			return append([]string{path}, args[1:]...), nil
		}

		// Not every system has a program named kill, but every shell has the builtin.
		if _, err := interp.LookPathDir(hc.Dir, hc.Env, "sh"); err == nil && name == "kill" {
			return append([]string{"sh", "-c", `kill "$@"`}, args...), nil
		}

		_, _ = fmt.Fprintf(hc.Stderr, "%s: this shell has no such builtin, and there is no such program in $PATH\n", name)

		return []string{"eval", fmt.Sprintf("(exit %d)", exitNotFound)}, nil
	}
}

// functions returns the names of the functions that the line declares.
func functions(file *syntax.File) map[string]bool {
	names := map[string]bool{}

	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name != nil {
			names[f.Name.Value] = true
		}

		return true
	})

	return names
}
