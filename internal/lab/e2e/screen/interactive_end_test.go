//go:build linux

package screen

import (
	"bytes"
	"cmp"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestInteractiveEnd ends the screen in every situation: by keys, by signals, and by taking the terminal away. No process is left, the
// session is saved, and the terminal is as it was before.
func TestInteractiveEnd(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name string
		code int
		end  func(s *screen, d doing)
	}{
		{"keys", 0, func(s *screen, d doing) { s.send(cmp.Or(d.quit, ctrlC+ctrlC)) }},
		{"terminate", 143, func(s *screen, _ doing) { s.Signal(syscall.SIGTERM) }},
		{"hangup", 129, func(s *screen, _ doing) { s.Signal(syscall.SIGHUP) }},
		{"vanished", -1, func(s *screen, _ doing) { s.hangUp() }},
	} {
		for _, plain := range []bool{false, true} {
			for _, d := range doings {
				if way.name == "keys" && d.quit == "-" || plain && d.plain == nil {
					continue
				}
				name := way.name + "/" + d.name
				if plain {
					name = "plain/" + name
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := d.come(t, plain)
					if plain && way.name == "keys" { // the terminal turns each Ctrl-C into a signal, and two at once into one
						s.quit()
					} else {
						way.end(s, d)
					}
					if way.code < 0 {
						s.Wait()
					} else if code := s.end(); code != way.code {
						t.Errorf("exit code %d, want %d\n%s", code, way.code, s.received())
					}
					s.restored()
					s.NoTrace()
					if !d.slow {
						saved := s.Saved()
						harness.Complete(t, saved)
						if saved.End == nil || len(saved.Messages) == 0 {
							t.Errorf("the session is not saved to its end: %+v", saved)
						}
					}
				})
			}
		}
	}
}

// restored checks that the modes which the screen sets by control sequences are reset, if the terminal is still there.
func (s *screen) restored() {
	s.T.Helper()
	if _, err := s.terminal.Stat(); err != nil {
		return
	}
	received := s.received()
	for _, mode := range []struct{ name, set, reset string }{
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"reports of the focus", "\x1b[?1004h", "\x1b[?1004l"},
		{"disambiguated keys", "\x1b[>1u", "\x1b[<u"},
		{"modified keys", "\x1b[>4;1m", "\x1b[>4;0m"},
		{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"a hidden cursor", "\x1b[?25l", "\x1b[?25h"},
		{"synchronized output", "\x1b[?2026h", "\x1b[?2026l"},
		{"rows without wrapping", "\x1b[?7l", "\x1b[?7h"},
	} {
		if bytes.LastIndex(received, []byte(mode.set)) > bytes.LastIndex(received, []byte(mode.reset)) {
			s.T.Errorf("%s is not reset", mode.name)
		}
	}
	if bytes.Count(received, []byte("\x1b[>1u")) != bytes.Count(received, []byte("\x1b[<u")) {
		s.T.Error("the modes of keys that were pushed are not those that were popped")
	}
}
