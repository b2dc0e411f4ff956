//go:build unix

package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestProgressBar checks that progress is shown on a terminal, and only there.
func TestProgressBar(t *testing.T) {
	t.Parallel()

	if show, done := progressBar(&bytes.Buffer{}); show != nil {
		t.Error("there is a bar without a terminal")
	} else {
		done()
	}
	screen, terminal, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	text := make(chan string)
	go func() {
		// On some systems, reading at the end of a terminal returns an error.
		all, _ := io.ReadAll(screen)
		text <- string(all)
	}()
	show, done := progressBar(terminal)
	show(1 << 20)
	show(3 << 20)
	done()
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-text; !strings.Contains(got, "cloning") {
		t.Errorf("got %q", got)
	}
	_ = screen.Close()
}
