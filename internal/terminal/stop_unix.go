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

// stop stops the process and returns when it goes on. Go keeps its handler of SIGTSTP once it had one, so another signal with the same
// default is sent. It does not stop a process whose group nobody watches, as Ctrl-Z does not: then stop returns after a moment.
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
