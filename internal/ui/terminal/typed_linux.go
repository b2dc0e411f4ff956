package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

func discardTyped(f *os.File) error { return unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
