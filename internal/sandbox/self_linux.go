package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/files"
)

// Self is the path by which this program starts itself again. It names the running program, whatever has been put in the place
// of its file since. The kernel lets nobody write to a program that runs.
func Self() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Readlink(self); err != nil {
		return os.Executable()
	}
	return self, nil
}

// programs are the files of Program.
var programs struct {
	mu    sync.Mutex
	files []*os.File
	// copied is set once programs have to be in memory.
	copied bool
}

// Program opens a program for as long as this process runs, and returns a path by which this process can start it whatever is put
// in the place of its file. It must be a regular file, or a link to one.
func Program(path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	programs.mu.Lock()
	defer programs.mu.Unlock()
	programs.files = append(programs.files, f)
	if programs.copied {
		// A program that cannot be copied is still started from its file.
		_ = copyToMemory(f)
	}
	return descriptorPath(int(f.Fd())), nil
}

// KeepPrograms copies the programs into memory. It is called before confined code runs on a system without mount namespaces: there
// nothing else keeps such code from writing to the file of a program that lies in a writable tree.
func KeepPrograms() {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.copied {
		return
	}
	programs.copied = true
	for _, f := range programs.files {
		// A program that cannot be copied is still started from its file.
		_ = copyToMemory(f)
	}
}

// copyToMemory puts a sealed copy of a program in the place of its open file. The descriptor keeps its number.
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

// Rename sets the name of this process in lists. A program that was started from a descriptor has the descriptor's.
func Rename(name string) {
	// Only a list of processes is the worse for a failure.
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
}
