package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
)

const selfLink = "/proc/self/exe"

// Self returns the path by which this program starts itself again. The path names the running program, even if another file has
// replaced its file. The kernel does not allow writing to a program that runs.
func Self() (string, error) {
	if _, err := os.Readlink(selfLink); err != nil {
		return os.Executable()
	}
	return selfLink, nil
}

// programs holds the files that Program opened.
var programs struct {
	mu    sync.Mutex
	files []*os.File
	// copied is set once the programs must be kept in memory.
	copied bool
}

// Program opens a program until this process ends. It returns a path by which this process can start the program even if
// another file replaces its file. The path argument must name a regular file, or a link to one. Without /proc, the path is the argument.
func Program(path string) (string, error) {
	if self, err := Self(); err == nil && self != selfLink {
		return path, nil
	}
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	programs.mu.Lock()
	defer programs.mu.Unlock()
	programs.files = append(programs.files, f)
	if programs.copied {
		// A program that cannot be copied is started from its file.
		_ = copyToMemory(f)
	}
	return descriptorPath(int(f.Fd())), nil
}

// KeepPrograms copies the programs into memory. It must be called before confined code runs on a system without mount
// namespaces: there, nothing else prevents such code from writing to the file of a program in a writable tree.
func KeepPrograms() {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.copied {
		return
	}
	programs.copied = true
	for _, f := range programs.files {
		// A program that cannot be copied is started from its file.
		_ = copyToMemory(f)
	}
}

// copyToMemory replaces the open file of a program by a sealed copy in memory. The descriptor keeps its number.
func copyToMemory(f *os.File) error {
	name := filepath.Base(f.Name())
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING) // Linux before 6.3
	}
	if err != nil {
		return fmt.Errorf("copying %s into memory: %w", f.Name(), err)
	}
	made := os.NewFile(uintptr(fd), name)
	defer func() { _ = made.Close() }()
	_, err = io.Copy(made, io.NewSectionReader(f, 0, 1<<62))
	if err == nil {
		_, err = unix.FcntlInt(made.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err == nil {
		err = unix.Dup3(int(made.Fd()), int(f.Fd()), unix.O_CLOEXEC)
	}
	if err != nil {
		return fmt.Errorf("copying %s into memory: %w", f.Name(), err)
	}
	return nil
}

// Rename sets the name of this process in lists of processes. A program that was started from a descriptor is listed with the
// name of the descriptor otherwise.
func Rename(name string) {
	// A failure only affects lists of processes.
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
}
