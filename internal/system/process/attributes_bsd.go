//go:build unix && !linux

package process

import "syscall"

// attributes sets nothing: the lifeline or the guard ends the process when aura is gone.
func attributes(s Spec, _ Isolation) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setctty: s.Terminal}
}
