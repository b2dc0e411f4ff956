//go:build linux

package screen

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// The tests watch one project, because other sessions of the same user may run on the machine.

// TestTop watches the plugins of a running session on a terminal: it sorts them, reads a log, and restarts and quarantines a plugin.
func TestTop(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	release := p.Held()
	s := startScreen(p, p.Command("plugins", "top", "--project", "--sort", "plugin"), 120, 12)
	s.shows(`^2 plugins in 1 session, by plugin$`, `^  PLUGIN +STATE +CALLS/S +P50 +P99 +MEMORY +CPU +RESTARTS`, `^> holder +busy`, `^  witness +ready`,
		`^holder: session \S+ in /`, `^\? keys  q quit`)
	if !s.alternate() {
		t.Error("the table is not on the alternate screen")
	}
	s.send("r")
	s.shows(`by plugin, reversed$`, `(?s)witness.*\n> holder`)
	s.send("r\x1b[B")
	s.shows(`by plugin$`, `(?s)holder.*\n> witness`)
	s.send("k")
	s.shows(`^> holder`)
	s.send("j")
	s.shows(`^> witness`)
	s.send("s")
	s.shows(`by state$`)
	s.send("S?")
	s.shows(`^R +restart the plugin, after a question$`, `any key returns`)
	s.send(" ")
	s.shows(`by plugin$`, `^> witness`)

	s.send("l")
	s.shows(`^log of witness: /.*witness.log$`, `\[aura\] plugin witness loaded in`, `following$`)
	s.send("q")
	s.shows(`^> witness`)

	// Keys that were typed before the question can be answered do not answer it.
	s.send("Qyyy")
	s.shows(`^Quarantine witness\? y/n$`, `^> witness +ready`)
	s.send("n")
	s.shows(`^witness: nothing done$`, `^> witness +ready`)
	s.send("Q")
	s.shows(`^Quarantine witness\? y/n$`)
	s.send("y")
	s.shows(`^witness: quarantine done, now quarantined$`, `^> witness +quarantined`, `^witness: last exit: quarantined by the user; session`)
	s.send("R")
	s.shows(`^Restart witness\? y/n$`)
	s.send("y")
	s.shows(`^witness: restart done, now ready with pid \d+$`, `^> witness +ready`)

	// A narrow screen shows the important columns.
	s.resize(40, 8)
	s.hides(`P50`, `PROJECT`)
	narrow := s.shows(`^  PLUGIN +STATE +CALLS/S +MEMORY +CPU$`, `^> witness +ready +0 +\d+\.\dMB +\d+\.\d%$`)
	for line := range strings.SplitSeq(narrow, "\n") {
		if terminal.Width(line) > 40 {
			t.Errorf("%q is too long", line)
		}
	}
	s.send("Q")
	s.shows(`^Quarantine witness\? y/n$`)
	s.send("\x1b")
	s.shows(`nothing done`)
	s.resize(300, 8)
	s.shows(`PID +SESSION +PROJECT$`, `^> witness .*`+p.Dir+`$`)

	release()
	// Nothing of the longer lines is left.
	s.shows(`^0 plugins in 0 sessions, by plugin$`, `^  PLUGIN  STATE  CALLS/S  P50  P99  MEMORY  CPU  RESTARTS  PID  SESSION  PROJECT$`)
	s.send("k")
	s.shows(`^no running session of this project has plugins; q quits$`)
	s.send("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if text := strings.Join(s.lines(), ""); text != "" {
		t.Errorf("the main screen shows %q", text)
	}
	p.NoTrace()
}

// TestTopEnds ends the screen in every way. The terminal is as it was before.
func TestTopEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		way  func(*screen)
		code int
	}{
		"q":         {func(s *screen) { s.send("q") }, 0},
		"Ctrl-C":    {func(s *screen) { s.send("\x03") }, 0},
		"interrupt": {func(s *screen) { s.Signal(syscall.SIGINT) }, 130},
		"terminate": {func(s *screen) { s.Signal(syscall.SIGTERM) }, 143},
		"hang up":   {func(s *screen) { s.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			s := startScreen(p, p.Command("plugins", "top", "--project"), 80, 10)
			s.shows(`no running session of this project has plugins`)
			row.way(s)
			if code := s.end(); code != row.code {
				t.Errorf("exit code %d, want %d\n%s", code, row.code, s.received())
			}
		})
	}
}

// TestTopWithoutTerminal takes the terminal away, also from a program that ignores the signal for that.
func TestTopWithoutTerminal(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before string
		code   int
	}{
		"signal":    {"", 129},
		"no signal": {`trap "" HUP; `, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			cmd := p.Command("plugins", "top", "--project")
			cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", row.before + `exec "$@"`, "sh"}, cmd.Args...)
			s := startScreen(p, cmd, 80, 10)
			s.shows(`no running session of this project has plugins`)
			s.hangUp()
			if code := s.Wait(); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			p.NoProcess()
		})
	}
}

// TestTopStops stops the screen by Ctrl-Z and continues it.
func TestTopStops(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	// A shell waits for aura, so that aura's process group is not orphaned: a key cannot stop an orphaned group.
	cmd := p.Command("plugins", "top", "--project")
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-mc", `"$@"; echo "gone $?"; read key; fg; echo "ended $?"`, "sh"}, cmd.Args...)
	s := startScreen(p, cmd, 80, 10)
	s.shows(`no running session of this project has plugins`)
	s.send("\x1a")
	s.shows(`^gone 1\d\d$`)
	if s.alternate() {
		t.Error("a stopped aura still shows the alternate screen")
	}
	s.send("\n")
	s.shows(`no running session of this project has plugins`)
	s.send("q")
	s.shows(`^ended 0$`)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTopTerminal puts control sequences into a log, a reason and a path, and shows all of them.
func TestTopTerminal(t *testing.T) {
	t.Parallel()
	for _, environ := range [][]string{nil, {"NO_COLOR=1"}} {
		p := harness.NewProject(t)
		p.Plugin("talker", "description: Talks\n", "package talker\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n"+
			"func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {\n"+
			"\tfmt.Print(\"\\x1b[45mEV\\x1b]0;owned\\aIL\\u202e\\u009b2J\\n\")\n\tgo func() { panic(\"\\x1b[45mEV\\x1b]0;owned\\aIL\\u202e\") }()\n\tselect {}\n}\n")
		p.Plugin("holder", "description: Holds the conversation\ntimeout: 20m\n", harness.HolderSource)
		dir := p.Path("EVIL\x1b]0;owned\a\u202e")
		p.Check(os.Mkdir(dir, 0o755))
		cmd := p.Command("run", "--config", p.Path(".aura"), "go")
		cmd.Dir = dir
		p.Check(cmd.Start())
		a := p.Running(cmd)
		p.Until("held.txt", func() bool { _, err := os.Stat(dir + "/held.txt"); return err == nil })
		watch := p.Command("plugins", "top", "--project", "--sort", "restarts")
		watch.Dir = dir
		s := startScreen(p, watch, 250, 10, environ...)
		s.shows(`^> talker .*EVIL`, `^talker: last exit: .*EVIL`)
		s.send("\rg")
		s.shows(`Z EVIL`, `panic: EVIL`)
		s.send("qq")
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		received := s.received()
		for _, bad := range []string{"\u202e", "\u009b", "\x1b]0", "[45m"} {
			if bytes.Contains(received, []byte(bad)) {
				t.Errorf("the terminal received %q", bad)
			}
		}
		if colours := bytes.Contains(received, []byte("\x1b[31m")) || bytes.Contains(received, []byte("\x1b[36m")); colours != (environ == nil) {
			t.Errorf("with %v, colours: %t", environ, colours)
		}
		p.Check(os.WriteFile(dir+"/release", nil, 0o600))
		a.Wait()
	}
}

// TestTopOnceFits prints the table once on a terminal of 40 columns.
func TestTopOnceFits(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	release := p.Held()
	shown := onTerminal(p, p.Command("plugins", "top", "--project", "--once", "--sort", "plugin"))
	release()
	p.Wants(shown, `PLUGIN +STATE +CALLS/S +MEMORY +CPU\r\n`, `holder +busy `, `witness +ready `)
	for line := range strings.SplitSeq(string(shown), "\r\n") {
		if terminal.Width(line) > 40 {
			t.Errorf("%q is too long", line)
		}
	}
}
