//go:build linux

package screen

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// screen is a program on a pseudo-terminal, and what an emulator of a terminal shows of the program's output. The emulator answers the
// questions that programs ask their terminal.
type screen struct {
	*harness.Aura
	// terminal is the terminal's end of the pseudo-terminal. Its other end belongs to the program alone.
	terminal *os.File
	// before are the modes of the terminal before the program started.
	before unix.Termios

	mu       sync.Mutex
	emulator *vt.Emulator
	raw      bytes.Buffer
	// drained is closed when the program's output has ended.
	drained chan struct{}
}

// startScreen starts a command on a terminal of this size, as the leader of a session of its own. It adds environ to the environment.
func startScreen(p *harness.Project, cmd *exec.Cmd, columns, rows int, environ ...string) *screen {
	p.T.Helper()
	p.WithoutMode()
	opened, tty, err := pty.Open()
	p.Check(err)
	p.Check(pty.Setsize(opened, size(columns, rows)))
	terminal, err := pollable(opened)
	p.Check(err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(append(cmd.Env, "TERM=xterm-256color"), environ...)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	s := &screen{terminal: terminal, emulator: vt.NewEmulator(columns, rows), drained: make(chan struct{})}
	s.emulator.SetScrollbackSize(50000)
	s.before = s.modes(p)
	p.Check(cmd.Start())
	p.Check(tty.Close())
	go s.show()
	go s.answer()
	p.T.Cleanup(func() { _ = terminal.Close() })
	s.Aura = p.Running(cmd)
	return s
}

// pollable returns the same file in a form whose pending reads end when it is closed. It closes the given one.
func pollable(f *os.File) (*os.File, error) {
	defer func() { _ = f.Close() }()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func size(columns, rows int) *pty.Winsize {
	return &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)} //nolint:gosec // tests use small screens
}

// show gives the program's output to the emulator until the last process has closed the terminal.
func (s *screen) show() {
	defer close(s.drained)
	// The reader of the answers ends with the pipe.
	defer func() { _ = s.emulator.InputPipe().(io.Closer).Close() }()
	part := make([]byte, 32<<10)
	for {
		n, err := s.terminal.Read(part)
		s.mu.Lock()
		s.raw.Write(part[:n])
		_, _ = s.emulator.Write(part[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// answer sends the program what the emulator answers to questions of the program.
func (s *screen) answer() {
	_, _ = io.Copy(s.terminal, s.emulator)
}

// modes returns the modes of the terminal.
func (s *screen) modes(p *harness.Project) unix.Termios {
	p.T.Helper()
	raw, err := s.terminal.SyscallConn()
	p.Check(err)
	var modes *unix.Termios
	p.Check(raw.Control(func(fd uintptr) { modes, err = unix.IoctlGetTermios(int(fd), unix.TCGETS) }))
	p.Check(err)
	return *modes
}

// send types keys.
func (s *screen) send(keys string) {
	s.T.Helper()
	_, err := s.terminal.WriteString(keys)
	s.Check(err)
}

// resize changes the size of the terminal. The kernel sends SIGWINCH to the program.
func (s *screen) resize(columns, rows int) {
	s.T.Helper()
	s.mu.Lock()
	s.makeRoom(rows)
	s.emulator.Resize(columns, rows)
	s.mu.Unlock()
	raw, err := s.terminal.SyscallConn()
	s.Check(err)
	to := size(columns, rows)
	s.Check(raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: to.Rows, Col: to.Cols})
	}))
	s.Check(err)
}

// makeRoom moves rows into the scrollback before the screen becomes lower than the row of the cursor, as terminals do. The emulator
// itself would drop the rows at the bottom and leave the cursor on another row.
func (s *screen) makeRoom(rows int) {
	e := s.emulator
	gone := e.CursorPosition().Y - (rows - 1)
	if gone <= 0 || e.IsAltScreen() {
		return
	}
	for y := range e.Height() {
		line := cells(e.CellAt(0, y), e.Width())
		for x := range line {
			if cell := e.CellAt(x, y); cell != nil {
				line[x] = *cell
			}
		}
		if y < gone {
			e.Scrollback().Push(line)
			continue
		}
		for x := range line {
			e.SetCell(x, y-gone, &line[x])
		}
	}
}

// cells returns n cells like the given one, whose type belongs to a library that the emulator uses.
func cells[T any](_ *T, n int) []T { return make([]T, n) }

// hangUp takes the terminal away from the program.
func (s *screen) hangUp() {
	s.T.Helper()
	s.Check(s.terminal.Close())
}

// shows waits until the screen matches all patterns and returns the screen. In patterns, ^ and $ match at the ends of lines.
func (s *screen) shows(patterns ...string) string {
	s.T.Helper()
	return s.waitFor("the screen to show", patterns, func(text string) bool {
		return !slices.ContainsFunc(patterns, func(pattern string) bool { return !matches(pattern, text) })
	})
}

// hides waits until the screen matches none of the patterns and returns the screen.
func (s *screen) hides(patterns ...string) string {
	s.T.Helper()
	return s.waitFor("the screen not to show", patterns, func(text string) bool {
		return !slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, text) })
	})
}

func (s *screen) waitFor(what string, patterns []string, ok func(text string) bool) string {
	s.T.Helper()
	deadline := time.Now().Add(harness.Patience)
	for {
		text := strings.Join(s.lines(), "\n")
		if ok(text) {
			return text
		}
		select {
		case <-s.drained:
			// The screen may have changed between the last look and the end.
			if text = strings.Join(s.lines(), "\n"); ok(text) {
				return text
			}
			s.T.Fatalf("the program ended; waited for %s %q:\n%s", what, patterns, text)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("waited %s for %s %q:\n%s", harness.Patience, what, patterns, text)
		}
	}
}

func matches(pattern, text string) bool {
	return regexp.MustCompile("(?m)" + pattern).MatchString(text)
}

// lines returns the visible lines without trailing spaces.
func (s *screen) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visible()
}

func (s *screen) visible() []string {
	lines := make([]string, s.emulator.Height())
	for y := range lines {
		var line strings.Builder
		for x := range s.emulator.Width() {
			// The second cell of a wide character has no width.
			if cell := s.emulator.CellAt(x, y); cell != nil && cell.Width > 0 {
				line.WriteString(cell.Content)
			}
		}
		lines[y] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// scrollback returns the lines that were scrolled off the main screen, oldest first. It is empty while the alternate screen is shown.
func (s *screen) scrollback() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scrolled()
}

func (s *screen) scrolled() []string {
	if s.emulator.IsAltScreen() { // the emulator still returns those of the main screen
		return nil
	}
	var lines []string
	for _, line := range s.emulator.Scrollback().Lines() {
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// everything returns the scrolled and the visible lines, without empty ones at the end. On the alternate screen it returns the visible
// lines.
func (s *screen) everything() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := append(s.scrolled(), s.visible()...)
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// alternate reports whether the alternate screen is shown.
func (s *screen) alternate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.IsAltScreen()
}

// received returns everything that the terminal has received.
func (s *screen) received() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw.Bytes())
}

// end waits for the end of the program and its output, checks that the terminal is as it was, and returns the exit code.
func (s *screen) end() int {
	s.T.Helper()
	code := s.Wait()
	select {
	case <-s.drained:
	case <-time.After(harness.Patience):
		s.T.Fatalf("a process still has the terminal %s after the program ended", harness.Patience)
	}
	if s.alternate() {
		s.T.Error("the program left the alternate screen on")
	}
	if received := s.received(); bytes.LastIndex(received, []byte("\x1b[?25l")) > bytes.LastIndex(received, []byte("\x1b[?25h")) {
		s.T.Error("the program left the cursor hidden")
	}
	if after := s.modes(s.Project); after != s.before {
		s.T.Errorf("the terminal's modes were %+v and are %+v", s.before, after)
	}
	return code
}

// pressed matches what the program says to the first Ctrl-C. A question is not asked any more.
var pressed = regexp.MustCompile(`again to quit|the user stopped it`)

// quit presses Ctrl-C until the program ends. It presses again when the program has handled a key; on a slow machine it may be too late to quit.
func (s *screen) quit() int {
	s.T.Helper()
	// The linear screen scrolls. The other one writes only what differs from what it wrote before.
	handled := func() int {
		return len(pressed.FindAll(s.received(), -1)) + len(pressed.FindAllString(strings.Join(s.lines(), "\n"), -1))
	}
	for ended := false; !ended; {
		before := handled()
		s.send(ctrlC)
		s.Until("what Ctrl-C does", func() bool {
			select {
			case <-s.drained:
				ended = true
			default:
			}
			return ended || handled() > before
		})
	}
	return s.end()
}

// TestScreen checks the screen of these tests with a shell: scrolled lines, wide characters, keys, sizes, the alternate screen and
// answers to questions.
func TestScreen(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	s := startScreen(p, exec.Command("/bin/sh", "-c", `
for i in 1 2 3 4 5 6; do echo "line $i"; done
printf '\033[31m宽\033[0m wide\n'
read key; echo "got $key in $(stty size)"
modes=$(stty -g); stty -icanon -echo min 1; printf '\033[6n'; dd bs=1 count=3 2>/dev/null | od -An -c; stty "$modes"
read key; printf '\033[?1049h\033[Hother'; read key; printf '\033[?1049l'; exit 7`), 20, 5)
	s.shows(`^宽 wide$`, `^line 6$`)
	if got := strings.Join(s.scrollback(), "|"); got != "line 1|line 2|line 3" {
		t.Errorf("the scrolled lines are %q", got)
	}
	s.resize(30, 4)
	s.send("a b\n")
	s.shows(`^got a b in 4 30$`, `033   \[`)
	s.send("\n")
	s.shows(`^other`)
	s.hides(`wide`)
	if !s.alternate() {
		t.Error("the alternate screen is not shown")
	}
	s.send("\n")
	if code := s.end(); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	s.shows(`got a b`)
	if !bytes.Contains(s.received(), []byte("\x1b[31m")) {
		t.Error("the terminal did not receive the colour")
	}
}
