package sandbox

import "os"

// Self is the path by which this program starts itself again. It names the running program, whatever has been put in the place
// of its file since.
func Self() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Readlink(self); err != nil {
		return os.Executable()
	}
	return self, nil
}

// Program opens a program for as long as this process runs, and returns a path by which this process can start it whatever is put
// in the place of its file.
func Program(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	programs = append(programs, f)
	return descriptorPath(int(f.Fd())), nil
}

// programs keeps the files of Program from being closed.
var programs []*os.File

// Rename sets the name of this process in lists. A program that was started from a descriptor has the descriptor's.
func Rename(name string) {
	// Only a list of processes is the worse for a failure.
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
}
