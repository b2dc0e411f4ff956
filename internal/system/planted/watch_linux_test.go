package planted_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/planted"
)

// place is a working directory with a repository of the user, and a command line that stands for confined code.
type place struct {
	t testing.TB
	planted.Place
	home string
}

func newPlace(tb testing.TB) place {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	p := place{t: tb, home: filepath.Join(base, "home")}
	work := filepath.Join(base, "work")
	p.Place = planted.Place{
		Workdir: work, Trees: []string{work}, Writable: []string{work, filepath.Join(base, "tmp")},
		Protected: []string{filepath.Join(work, ".aura"), filepath.Join(work, "secrets.env"), filepath.Join(work, ".git", "config"), filepath.Join(work, "tools", "strip.sh")},
		Created:   func(string) bool { return false }, Hides: func(string) string { return "" },
		Store: planted.Store{Dir: filepath.Join(base, "state", "quarantine")},
	}
	for _, dir := range []string{work, p.home, filepath.Join(base, "tmp")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	p.sh("git init -q -b main . && git config alias.st status && " + commit)
	return p
}

// commit makes a commit in the current directory.
const commit = "echo a >a && git add a && git -c user.name=x -c user.email=x@localhost commit -qm a"

func (p place) sh(line string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir, cmd.Env = p.Workdir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func (p place) rel(path string) string {
	rel, err := filepath.Rel(p.Workdir, path)
	if err != nil {
		p.t.Fatal(err)
	}
	return rel
}

// call lets the watch see a call, and returns the moved and the named paths.
func (p place) call(w *planted.Watch, line string) (moved, named []string) {
	p.t.Helper()
	w.Begin()
	p.sh(line)
	for _, f := range w.End() {
		switch {
		case f.Err != nil:
			p.t.Errorf("%s: %v", f.Path, f.Err)
		case f.ID != 0:
			moved = append(moved, p.rel(f.Path))
		default:
			named = append(named, p.rel(f.Path))
		}
		p.t.Log(f.Text("Bash"))
	}
	return moved, named
}

const evil = `"touch '$HOME/pwned'; false"`

// TestMoved lets confined code leave things that run without a question. git runs afterwards as the user would run it.
func TestMoved(t *testing.T) {
	t.Parallel()
	nested := "git init -q n && cd n && " + commit + " && cd .. && git add n 2>/dev/null && "
	for name, row := range map[string]struct {
		// given is what the user has. line is the attack.
		given, line string
		want        []string
		// next is what the user runs; git status if it is empty.
		next string
	}{
		"gitlink":                   {"", nested + "git -C n config core.fsmonitor " + evil, []string{"n/.git/config"}, ""},
		"gitlink of the user":       {nested + "true", "git -C n config core.fsmonitor " + evil, []string{"n/.git/config"}, ""},
		"gitlink by its file":       {"", nested + "mv n/.git .git/x && echo gitdir: ../.git/x >n/.git && git -C n config core.fsmonitor " + evil, []string{".git/x/config"}, ""},
		"gitlink by a link":         {"", nested + "mv n/.git evil && ln -s ../evil n/.git && git -C n config core.fsmonitor " + evil, []string{"evil/config"}, ""},
		"gitlink that leads out":    {"", nested + "mv n/.git ../tmp/evil && echo gitdir: ../../tmp/evil >n/.git && git -C n config core.fsmonitor " + evil, []string{"n/.git"}, ""},
		"gitlink with a filter":     {"", nested + "git -C n config filter.x.clean " + evil + " && mkdir -p n/.git/info && echo '* filter=x' >n/.git/info/attributes && echo b >n/a", []string{"n/.git/config"}, ""},
		"gitlink that includes":     {"", nested + "git config -f n/conf core.fsmonitor " + evil + " && git -C n config include.path ../conf", []string{"n/.git/config"}, ""},
		"gitlink with includeIf":    {"", nested + "git config -f n/conf core.fsmonitor " + evil + " && git -C n config includeIf.gitdir:/.path ../conf", []string{"n/.git/config"}, ""},
		"module":                    {"", nested + "mkdir .git/modules && mv n/.git .git/modules/x && echo gitdir: ../.git/modules/x >n/.git && git config -f .git/modules/x/config core.fsmonitor " + evil, []string{".git/modules/x/config"}, ""},
		"module alone":              {"", "mkdir -p .git/modules/a/objects && git init -q --bare .git/modules/a/objects/x && git config -f .git/modules/a/objects/x/config core.pager " + evil, []string{".git/modules/a/objects/x/config"}, ""},
		"module by a link":          {"", "git init -q --bare x && mkdir .git/modules && ln -s ../../x .git/modules/x && git config -f x/config core.sshCommand " + evil, []string{"x/config"}, ""},
		"commondir":                 {"", "mkdir e && cp -r .git/objects .git/refs .git/config e && git config -f e/config core.fsmonitor " + evil + " && echo ../e >.git/commondir", []string{".git/commondir"}, ""},
		"settings of a linked tree": {"git config extensions.worktreeConfig true", "git worktree add -q wt && git config -f .git/worktrees/wt/config.worktree core.fsmonitor " + evil, []string{".git/worktrees/wt/config.worktree"}, "git -C wt status"},
		"linked tree of nothing":    {"", "mkdir -p e/worktrees/x && cp -r .git/objects .git/refs e && cp .git/HEAD .git/index e/worktrees/x && echo ../.. >e/worktrees/x/commondir && mkdir n && echo gitdir: ../e/worktrees/x >n/.git && git config -f e/config core.fsmonitor " + evil, []string{"e/config"}, "git -C n status"},
		"bare":                      {"", "git init -q --bare b && git config -f b/config core.bare false && git config -f b/config core.worktree " + `"$PWD"` + " && git config -f b/config core.fsmonitor " + evil, []string{"b/config"}, "git -C b status"},
		"bare with commondir":       {"", "mkdir b e && cp -r .git/objects .git/refs e && cp .git/HEAD .git/index b && echo ../e >b/commondir && git config -f e/config alias.s " + `"!touch '$HOME/pwned'"`, []string{"b/commondir"}, "git -C b s"},
		"untracked, deep":           {"", "mkdir -p a1/b/c && git init -q a1/b/c/d && git -C a1/b/c/d config core.fsmonitor " + evil, []string{"a1/b/c/d/.git/config"}, "git -C a1/b/c/d status"},
		"template with a hook":      {"", "mkdir -p t/hooks && printf '#!/bin/sh\\ntouch $HOME/pwned\\n' >t/hooks/post-checkout && chmod +x t/hooks/post-checkout && git init -q --template=t n && cd n && " + commit, []string{"n/.git/hooks/post-checkout"}, "git -C n checkout -q -B x"},
		"hooks are a link":          {"", "mkdir h && printf '#!/bin/sh\\ntouch $HOME/pwned\\n' >h/post-checkout && chmod +x h/post-checkout && git init -q n && rm -rf n/.git/hooks && ln -s ../../h n/.git/hooks && cd n && " + commit, []string{"n/.git/hooks"}, "git -C n checkout -q -B x"},
		"hook of a module":          {"", "git clone -q . ../tmp/lib && git submodule add -q ../tmp/lib part && printf '#!/bin/sh\\ntouch $HOME/pwned\\n' >.git/modules/part/hooks/post-checkout && chmod +x .git/modules/part/hooks/post-checkout", []string{".git/modules/part/hooks/post-checkout"}, "git -C part checkout -q -B x"},
		"alias":                     {"", "git init -q n && git -C n config alias.s " + `"!touch '$HOME/pwned'"`, []string{"n/.git/config"}, "git -C n s || true"},
		"worktree elsewhere":        {"", "git clone -q . n && git -C n config core.worktree \"$HOME\"", []string{"n/.git/config"}, "git -C n reset -q --hard && if test -e $HOME/a; then touch $HOME/pwned; fi"},
		"remote helper":             {"", "git init -q n && git -C n config remote.o.url 'ext::touch x'", []string{"n/.git/config"}, ""},
		"agents":                    {"", "mkdir -p .aura .claude .agents/skills && echo x >secrets.env", []string{".agents", ".aura", ".claude", "secrets.env"}, ""},
		"script of settings":        {"git config filter.x.clean ./tools/strip.sh", "mkdir tools && echo 'touch $HOME/pwned' >tools/strip.sh", []string{"tools/strip.sh"}, ""},
		"syntax":                    {"", "git init -q n && printf '[core]\\nbare = false\\n!\\n' >n/.git/config", []string{"n/.git/config"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			next := row.next
			if next == "" {
				next = "git status -s"
			}
			if row.given != "" {
				p.sh(row.given)
			}
			w := planted.In(p.Place)
			if moved, _ := p.call(w, row.line); !slices.Equal(moved, row.want) {
				t.Errorf("moved %q, want %q", moved, row.want)
			}
			p.sh(next + " || true")
			if _, err := os.Stat(filepath.Join(p.home, "pwned")); err == nil {
				t.Error("Git ran what was planted")
			}
			// Control: with everything restored, most of them run.
			all, err := p.Store.List()
			if err != nil || len(all) != len(row.want) {
				t.Fatalf("%v, %v", all, err)
			}
			for _, e := range all {
				if e.Path != "" && strings.HasSuffix(e.Path, "config") {
					_ = os.Remove(e.Path) // a file that was put back
				}
				if _, err := p.Store.Restore(e.ID); err != nil {
					t.Error(err)
				}
			}
			p.sh(next + " || true")
			_, err = os.Stat(filepath.Join(p.home, "pwned"))
			if harmless := slices.Contains([]string{"module alone", "module by a link", "remote helper", "agents", "syntax", "script of settings"}, name); (err != nil) != harmless {
				t.Errorf("the control does no harm: %t", err != nil)
			}
			if moved, _ := p.call(w, "true"); moved != nil {
				t.Errorf("what the user restored is moved again: %q", moved)
			}
		})
	}
}

// TestAllowed makes usual changes. Nothing is moved.
func TestAllowed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		given, line string
		named       []string
	}{
		"commit":              {"", "echo b >b && git add b && git commit -qm b && git checkout -qb x && git tag v1 && git gc -q && git pack-refs --all", nil},
		"rebase":              {"echo b >b && git add b && git commit -qm b && git checkout -qb x HEAD~1 && echo c >c && git add c && git commit -qm c", "git rebase -q main", nil},
		"submodule":           {"git clone -q . ../tmp/lib", "git submodule add -q ../tmp/lib part && git submodule update -q --init", nil},
		"deep submodule":      {"git clone -q . ../tmp/lib", "git submodule add -q --name a/b ../tmp/lib x/y && git commit -qm x", nil},
		"worktree":            {"", "git worktree add -q wt && git worktree remove wt && git worktree add -q -b y wt2", nil},
		"clone":               {"", "git clone -q . n && git clone -q --bare . b.git && git clone -q -o up --depth 1 file://$PWD m && git -C n config user.name me", nil},
		"init":                {"rm -rf .git", "git init -q . && " + commit, []string{".git"}},
		"renamed":             {"git init -q n && git -C n config alias.x '!true' && printf '#!/bin/sh' >n/.git/hooks/pre-push && chmod +x n/.git/hooks/pre-push", "mv n m && cd m && " + commit, nil},
		"user's own":          {"git init -q n && git -C n config alias.x '!true'", "git -C n config user.name me && touch n/.git/config", nil},
		"alternates":          {"", "git clone -q --shared . n && git clone -q --reference n . m", nil},
		"attributes":          {"", "mkdir -p .git/info && echo '* filter=x' >.git/info/attributes && echo '* diff=y' >.gitattributes", nil},
		"files":               {"", "mkdir -p .vscode sub/.claude && echo x >.envrc && echo x >.mcp.json && echo {} >.vscode/tasks.json && echo {} >tasks.json", []string{".envrc", ".mcp.json", ".vscode/tasks.json", "sub/.claude"}},
		"existing":            {"mkdir .claude .agents", "echo x >.claude/settings.json; echo x >.agents/x", nil},
		"non-executable hook": {"", "git init -q n && echo x >n/.git/hooks/pre-push", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if row.given != "" {
				p.sh(row.given)
			}
			if git := filepath.Join(p.Workdir, ".git"); name == "init" {
				p.Protected = append(p.Protected, git)
			}
			w := planted.In(p.Place)
			moved, named := p.call(w, row.line)
			if moved != nil || !slices.Equal(named, row.named) {
				t.Errorf("moved %q, named %q, want %q", moved, named, row.named)
			}
			if _, named = p.call(w, "echo y >.envrc"); name == "files" && named != nil {
				t.Errorf("%q is named again", named)
			}
		})
	}
}

// TestExposed changes what a mount namespace would have protected. The former content is put back.
func TestExposed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := planted.In(p.Place)
	if moved, _ := p.call(w, "git config core.fsmonitor x"); moved != nil {
		t.Errorf("%q was moved, but only the user can have changed it", moved)
	}
	p.sh("git config --unset core.fsmonitor")
	w.Expose()
	if moved, _ := p.call(w, "git config user.name me"); moved != nil {
		t.Errorf("%q was moved", moved)
	}
	if moved, _ := p.call(w, "git config core.fsmonitor x"); !slices.Equal(moved, []string{".git/config"}) {
		t.Errorf("%q was moved", moved)
	}
	p.sh("test $(git config alias.st) = status && test $(git config user.name) = me && ! git config core.fsmonitor")
	if _, err := p.Store.Restore(1); err == nil || !strings.Contains(err.Error(), "move or remove that first") {
		t.Errorf("restoring over a file: %v", err)
	}
}

// TestOutside lets things appear while no call runs. They are only named.
func TestOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := planted.In(p.Place)
	p.call(w, "true")
	p.sh("git init -q n && git -C n config core.fsmonitor x")
	found := w.Begin()
	if w.End(); len(found) != 1 || found[0].ID != 0 || p.rel(found[0].Path) != "n/.git/config" {
		t.Errorf("found %v", found)
	}
	// Calls that overlap share what they change.
	w.Begin()
	p.sh("git -C n config alias.x y")
	w.Begin()
	if found := w.End(); len(found) != 1 || found[0].ID == 0 {
		t.Errorf("found %v", found)
	}
	w.End()
}
