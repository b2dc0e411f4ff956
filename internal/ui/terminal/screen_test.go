package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// panel returns a screen of a given width that writes to memory.
func panel(width *int) (*Screen, *Pane, *bytes.Buffer) {
	var shown bytes.Buffer
	s := &Screen{raw: &shown, errLook: Look{Live: true, Width: func() int { return *width }}}
	return s, &Pane{screen: s, to: &shown, clean: plaintext.Cleaner{Visible: true, Returns: true}}, &shown
}

// lately sets the start of the wait to a while ago, and draws the live line as the timer would.
func (s *Screen) lately(ago time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.since = time.Now().Add(-ago)
	s.draw()
}

func TestLiveLine(t *testing.T) {
	t.Parallel()
	width := 80
	s, p, shown := panel(&width)
	// Only this test draws the live line.
	s.live.timer = time.NewTimer(time.Hour)
	step := func(want string) {
		t.Helper()
		if got := shown.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		shown.Reset()
	}
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(p, text); err != nil {
			t.Error(err)
		}
	}
	s.Wait(Activity{What: "model"})
	s.lately(quiet / 2)
	step("")
	s.lately(3 * time.Second)
	step("⠙ model, 3 s")
	// The live line is redrawn in place, and erased before anything else is written.
	s.Wait(Activity{What: "model", Tokens: 7, Tail: "so far\nthis"})
	s.lately(4 * time.Second)
	step("\r\x1b[J⠹ model, 4 s, ~7 tokens  so far this")
	write("text\n")
	step("\r\x1b[Jtext\n")
	// The live line is not drawn after an unfinished line until the user ends that line.
	write("Choose: ")
	s.lately(5 * time.Second)
	step("Choose: ")
	s.Answered()
	s.lately(5 * time.Second)
	step("⠸ model, 5 s, ~7 tokens  so far this")
	// A terminal that became narrower shows the live line on two lines.
	width = 20
	if err := p.Print("done\n"); err != nil {
		t.Error(err)
	}
	step("\r\x1b[A\x1b[Jdone\n")
	// On a narrow terminal, the live line is cut.
	s.Wait(Activity{What: "tool", Name: "mcp__server__tool\x1b[31m"})
	s.lately(61 * time.Second)
	step("⠼ tool mcp__server…")
	s.pause()
	s.lately(time.Minute)
	step("\r\x1b[J")
	s.resume()
	s.lately(time.Minute)
	s.Idle()
	step("⠴ tool mcp__server…\r\x1b[J")
	s.tick()
	s.Idle()
	step("")
}

// TestNoLiveLine checks that the live line is not drawn where it cannot be erased.
func TestNoLiveLine(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	s := NewScreen(&shown, &shown, []string{"TERM=xterm", "FORCE_COLOR=1"})
	s.Wait(Activity{What: "model"})
	if s.live.timer != nil || s.live.on {
		t.Error("it is drawn into a pipe")
	}
	s.Idle()
}

// TestPane checks that control sequences are removed, however they are split into pieces, except for aura's own.
func TestPane(t *testing.T) {
	t.Parallel()
	width := 80
	_, p, shown := panel(&width)
	for _, b := range []byte("\r10 % \u202E\x1b[31mred ä\x1b]0;x\ay\n") {
		if n, err := p.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := Print(p, Look{Styled: true, Colour: true}.Paint(Failure, "a\x1b[1mb\n")); err != nil {
		t.Fatal(err)
	}
	if want := "\r10 % <U+202E>red äy\n\x1b[31mab\x1b[0m\n"; shown.String() != want {
		t.Errorf("got %q, want %q", shown.String(), want)
	}
}

func TestActivityLine(t *testing.T) {
	t.Parallel()
	for _, width := range []int{-1, 0, 1, 2, 5, 17, 40, 300} {
		for _, tail := range []string{"", "漢字漢字漢字漢字漢字漢字漢字漢字漢字", strings.Repeat("👩\u200d💻 ", 50), "a\x1b[31mb\u202e", strings.Repeat("e\u0301", 100)} {
			line := Activity{What: "tool", Name: "漢字 Bash", Tokens: 12345, Tail: tail}.Line(time.Hour, width)
			if Width(line) > max(width, 0) || plaintext.Line(line) != strings.Join(strings.Fields(line), " ") {
				t.Errorf("%q in %d columns: %q has %d", tail, width, line, Width(line))
			}
		}
	}
	for d, want := range map[time.Duration]string{0: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min 0 s", 3725 * time.Second: "62 min 5 s"} {
		if got := seconds(d); got != want {
			t.Errorf("%v: got %q", d, got)
		}
	}
}

// TestWrapWidths checks that no line of running text is wider than the terminal, whatever the text contains.
func TestWrapWidths(t *testing.T) {
	t.Parallel()
	text := "some `code span` and **bold words** 漢字漢字漢字漢字 👩\u200d💻👩\u200d💻 [link](https://example.org/a/long/path) " + strings.Repeat("x", 70) + " end"
	for width := 20; width < 60; width++ {
		look := Look{Width: func() int { return width }}
		m := NewMarkdown(look)
		shown := string(m.Next("> - "+text+"\n\n"+text) + m.End())
		for line := range strings.Lines(shown) {
			if got := Width(strings.TrimRight(line, "\n")); got > width {
				t.Errorf("width %d: %q has %d columns", width, line, got)
			}
		}
		if joined := strings.Join(strings.Fields(shown), ""); !strings.Contains(joined, strings.Repeat("x", width/2)) {
			t.Errorf("width %d: %s", width, fmt.Sprint(joined))
		}
	}
}
