//go:build linux

package sandbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// asUsers runs a test as root and as an ordinary user, or only as the current user if that is not root.
func asUsers(t *testing.T, test func(t *testing.T, c *harness.Clone)) {
	t.Helper()
	for _, uid := range harness.CageUsers() {
		t.Run(strconv.Itoa(uid), func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			if uid != os.Geteuid() {
				for _, dir := range []string{c.Canaries, c.Host} {
					c.Check(os.Chmod(filepath.Dir(dir), 0o755)) // the test's own
					c.Check(os.Chown(dir, uid, uid))
				}
				c.Give(uint32(uid))
			}
			test(t, c)
		})
	}
}

func newClone(t *testing.T) *harness.Clone {
	t.Helper()
	c := &harness.Clone{Project: harness.NewProject(t), Canaries: t.TempDir(), Host: t.TempDir()}
	c.Check(os.RemoveAll(c.Path(".aura")))
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Mu.Lock()
		defer c.Mu.Unlock()
		c.Asked = append(c.Asked, r.URL.Path+" "+r.Header.Get("Authorization")+r.Header.Get("X-Secret"))
		http.NotFound(w, r)
	}))
	t.Cleanup(c.Server.Close)
	for name, text := range cloneFiles {
		c.Write(name, strings.NewReplacer("CANARY", c.Canaries, "SERVER", c.Server.URL).Replace(text))
	}
	c.Check(harness.CopyFile(filepath.Join(c.Bin, "mcpserver"), c.Path("mcpserver")))
	// A plugin host beside a copy of aura records that it was started.
	c.Check(harness.CopyFile(filepath.Join(c.Bin, "aura"), filepath.Join(c.Host, "aura")))
	c.Check(harness.WriteProgram(filepath.Join(c.Host, "aura-plugin-host"), []byte("#!/bin/sh\ntouch "+c.Canaries+"/host\n")))
	return c
}

// needs lists the command lines that start configured programs and so need consent. All other command lines only show
// something, or manage consent itself.
var needs = [][]string{
	{"run", "hi"},
	{"run", "/help"},
	{"run", "--without-plugins", "hi"},
	{"run", "--continue", "hi"},
	{"run", "--provider", "thief", "hi"},
	{"tasks", "run", "t"},
	{"tools", "run", "Read", "path=x"},
	{"tools", "run", "Sing"},
	{"tools", "Read", "path=x"},
	{"hooks", "run", "h", "--tool", "Bash"},
	{"plugins", "update", "--all"},
	{"plugins", "update", "canary"},
}

// shows lists command lines that show something, in addition to every command without arguments.
var shows = [][]string{
	{"plugins", "show", "canary"},
	{"plugins", "show", "canary", "--json"},
	{"plugins", "list", "--json"},
	{"plugins", "check", "canary"},
	{"plugins", "logs", "canary"},
	{"mcp", "program"},
	{"mcp", "service"},
	{"mcp", "--json"},
	{"models", "thief"},
	{"models", "--json"},
	{"tools", "list", "--with-mcp"},
	{"tools", "inspect", "Read"},
	{"hooks", "show", "h"},
	{"show", "providers"},
	{"show", "features", "sandbox"},
	{"show", "agents", "a"},
	{"tasks", "--json"},
	{"trust", "--show"},
	{"trust", "--show", "--json"},
	{"trust", "--list"},
	{"sessions", "search", "hi"},
	{"sessions", "prune", "--older", "30d"},
	{"init", "--dry-run"},
}

// TestClone runs every command in a clone that nobody trusts.
func TestClone(t *testing.T) {
	t.Parallel()
	asUsers(t, cloneUntrusted)
}

func cloneUntrusted(t *testing.T, c *harness.Clone) {
	t.Helper()
	tree := c.Tree()
	if len(tree) < 20 {
		t.Fatalf("only %d commands were found: %q", len(tree), tree)
	}
	for _, args := range needs {
		code, output := c.Aura(true, args...)
		c.Silent(args, output)
		if code != 2 {
			t.Errorf("aura %q: exit code %d\n%s", args, code, output)
		}
		c.Wants([]byte(output), `not trusted`, `aura trust`, `--trust`, `--safe`, `plugin canary .*no sandbox.*all environment variables.*network`, `hook h .*not confined`)
	}
	for _, args := range shows {
		code, output := c.Aura(true, args...)
		c.Silent(args, output)
		if code != 0 {
			t.Errorf("aura %q: exit code %d\n%s", args, code, output)
		}
	}
	if c.User != nil {
		tree = nil // the output of the other commands does not depend on the user
	}
	for _, path := range tree {
		if slices.Contains([]string{"trust", "init", "fleet serve", "web"}, strings.Join(path, " ")) {
			continue // they manage consent, write, or run until they are ended
		}
		for _, more := range [][]string{nil, {"canary"}} {
			args := slices.Concat(path, more)
			_, output := c.Aura(true, args...)
			c.Silent(args, output)
		}
		completed := [][]string{{""}, {"canary", ""}}
		if slices.Equal(path, []string{"run"}) {
			// The flags of all commands are the same.
			completed = append(completed, [][]string{{"--agent", ""}, {"--mode", ""}, {"--provider", ""}, {"--model", ""}, {"--include-tools", ""}, {"--resume", ""}}...)
		}
		for _, more := range completed {
			args := slices.Concat([]string{"__complete"}, path, more)
			_, output := c.Aura(true, args...)
			c.Silent(args, output)
			if strings.Contains(output, "not trusted") {
				t.Errorf("completion speaks: %q\n%s", args, output)
			}
		}
	}
	// None of these commands gave consent.
	if _, output := c.Aura(true, "trust", "--list"); !strings.Contains(output, "no directory is trusted") {
		t.Error(output)
	}
}

// TestCloneTrusted trusts a clone: all of its files take effect. It is the control of TestClone.
func TestCloneTrusted(t *testing.T) {
	t.Parallel()
	asUsers(t, cloneTrusted)
}

func cloneTrusted(t *testing.T, c *harness.Clone) {
	t.Helper()
	testneed.Program(t, "python")
	var started []string
	said := map[string]string{}
	for _, args := range [][]string{{"run", "hi"}, {"tasks", "run", "t"}, {"models", "thief"}, {"tools", "list", "--with-mcp"}} {
		code, output := c.Aura(false, append(args, "--trust")...)
		if code != 0 && args[0] != "models" {
			t.Errorf("aura %q: exit code %d\n%s", args, code, output)
		}
		started = append(started, c.Started...)
		said[args[0]] = output
	}
	// The accountant recorded each of these processes, even short ones.
	for _, want := range []string{`exec .*aura-plugin-host`, `exec .*touch CANARY/plugin-condition`, `exec .*touch CANARY/tool-condition`, `exec .*touch CANARY/mcp\b`, `exec .*touch CANARY/agent-mcp\b`, `exec .*touch CANARY/singer-condition`, `exec .*touch CANARY/mute-condition`, `exec .*/aura-tool-host: .* __shell `} {
		c.Wants([]byte(strings.Join(started, "\n")), strings.ReplaceAll(want, "CANARY", c.Canaries))
	}
	sung := c.Sung()
	for _, want := range []string{
		"plugin", "plugin-condition", "extension", "hook", "mcp", "agent-mcp", "tool-condition", "task", "singer-server", "mute-server", "singer-condition", "mute-condition", "singer", "/plugin ", "/mcp " + harness.CloneSecret, "/v1/models Bearer " + harness.CloneSecret,
	} {
		if !slices.Contains(sung, want) {
			t.Errorf("%q did not take effect: %q", want, sung)
		}
	}
	// Both servers run, but only the tool of the one whose condition holds is offered and can be called.
	if slices.Contains(sung, "mute") {
		t.Error("the tool of a server was called whose condition does not hold")
	}
	c.Wants([]byte(said["run"]), `mcp__singer__sing .* la\n`, `mcp__mute__sing failed: the call did not run: .* not available at the moment`)
	c.Wants([]byte(said["tools"]), `mcp__singer__sing .* yes\n`, `mcp__mute__sing .* its condition .* does not hold before a session begins`)
	for name, want := range map[string]string{"plugin": harness.CloneSecret, "hook": "sung\n"} {
		if got, err := os.ReadFile(filepath.Join(c.Canaries, name)); err != nil || string(got) != want {
			t.Errorf("%s left %q, %v, want %q", name, got, err, want)
		}
	}
	code, output := c.Aura(false, "run", "--trust", "hi")
	c.Wants([]byte(output), `secrets\.env:2: LD_PRELOAD is ignored`)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestCloneSafe runs --safe in a clone that nobody trusts: nothing of the clone takes effect.
func TestCloneSafe(t *testing.T) {
	t.Parallel()
	asUsers(t, cloneSafe)
}

func cloneSafe(t *testing.T, c *harness.Clone) {
	t.Helper()
	c.Write("home/.aura/config/providers/mine.yaml", "mine: {type: script}\n")
	c.Safe = true
	for _, args := range [][]string{{"run", "hi"}, {"run", "/sandbox"}, {"plugins", "list"}, {"mcp"}, {"models"}} {
		code, output := c.Aura(true, append(args, "--safe")...)
		c.Silent(args, output)
		if code != 0 || strings.Contains(output, "not trusted") || strings.Contains(output, "canary ") {
			t.Errorf("aura %q: exit code %d\n%s", args, code, output)
		}
	}
}

// TestClonePinned changes files of a clone after the user trusted them.
func TestClonePinned(t *testing.T) {
	t.Parallel()
	asUsers(t, clonePinned)
}

func clonePinned(t *testing.T, c *harness.Clone) {
	t.Helper()
	run := func(want int, patterns ...string) {
		t.Helper()
		code, output := c.Aura(false, "run", "--without-plugins", "hi")
		if code != want {
			t.Fatalf("exit code %d, want %d\n%s", code, want, output)
		}
		c.Wants([]byte(output), patterns...)
	}
	if code, output := c.Aura(false, "trust", "--pinned"); code != 0 {
		t.Fatal(output)
	}
	run(0)
	for _, file := range []string{
		".aura/config/hooks/h.yaml", ".aura/plugins/canary/main.go", ".aura/extensions/song.py", ".aura/config/talk.yaml", "secrets.env",
	} {
		text := string(c.Read(file))
		c.Write(file, text+"\n")
		run(2, `different now: changed: `+regexp.QuoteMeta(file), `aura trust`)
		c.Write(file, text)
		run(0)
	}
	c.Write(".aura/config/hooks/new.yaml", "new: {event: post, command: 'true'}\n")
	run(2, `added: \.aura/config/hooks/new\.yaml`, `New is:\n  hook new`)
	c.Check(os.Remove(c.Path(".aura/config/hooks/new.yaml")))
	c.Check(os.Remove(c.Path(".aura/config/tools/t.yaml")))
	run(2, `removed: \.aura/config/tools/t\.yaml`)
	// Consent to a directory covers later changes, but not a file such as secrets.env that did not exist at the time.
	c.Check(os.Remove(c.Path("secrets.env")))
	if code, output := c.Aura(false, "trust"); code != 0 {
		t.Fatal(output)
	}
	c.Write(".aura/config/hooks/new.yaml", "new: {event: post, command: 'true'}\n")
	run(0)
	c.Write("secrets.env", "A=1\n")
	run(2, `there is also secrets\.env`)
	if code, output := c.Aura(false, "trust", "--forget"); code != 0 {
		t.Fatal(output)
	}
	c.Check(os.Remove(c.Path("secrets.env")))
	run(2, `not trusted\n`)
}

// TestTrustQuestion answers, on a terminal, the question whether a directory is trusted.
func TestTrustQuestion(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// typed holds an answer for each time that the question appears.
		typed []string
		code  int
		runs  bool
		// consent is what the list of trusted directories shows afterwards.
		consent string
	}{
		"directory":    {[]string{"d\n"}, 0, true, `the directory: \.aura, secrets\.env`},
		"files":        {[]string{"f\n"}, 0, true, `files as they were`},
		"safe":         {[]string{"s\n"}, 0, false, `no directory is trusted`},
		"quit":         {[]string{"q\n"}, 2, false, `no directory is trusted`},
		"nothing":      {[]string{"\n"}, 2, false, `no directory is trusted`},
		"end of input": {[]string{"\x04"}, 2, false, `no directory is trusted`},
		"something":    {[]string{"yes\n", "q\n"}, 2, false, `no directory is trusted`},
		"interrupt":    {[]string{"\x03"}, 130, false, `no directory is trusted`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			screen, tty, err := pty.Open()
			c.Check(err)
			t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
			cmd := c.Command("run", "--without-plugins", "hi")
			cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "AURA_") }), "CLONE_SECRET="+harness.CloneSecret, "AURA_DEMONSTRATION=1")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
			record, err := os.Create(c.Path("stderr.txt"))
			c.Check(err)
			t.Cleanup(func() { _ = record.Close() })
			go func() { _, _ = record.ReadFrom(screen) }()
			c.Check(cmd.Start())
			a := c.Running(cmd)
			c.Await("stderr.txt", `plugin canary[\s\S]*d  trust this directory[\s\S]*f  trust these files[\s\S]*s  safe mode[\s\S]*q  quit[\s\S]*Choose \[q\]: `)
			if sung := c.Sung(); len(sung) > 0 {
				t.Errorf("before the answer took effect: %q", sung)
			}
			for i, answer := range row.typed {
				c.Await("stderr.txt", fmt.Sprintf(`(Choose \[q\]: [\s\S]*){%d}`, i+1))
				_, err = screen.WriteString(answer)
				c.Check(err)
			}
			if code := a.Wait(); code != row.code {
				t.Errorf("exit code %d, want %d\n%s", code, row.code, c.Stderr())
			}
			if _, err := os.Stat(filepath.Join(c.Canaries, "hook")); (err == nil) != row.runs {
				t.Errorf("the hook ran: %v", err == nil)
			}
			_, list := c.Aura(false, "trust", "--list")
			c.Wants([]byte(list), row.consent)
		})
	}
}
