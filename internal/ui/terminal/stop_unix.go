//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopping is how long the signal may take to reach the process.
const stopping = time.Second

// LeaveOnStop erases the live line before Ctrl-Z stops the process. It does so until release is called.
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
				stop()
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

// stop stops the process and returns when the process continues. Go keeps its handler of SIGTSTP once it was installed, so stop
// sends another signal with the same default action. Like Ctrl-Z, the signal does not stop a process in an orphaned process
// group. In that case stop returns after the timeout.
func stop() {
	goes := make(chan os.Signal, 1)
	signal.Notify(goes, syscall.SIGCONT)
	defer signal.Stop(goes)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTTOU); err != nil {
		return
	}
	select {
	case <-goes:
	case <-time.After(stopping):
	}
}
