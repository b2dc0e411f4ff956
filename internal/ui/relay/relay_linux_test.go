package relay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/ui/relay"
)

// user is a person at a terminal, on which a command runs.
type user struct {
	t        *testing.T
	terminal *os.File
	tty      *os.File
	output   relay.Output
	// ended is closed at the end of the command; typed and err are what Run returned.
	ended chan struct{}
	typed []byte
	err   error

	mu   sync.Mutex
	saw  bytes.Buffer
	read int64
	// came is closed when the terminal has shown more.
	came chan struct{}
}

// patience is how long a step may take on a busy machine.
const patience = time.Minute

func run(t *testing.T, line string) *user {
	t.Helper()
	terminal, tty, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, terminal: terminal, tty: tty, ended: make(chan struct{}), came: make(chan struct{})}
	u.resize(80, 24)
	go u.look()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(u.ended)
		u.typed, u.err = relay.Run(ctx, tty, tty, relay.Program{
			Path: "/bin/sh", Args: []string{"sh", "-c", line}, Dir: t.TempDir(), Environ: os.Environ(), Leader: self,
		}, &u.output)
	}()
	t.Cleanup(func() {
		cancel()
		<-u.ended
		_ = tty.Close()
		_ = terminal.Close()
	})
	return u
}

// look reads what the terminal shows. It keeps at most a megabyte.
func (u *user) look() {
	buf := make([]byte, 64<<10)
	for {
		n, err := u.terminal.Read(buf)
		u.mu.Lock()
		if u.read += int64(n); u.read < 1<<20 {
			u.saw.Write(buf[:n])
		}
		close(u.came)
		u.came = make(chan struct{})
		u.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (u *user) resize(columns, rows uint16) {
	u.t.Helper()
	if err := pty.Setsize(u.terminal, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		u.t.Fatal(err)
	}
}

// sees waits until the terminal has shown the pattern, and returns its groups.
func (u *user) sees(pattern string) []string {
	u.t.Helper()
	p := regexp.MustCompile(pattern)
	var found []string
	u.await(fmt.Sprintf("%q on the terminal", pattern), func() bool {
		found = p.FindStringSubmatch(u.saw.String())
		return found != nil
	})
	return found
}

// await waits until ok returns true, which may change when the terminal shows more. ok is called with the lock held.
func (u *user) await(what string, ok func() bool) {
	u.t.Helper()
	late := time.After(patience)
	for {
		u.mu.Lock()
		done, came := ok(), u.came
		u.mu.Unlock()
		if done {
			return
		}
		select {
		case <-came:
		case <-late:
			u.t.Fatalf("waited for %s; it shows %q", what, u.saw.String())
		}
	}
}

// awaitEnd waits until a process that is no child of this one has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds())) //nolint:gosec // descriptors are small
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			t.Fatalf("process %d still runs: %v", pid, err)
		}
		return
	}
}

func (u *user) types(keys string) {
	u.t.Helper()
	if _, err := u.terminal.WriteString(keys); err != nil {
		u.t.Fatal(err)
	}
}

// ends waits for the end of the command, and checks how it ended and what was typed and not read.
func (u *user) ends(how, typed string) {
	u.t.Helper()
	select {
	case <-u.ended:
	case <-time.After(patience):
		u.t.Fatalf("the command does not end; the terminal shows %q", u.saw.String())
	}
	if got := fmt.Sprint(u.err); got != how {
		u.t.Errorf("ended with %q, want %q", got, how)
	}
	if got := string(u.typed); got != typed {
		u.t.Errorf("typed and not read: %q, want %q", got, typed)
	}
}

// TestRun has a story for each thing that goes through the relay.
func TestRun(t *testing.T) {
	t.Parallel()
	flood := testneed.Times(5_000_000, 100_000_000) // bytes
	for name, row := range map[string]struct {
		line  string
		story func(u *user)
	}{
		"output and status": {`echo out; echo err >&2; exit 3`, func(u *user) {
			u.ends("exit status 3", "")
			u.sees(`^out\r\nerr\r\n$`)
		}},
		"a line": {`echo go; read word; echo "got $word"`, func(u *user) {
			u.sees("go\r\n")
			u.types("some words\r")
			u.ends("<nil>", "")
			u.sees("some words\r\ngot some words\r\n$")
		}},
		"typed ahead": {`mkfifo gate; echo "in $PWD "; read x <gate; stty sane`, func(u *user) {
			dir := u.sees(`in (\S+) `)[1]
			u.types("not for you\rand more")
			u.sees(`you\r\nand more`) // the terminal of the command has it
			open(u.t, dir+"/gate")
			u.ends("<nil>", "not for you\nand more")
		}},
		"a raw program": {`stty raw -echo; echo go; dd bs=1 count=4 2>/dev/null | od -An -tx1; stty sane`, func(u *user) {
			u.sees("go\n")
			u.types("\x03\x1a\x1c\r")
			u.ends("<nil>", "")
			u.sees(`03 1a 1c 0d`)
		}},
		"Ctrl-C": {`echo go; exec sleep 1000`, func(u *user) {
			u.sees("go\r\n")
			u.types("\x03")
			u.ends("signal: interrupt", "")
		}},
		"Ctrl-C for a handler": {`trap 'echo handled; exit 7' INT; echo go; while :; do :; done`, func(u *user) {
			u.sees("go\r\n")
			u.types("\x03")
			u.ends("exit status 7", "")
			u.sees(`handled`)
		}},
		"the size": {`trap 'stty size; exit 0' WINCH; stty size; while :; do :; done`, func(u *user) {
			u.sees("^24 80\r\n")
			u.resize(100, 30)
			if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil { // as the kernel does for the controlling terminal
				u.t.Fatal(err)
			}
			u.ends("<nil>", "")
			u.sees("30 100\r\n$")
		}},
		"an answer of the terminal": {`stty raw -echo; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane`, func(u *user) {
			u.sees(`\x1b\[6n`)
			u.types("\x1b[5;7R")
			u.sees(`\x1b\[5n`)
			u.types("\x1b[0n")
			u.ends("<nil>", "")
			u.sees(`033   \[   5   ;   7   R`)
		}},
		"an answer that nobody reads": {`printf '\033[21t'`, func(u *user) {
			u.sees(`\x1b\[21t[\s\S]*\x1b\[5n`)
			u.types("\x1b]lrm -rf\x1b\\typed\x1b[0nfor aura")
			u.ends("<nil>", "\x1b]lrm -rf\x1b\\typed")
			rest := make([]byte, len("for aura"))
			if _, err := io.ReadFull(u.tty, rest); err != nil || string(rest) != "for aura" {
				u.t.Errorf("aura's terminal has %q, %v", rest, err)
			}
		}},
		"no answer": {`printf '\033[31mred\033[0m\n'`, func(u *user) {
			u.ends("<nil>", "")
		}},
		"a flood": {fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x; echo; echo end`, flood), func(u *user) {
			u.ends("<nil>", "")
			if text, cut := u.output.Text(); !cut || text != "end" && len(text) > limit.Shared || !strings.HasSuffix(text, "end") {
				u.t.Errorf("kept %d bytes, cut %v", len(text), cut)
			}
			u.await("the whole flood", func() bool { return u.read >= int64(flood) })
		}},
		"what is left behind": {`sleep 1000 & echo "pid $! "`, func(u *user) {
			pid, err := strconv.Atoi(u.sees(`pid (\d+) `)[1])
			if err != nil {
				u.t.Fatal(err)
			}
			u.ends("<nil>", "")
			awaitEnd(u.t, pid)
		}},
		"no such program": {`exec /nowhere 2>/dev/null`, func(u *user) {
			u.ends("exit status 127", "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.story(run(t, row.line))
		})
	}
}

// open opens a gate for the reader that waits behind it.
func open(t *testing.T, gate string) {
	t.Helper()
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
}

// TestRunCancelled ends a command with its context. Nothing of it is left.
func TestRunCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	terminal, tty, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	defer terminal.Close()
	defer tty.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := relay.Run(ctx, tty, tty, relay.Program{Path: "/bin/sh", Args: []string{"sh", "-c", `trap "" HUP INT; echo "pid $$ "; sleep 1000`}, Leader: self}, &relay.Output{})
		ended <- err
	}()
	shown := make([]byte, 100)
	n, err := terminal.Read(shown)
	found := regexp.MustCompile(`pid (\d+) `).FindSubmatch(shown[:n])
	if err != nil || found == nil {
		t.Fatalf("%q, %v", shown[:n], err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the command succeeded")
	}
	pid, _ := strconv.Atoi(string(found[1]))
	awaitEnd(t, pid)
}

// TestRunWithoutTerminal checks that nothing is done without a terminal.
func TestRunWithoutTerminal(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := relay.Run(t.Context(), r, w, relay.Program{Path: "/bin/sh"}, &relay.Output{}); !errors.Is(err, relay.ErrNone) {
		t.Errorf("got %v", err)
	}
}
