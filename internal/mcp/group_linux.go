package mcp

import "syscall"

// attributes has the program killed when aura is gone, however it went.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
