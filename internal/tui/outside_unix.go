//go:build unix

package tui

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// suspend stops aura until the user's shell continues it.
func (u *UI) suspend() {
	u.giveAway(u.stopProcess)
}

// stopProcess stops aura, which has given the terminal away.
func (u *UI) stopProcess() {
	go func() {
		err := u.release()
		if err == nil {
			continued := make(chan os.Signal, 1)
			signal.Notify(continued, syscall.SIGCONT)
			if err = syscall.Kill(0, syscall.SIGTSTP); err == nil {
				<-continued
			}
			signal.Stop(continued)
		}
		err = errors.Join(err, u.takeBack())
		u.do(func() { u.away, u.released, u.failed = false, false, err })
	}()
}

// watchSize tells the program when the size of the terminal changes. The returned function ends this.
func (u *UI) watchSize() (stop func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for range changed {
			u.program.Send(resized{})
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
	}
}
