//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// presser is a user who presses a key when a question is shown.
type presser struct {
	bytes.Buffer
	keyboard *os.File
	key      string
	// leave ends the request in place of a key.
	leave context.CancelFunc
}

func (p *presser) Write(text []byte) (int, error) {
	if strings.HasSuffix(string(text), "every other key refuses: ") {
		if p.key == "" {
			p.leave()
		} else if _, err := io.WriteString(p.keyboard, p.key); err != nil {
			return 0, err
		}
	}
	return p.Buffer.Write(text)
}

// TestOneKey asks several questions on one terminal, and checks which keys agree and what is shown.
func TestOneKey(t *testing.T) {
	t.Parallel()
	keyboard, tty, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), keyboard.Close() })
	user := &presser{keyboard: keyboard}
	keys := &oneKey{in: tty, err: user}
	// What is typed before the first question does not count.
	if _, err := io.WriteString(keyboard, "y"); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name, key string
		want      bool
	}{
		{"another key", "n", false}, {"the key", "y", true}, {"a capital", "Y", false}, {"enter", "\r", false}, {"an arrow", "\x1b[A", false}, {"the end of the page", "", false}, {"the key again", "y", true},
	}
	for _, row := range rows {
		ctx, leave := context.WithCancel(t.Context())
		user.key, user.leave = row.key, leave
		user.Reset()
		yes, err := keys.confirm(ctx, []string{"restart \x1b[31mit\nand more", "second"})
		leave()
		if err != nil || yes != row.want {
			t.Errorf("%s: %v, error %v", row.name, yes, err)
		}
		if shown := user.String(); strings.Contains(shown, "\x1b") || !strings.HasPrefix(shown, "? restart ") || strings.Count(shown, "\n") != 3 {
			t.Errorf("%s: shown %q", row.name, shown)
		}
	}
}

// TestOneKeyAhead types keys after a question has appeared, and before they count: an impatient second y for an earlier question must not agree to
// this one.
func TestOneKeyAhead(t *testing.T) {
	t.Parallel()
	keyboard, tty, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), keyboard.Close() })
	user := &hasty{keyboard: keyboard}
	keys := &oneKey{in: tty, err: user}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	user.ready = func() { time.AfterFunc(silentTime, cancel) }
	if yes, err := keys.confirm(ctx, []string{"restart it"}); err != nil || yes {
		t.Errorf("%v, error %v", yes, err)
	}
	if shown := user.String(); !strings.HasSuffix(shown, "no longer asked\n") {
		t.Errorf("shown %q", shown)
	}
}

// hasty is a user who presses the key when a question appears, before it can be answered.
type hasty struct {
	bytes.Buffer
	keyboard *os.File
	// ready is called when a key counts.
	ready func()
}

func (p *hasty) Write(text []byte) (int, error) {
	switch {
	case strings.HasPrefix(string(text), "? "):
		if _, err := io.WriteString(p.keyboard, "y"); err != nil {
			return 0, err
		}
	case strings.HasSuffix(string(text), "every other key refuses: "):
		p.ready()
	}
	return p.Buffer.Write(text)
}
