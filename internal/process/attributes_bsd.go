//go:build unix && !linux

package process

import "syscall"

// attributes leaves it to the lifeline or the guard to end the process when aura is gone.
func attributes(Spec, Isolation) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
