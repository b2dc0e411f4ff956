//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// LeaveOnStop takes the live line away before the process is stopped by Ctrl-Z, until release is called.
func (s *Screen) LeaveOnStop() (release func()) {
	if !s.errLook.Live || signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	stops, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-stops:
				s.pause()
				signal.Reset(syscall.SIGTSTP)
				// The process stops here, as it would have without a handler.
				_ = syscall.Kill(syscall.Getpid(), syscall.SIGTSTP)
				signal.Notify(stops, syscall.SIGTSTP)
				s.resume()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		close(done)
	}
}
