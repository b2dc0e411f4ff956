package python

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
)

// group is the group of entry points in which packages declare extensions.
const group = "aar_extensions"

// packageDirs are the directories of packages below the prefix of an interpreter.
var packageDirs = []string{
	"lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages", "local/lib/python3*/dist-packages",
}

// MayDeclare reports whether an installed package may declare an extension. It starts nothing: most users have no such package, and
// starting Python would take longer than the rest of aura's start. It also returns true if the packages are not where they usually are,
// as for a version manager's script, which chooses the interpreter when it runs.
func (e Environment) MayDeclare() bool {
	found, err := e.look()
	if err != nil {
		return false
	}
	end, err := filepath.EvalSymlinks(found)
	if err != nil || runtime.GOOS == "windows" || isScript(end) {
		return true
	}
	known := false
	for _, prefix := range []string{filepath.Dir(filepath.Dir(found)), filepath.Dir(filepath.Dir(end))} {
		for _, pattern := range packageDirs {
			// The pattern is well formed unless the prefix has a special character, and then the packages are not found.
			dirs, _ := filepath.Glob(filepath.Join(prefix, pattern))
			known = known || len(dirs) > 0
			if slices.ContainsFunc(dirs, declares) {
				return true
			}
		}
	}
	return !known
}

// declares reports whether a package in a directory declares an extension.
func declares(dir string) bool {
	lists, _ := filepath.Glob(filepath.Join(dir, "*-info", "entry_points.txt"))
	return slices.ContainsFunc(lists, func(list string) bool {
		text, err := files.Read(list, longest)
		return err == nil && bytes.Contains(text, []byte(group))
	})
}

// isScript reports whether a program is a script, or cannot be read.
func isScript(program string) bool {
	f, err := files.Open(program)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err != nil || string(head) == "#!"
}
