package aar

import "path/filepath"

// Command returns the arguments with which the Python interpreter runs an extension: the runner in the directory of the modules,
// the extension's file or package, and its name. The interpreter is isolated from the user's variables and directories.
func Command(shim, extension, name string) []string {
	return []string{"-I", filepath.Join(shim, "runner.py"), extension, name}
}
