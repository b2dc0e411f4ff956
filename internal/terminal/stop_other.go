//go:build !unix

package terminal

// LeaveOnStop does nothing: a process cannot be stopped by a key here.
func (s *Screen) LeaveOnStop() (release func()) { return func() {} }
