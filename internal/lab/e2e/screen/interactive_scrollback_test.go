//go:build linux

package screen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

const (
	numberedLines = 5000
	sizeChanges   = 50
)

// numbered returns parts of an answer with numbered lines, in blocks of different kinds and sizes.
func numbered(random *rand.Rand, parts int) []string {
	var text strings.Builder
	for n := 1; n <= numberedLines; {
		last := min(n+random.IntN(12), numberedLines)
		fenced := random.IntN(3) == 0
		if fenced {
			text.WriteString("```\n")
		}
		for ; n <= last; n++ {
			if !fenced {
				text.WriteString("- ")
			}
			fmt.Fprintf(&text, "line-%05d %s\n", n, strings.Repeat("x", random.IntN(110)))
		}
		if fenced {
			text.WriteString("```\n")
		}
		text.WriteString("\n")
	}
	all := text.String()
	var out []string
	for i := range parts {
		out = append(out, all[len(all)*i/parts:len(all)*(i+1)/parts])
	}
	return out
}

var numberedLine = regexp.MustCompile(`line-(\d{5})`)

// inOrder checks that the lines hold every number once and in order.
func inOrder(t *testing.T, lines []string) {
	t.Helper()
	var got []int
	for _, line := range lines {
		// A terminal that changes its width while it reads a line may join the line with the next one.
		for _, found := range numberedLine.FindAllStringSubmatch(line, -1) {
			n, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
		}
	}
	for i, n := range got {
		if n != i+1 {
			t.Fatalf("line %d stands where line %d belongs: %v", n, i+1, got[max(0, i-8):min(len(got), i+8)])
		}
	}
	if len(got) != numberedLines {
		t.Fatalf("%d lines, want %d", len(got), numberedLines)
	}
}

// TestInteractiveScrollback streams 5,000 lines while the terminal changes its size 50 times. Each line is then in the scrollback or
// on the screen, once and in order.
func TestInteractiveScrollback(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the sizes need no secrecy
	p := newStory(t, "  - text: unused\n")
	m := newModel(p)
	s := interactive(p, "Count")
	for i, part := range numbered(random, 4*sizeChanges) {
		m.say(part)
		if i%4 == 0 {
			s.resize(40+random.IntN(121), 10+random.IntN(41))
		}
	}
	m.end()
	s.shows(fmt.Sprintf(`line-%05d`, numberedLines))
	s.ready()
	s.send(ctrlD)
	s.end()
	inOrder(t, s.everything())
}

// TestEmulatorKeepsRows checks that the screen of these tests keeps the rows of a terminal that becomes lower. The emulator alone
// drops them.
func TestEmulatorKeepsRows(t *testing.T) {
	t.Parallel()
	show := func(resize func(s *screen)) []string {
		s := &screen{emulator: vt.NewEmulator(20, 6)}
		_, err := s.emulator.WriteString("1\r\n2\r\n3\r\n4\r\n5\r\n6")
		if err != nil {
			t.Fatal(err)
		}
		resize(s)
		return s.everything()
	}
	if got := show(func(s *screen) { s.emulator.Resize(20, 3) }); slices.Contains(got, "6") {
		t.Errorf("the emulator keeps the last row, so makeRoom is not needed: %q", got)
	}
	if got := show(func(s *screen) { s.makeRoom(3); s.emulator.Resize(20, 3) }); strings.Join(got, "") != "123456" {
		t.Errorf("the rows are %q", got)
	}
}

// mux is a session of tmux with one program.
type mux struct {
	*harness.Project
	program, socket string
}

// startMux starts aura in tmux.
func startMux(p *harness.Project, columns, rows int, args ...string) *mux {
	p.T.Helper()
	p.WithoutMode()
	m := &mux{Project: p, program: testneed.Program(p.T, "tmux"), socket: filepath.Join(p.Runtime, "tmux")}
	cmd := p.Command(args...)
	p.Write("tmux.conf", "set -g history-limit 50000\nset -g remain-on-exit on\nset -g status off\n")
	p.T.Cleanup(func() { _ = m.command("kill-server").Run() })
	start := m.command(append([]string{
		"-f", p.Path("tmux.conf"), "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "-c", p.Dir,
	}, cmd.Args...)...)
	start.Env = cmd.Env
	out, err := start.CombinedOutput()
	if err != nil {
		p.T.Fatalf("starting tmux: %v\n%s", err, out)
	}
	return m
}

func (m *mux) command(args ...string) *exec.Cmd {
	cmd := exec.Command(m.program, append([]string{"-S", m.socket}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	return cmd
}

// do runs a command of tmux and returns its output.
func (m *mux) do(args ...string) string {
	m.T.Helper()
	out, err := m.command(args...).CombinedOutput()
	if err != nil {
		m.T.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// everything returns the lines of the history and the screen. Broken lines are joined.
func (m *mux) everything() []string {
	m.T.Helper()
	return strings.Split(strings.TrimRight(m.do("capture-pane", "-p", "-J", "-S", "-"), "\n"), "\n")
}

// shows waits until the screen matches a pattern.
func (m *mux) shows(pattern string) {
	m.T.Helper()
	var text string
	defer func() {
		if m.T.Failed() {
			m.T.Log(text)
		}
	}()
	m.Until(pattern+" in tmux", func() bool {
		text = m.do("capture-pane", "-p")
		return matches(pattern, text)
	})
}

// ended waits for the end of the program.
func (m *mux) ended() {
	m.T.Helper()
	m.Until("the end of the program in tmux", func() bool { return m.do("display-message", "-p", "#{pane_dead}") == "1\n" })
}

// TestInteractiveScrollbackTmux is TestInteractiveScrollback in tmux, which breaks long rows again when its width changes.
func TestInteractiveScrollbackTmux(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the sizes need no secrecy
	p := newStory(t, "  - text: unused\n")
	m := newModel(p)
	x := startMux(p, 80, 24, "Count")
	for i, part := range numbered(random, 4*sizeChanges) {
		m.say(part)
		if i%4 == 0 {
			x.do("resize-window", "-x", strconv.Itoa(40+random.IntN(121)), "-y", strconv.Itoa(10+random.IntN(41)))
		}
	}
	m.end()
	x.shows(fmt.Sprintf(`line-%05d`, numberedLines))
	x.shows(idle)
	x.do("send-keys", "C-d")
	x.ended()
	inOrder(t, x.everything())
}

// TestInteractiveTmux has a conversation in tmux. Its copy mode then finds the finished text in the history.
func TestInteractiveTmux(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - {text: I look., tool_calls: [{name: Bash, arguments: {command: seq 40}}]}\n  - text: The needle is found.\n")
	x := startMux(p, 60, 12)
	x.shows(idle)
	x.do("send-keys", "-l", "Find the needle")
	x.shows(`> Find the needle`)
	x.do("send-keys", "Enter")
	x.shows(`The needle is found\.\n─`) // without a spinner between them
	want := "> Find the needle||I look.||● Bash seq 40 (<time>)|"
	for n := range 40 {
		want += fmt.Sprintf("  │ %d|", n+1)
	}
	want += "|The needle is found.|" + strings.Repeat("─", 40) + "|>|"
	lines := x.everything()
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	text := steadied(strings.Join(lines, "|"))
	if got := strings.TrimLeft(text, "|"); !strings.HasPrefix(got, want) {
		t.Errorf("tmux has\n%s\nwant\n%s", strings.ReplaceAll(got, "|", "\n"), strings.ReplaceAll(want, "|", "\n"))
	}
	x.do("copy-mode")
	x.do("send-keys", "-X", "search-backward", "Find the needle")
	if got := x.do("display-message", "-p", "#{copy_cursor_line}"); !strings.Contains(got, "> Find the needle") {
		t.Errorf("copy mode is at %q", got)
	}
	x.do("send-keys", "-X", "cancel")
	x.do("send-keys", "C-d")
	x.ended()
	if got := x.everything(); !strings.Contains(strings.Join(got, "\n"), "The needle is found.") {
		t.Errorf("in the end tmux has %q", got)
	}
	p.NoTrace()
}
