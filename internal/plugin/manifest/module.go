package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// ModulePath returns the module path from the go.mod of the plugin in dir, and its line there.
func ModulePath(dir string) (path string, line int, err error) {
	file := filepath.Join(dir, "go.mod")

	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, fmt.Errorf("%s has no go.mod: run `go mod init %s` in %s", dir, filepath.Base(dir), dir)
	}

	if err != nil {
		return "", 0, fmt.Errorf("reading the module path: %w", err)
	}

	// If there are several errors, return the first. The others often follow from it.
	parsed, err := modfile.ParseLax(file, data, nil)

	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		err = &list[0]
	}

	if err != nil {
		return "", 0, fmt.Errorf("reading the module path: %w", err)
	}

	if parsed.Module == nil {
		return "", 0, fmt.Errorf("%s:1: there is no module line: add `module %s`", file, filepath.Base(dir))
	}

	// The path becomes a directory in the interpreter's file system, so it must not point anywhere else.
	if err := module.CheckImportPath(parsed.Module.Mod.Path); err != nil {
		return "", 0, fmt.Errorf("%s:%d: %w", file, parsed.Module.Syntax.Start.Line, err)
	}

	return parsed.Module.Mod.Path, parsed.Module.Syntax.Start.Line, nil
}

// PackageName returns the package name that a plugin with this module path must declare: the last element of the path, with
// hyphens replaced by underscores.
func PackageName(modulePath string) string {
	return strings.ReplaceAll(path.Base(modulePath), "-", "_")
}
