package tui

import "time"

// suspend does nothing: Windows has no jobs of a shell.
func (u *UI) suspend() { u.hint = "Windows cannot suspend a program" }

// watchSize looks at the size of the terminal from time to time, because Windows sends no signal. The returned function ends this.
func (u *UI) watchSize() (stop func()) {
	ticker, done := time.NewTicker(250*time.Millisecond), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				u.program.Send(resized{})
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}
