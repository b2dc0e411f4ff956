package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

func discardTyped(f *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) }
