//go:build !unix

package terminal

// LeaveOnStop does nothing, because no key can stop a process on this system.
func (s *Screen) LeaveOnStop() (release func()) { return func() {} }
