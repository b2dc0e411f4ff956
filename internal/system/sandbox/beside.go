package sandbox

import (
	"path/filepath"
	"runtime"
)

// FileName returns the name of a program's file, with the suffix that programs have on this system.
func FileName(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}

// Beside returns the path of the program called name in the directory of another program, after links. The file need not exist.
func Beside(program, name string) string {
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	return filepath.Join(filepath.Dir(program), FileName(name))
}
