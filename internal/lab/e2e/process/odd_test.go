//go:build linux

package process

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// oddKinds maps the kinds of objects that may replace a file to functions that create them. The path must not exist.
var oddKinds = map[string]func(path string) error{
	"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o644) },
	"device":   func(path string) error { return os.Symlink("/dev/zero", path) },
	"folder":   func(path string) error { return os.Mkdir(path, 0o755) },
	"dangling": func(path string) error { return os.Symlink("nowhere", path) },
	"loop":     func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"socket": func(path string) error {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		// The path of a socket must be short, so it is bound elsewhere and moved.
		dir, err := os.MkdirTemp("", "as")
		if err == nil {
			err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(dir, "s")})
		}
		return errors.Join(err, os.Rename(filepath.Join(dir, "s"), path), os.RemoveAll(dir), syscall.Close(fd))
	},
	"huge": func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 10<<30))
	},
	// /dev/zero, /dev/tty and the first loop device by other names.
	"zero node":  node(syscall.S_IFCHR, 1, 5),
	"tty node":   node(syscall.S_IFCHR, 5, 0),
	"block node": node(syscall.S_IFBLK, 7, 0),
}

// nodes lists the kinds that only root can create.
var nodes = []string{"zero node", "tty node", "block node"}

// node returns a function that creates a device. Every user may open it.
func node(kind uint32, major, minor int) func(path string) error {
	return func(path string) error {
		return errors.Join(syscall.Mknod(path, kind, major<<8|minor), os.Chmod(path, 0o666))
	}
}

// oddRow is a file that aura reads and a command that reads the file.
type oddRow struct {
	file string
	args []string
	// quiet holds the kinds that need no message: a file that may be missing may also be a dangling link, and aura reads
	// folders of configuration. aura must exit in any case.
	quiet []string
}

var (
	all    = slices.Concat([]string{"pipe", "device", "folder", "dangling", "loop", "socket", "huge"}, nodes)
	folder = []string{"folder"}
	absent = []string{"dangling"}
	either = []string{"folder", "dangling"}
)

// kindsHere returns all kinds that this user can create, or one of each sort if the test runs again as another user.
func kindsHere(t *testing.T) []string {
	t.Helper()
	if harness.Again() {
		return []string{"pipe", "device", "folder", "huge"}
	}
	err := oddKinds["zero node"](filepath.Join(t.TempDir(), "node"))
	able, missing := testneed.Has(testneed.Devices, err == nil)
	if missing != nil {
		t.Fatal(missing, err)
	}
	if able {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return slices.Contains(nodes, kind) })
}

func oddRows() []oddRow {
	show, chat := []string{"show"}, []string{"run", "--without-plugins", "hi"}
	rows := []oddRow{
		{".aura/config/talk.yaml", chat, nil},
		{"odd.env", []string{"show", "--env-file", "odd.env"}, nil},
		{"secrets.env", show, absent},
		{"replayed.txt", []string{"run", "--without-plugins", "/replay replayed.txt"}, nil},
		{"exported.md", []string{"run", "--without-plugins", "/export exported.md"}, []string{"dangling", "loop", "huge"}},
		{".aura/plugins.lock", []string{"run", "hi"}, absent},
		{".aura/plugins/witness/plugin.yaml", []string{"run", "hi"}, folder},
		{".aura/plugins/witness/go.mod", []string{"run", "hi"}, nil},
		{".aura/plugins/witness/main.go", []string{"run", "hi"}, nil},
		{".aura/plugins/witness/other.go", []string{"plugins", "check"}, folder},
		{".aura/plugins/witness/.origin.yaml", []string{"run", "hi"}, absent},
		{".aura/plugins/witness/vendor/github.com/idelchi/aura/sdk/version/version.go", []string{"run", "hi"}, absent},
		{"recorded.yaml", []string{"run", "--without-plugins", "--provider", "recorded", "hi"}, []string{"dangling", "loop", "huge"}},
		{".aura/config/modes/explain.md", []string{"init", "--force", "--yes"}, absent},
		{".gitignore", []string{"tools", "run", "Rg", "pattern=x"}, all},
		{".git", []string{"tools", "run", "Ls", "path=."}, all},
		{".git/config", []string{"tools", "run", "Ls", "path=."}, all},
		{".git/modules", []string{"tools", "run", "Ls", "path=."}, all},
		{".git/worktrees", []string{"tools", "run", "Ls", "path=."}, all},
		{"AGENTS.md", chat, absent},
		{"batch.yaml", []string{"fleet", "submit", "batch.yaml", "--check"}, nil},
		{"odd.json", []string{"plugins", "call", "witness", "BeforeChat", "--input", "odd.json"}, nil},
		{"added", []string{"plugins", "add", "./added"}, nil},
		{"home/.ssh/known_hosts", []string{"plugins", "add", "ssh://127.0.0.1:1/x"}, absent},
		{"home/.ssh/id_rsa", []string{"plugins", "add", "ssh://127.0.0.1:1/x"}, all},
		{".aura", show, []string{"dangling"}},
		{".aura/config", show, either},
		{".aura/config/agents", chat, either},
		{".aura/skills", show, either},
		{".aura/extensions", []string{"plugins", "list"}, either},
		{".aura/plugins", []string{"plugins", "list"}, either},
	}
	for _, kind := range []string{"agents/odd.md", "modes/odd.md", "prompts/odd.md", "commands/odd.md", "features/odd.yaml", "hooks/odd.yaml", "mcp/odd.yaml", "providers/odd.yaml", "sandbox/odd.yaml", "tasks/odd.yaml", "tools/odd.yaml"} {
		rows = append(rows, oddRow{".aura/config/" + kind, show, folder})
	}
	return append(rows, oddRow{".aura/skills/odd.md", show, folder})
}

// oddTalk is a conversation without tool calls: hundreds of runs need not start the processes of tools.
const oddTalk = "model: {name: talker, context_length: 8192}\nturns:\n  - text: All done.\n"

// TestOddFiles puts something else in the place of each file that aura reads. aura must exit, without using much memory, and
// name the file.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	kinds := kindsHere(t)
	for _, row := range oddRows() {
		t.Run(strings.ReplaceAll(row.file, "/", "_"), func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write(".aura/config/talk.yaml", oddTalk)
			p.Write(".aura/config/providers/recorded.yaml", "recorded: {type: script, file: talk.yaml, record: recorded.yaml}\n")
			p.Write(".aura/config/agents/main.md", "---\nname: main\ndefault: true\nmodel: {provider: test, name: talker}\n---\nWork.\n")
			for _, kind := range kinds {
				odd(p, row, kind)
			}
		})
	}
}

// odd runs aura with one kind of object at the path of a file. It restores the file afterwards.
func odd(p *harness.Project, row oddRow, kind string) {
	p.T.Helper()
	path := p.Path(row.file)
	p.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	kept := p.Path("kept")
	if err := os.Rename(path, kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.T.Fatal(err)
	}
	p.Check(oddKinds[kind](path))
	p.T.Logf("%s in the place of %s, aura %q", kind, row.file, row.args)
	a := p.Start(row.args...)
	a.Wait()
	said := slices.Concat(p.Stdout(), p.Stderr())
	if !slices.Contains(row.quiet, kind) && !bytes.Contains(said, []byte(strings.TrimSuffix(filepath.Base(row.file), session.Ext))) {
		p.T.Errorf("%s in the place of %s: aura %q does not name it:\n%s", kind, row.file, row.args, said)
	}
	if usage, ok := a.Cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && usage.Maxrss > oddMemory>>10 {
		p.T.Errorf("%s in the place of %s: aura took %d MiB", kind, row.file, usage.Maxrss>>10)
	}
	p.Check(os.RemoveAll(path))
	if err := os.Rename(kept, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.T.Fatal(err)
	}
}

// oddMemory is the memory that aura may use, in bytes, also with the race detector. Files of 10 GiB do not fit into it.
const oddMemory = 2 << 30

// TestOddState puts something else in the place of files that aura wrote: a session, the log of a plugin, the cache of its exports.
// aura follows no links there.
func TestOddState(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/talk.yaml", oddTalk)
	p.Plugin("talker", "description: Talks\n", "package talker\n\nimport \"fmt\"\n\nfunc init() { fmt.Println(\"hello\") }\n")
	p.Run("run", "hi")
	for _, row := range []struct {
		pattern string
		args    [][]string
		quiet   []string
	}{
		{"*.jsonl", [][]string{{"sessions", "list"}, {"sessions", "search", "hi"}, {"run", "--without-plugins", "--continue", "hi"}}, folder},
		{"talker.log", [][]string{{"plugins", "logs", "talker"}}, nil},
		// aura moves a log that is too long aside, as always.
		{"talker.log", [][]string{{"run", "hi"}}, []string{"huge"}},
		{"*.json", [][]string{{"run", "hi"}}, all},
		{"*.cbor", [][]string{{"run", "hi"}}, all},
	} {
		for _, file := range p.Find(row.pattern) {
			for _, kind := range kindsHere(t) {
				for _, args := range row.args {
					odd(p, oddRow{file, args, row.quiet}, kind)
				}
			}
		}
	}
}

// TestExportReplacesLinks exports onto a link to a file of the user's, in a session and from outside. As a control, a shell
// writes through the same link.
func TestExportReplacesLinks(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("home/.bashrc", "mine\n")
	p.Run("run", "--without-plugins", "hi")
	id := strings.TrimSuffix(filepath.Base(p.Find("*.jsonl")[0]), ".jsonl")
	for _, args := range [][]string{
		{"run", "--without-plugins", "/export notes.md"},
		{"sessions", "export", id, "--output", "notes.md"},
	} {
		p.Check(os.RemoveAll(p.Path("notes.md")))
		p.Check(os.Symlink("home/.bashrc", p.Path("notes.md")))
		p.Run(args...)
		p.Wants(p.Read("notes.md"), "# Session")
		if got := p.Read("home/.bashrc"); string(got) != "mine\n" {
			t.Errorf("aura %q wrote through the link: %s", args, got)
		}
	}
	// aura does not follow a link to another directory either, inside the project or outside of it, by any name.
	outside, hooks := t.TempDir(), p.Path(".git/hooks")
	p.Check(os.MkdirAll(hooks, 0o755))
	p.Check(os.Symlink(outside, p.Path("notes")))
	p.Check(os.Symlink(".git/hooks", p.Path("inner")))
	for _, name := range []string{"notes/new.md", p.Path("notes/new.md"), "inner/pre-commit", p.Path("inner/pre-commit")} {
		for _, args := range [][]string{{"run", "--without-plugins", "/export " + name}, {"sessions", "export", id, "--output", name}} {
			p.Start(args...).Wait()
			p.Wants(p.Stderr(), "exporting session.*(notes|inner): a symbolic link, which is not followed here")
		}
	}
	for _, dir := range []string{outside, hooks} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("a link to a directory was followed: %v, %v", left, err)
		}
		p.Check(os.RemoveAll(dir))
	}
	// The same names without links are written.
	p.Check(os.Mkdir(outside, 0o755))
	p.Check(os.MkdirAll(hooks, 0o755))
	for _, name := range []string{filepath.Join(outside, "new.md"), ".git/hooks/x.md", p.Path(".git/hooks/y.md")} {
		p.Run("sessions", "export", id, "--output", name)
	}
	p.Check(os.Remove(p.Path("notes.md")))
	p.Check(os.Symlink("home/.bashrc", p.Path("notes.md")))
	p.Check(os.WriteFile(p.Path("notes.md"), []byte("not mine"), 0o600))
	if got := p.Read("home/.bashrc"); string(got) != "not mine" {
		t.Errorf("the link does not even lead there: %s", got)
	}
}
