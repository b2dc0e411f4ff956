//go:build unix && !linux

package mcp

import "syscall"

// attributes leaves it to the end of its input to tell the program that aura is gone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
