//go:build unix

package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testcache"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// bin is the directory in which TestMain put the binaries.
var bin string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aura-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	if err := testcache.DependOnSources(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The flags are the same as in the Makefile, so that both share the build cache.
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-w -X github.com/idelchi/aura/internal/system/machinepolicy.testPlace=beside", "-buildvcs=false", "-o", dir, "./cmd/...")
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestPages follows each page from top to bottom.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		t.Run(strings.ReplaceAll(page, "/", "-"), func(t *testing.T) {
			t.Parallel()
			list := read(t, page)
			p := newProject(t, page)
			for _, b := range list {
				if b.has("reset") {
					p = newProject(t, page)
				}
				p.follow(b)
			}
		})
	}
}

// python reports whether there is a Python that runs extensions.
func (p *project) python() bool {
	p.t.Helper()
	err := exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run()
	has, failed := testneed.Has("python", err == nil)
	if failed != nil {
		p.t.Fatal(failed)
	}
	return has
}

// keygen reports whether there is an ssh-keygen.
func (p *project) keygen() bool {
	p.t.Helper()
	_, err := exec.LookPath("ssh-keygen")
	has, failed := testneed.Has("ssh-keygen", err == nil)
	if failed != nil {
		p.t.Fatal(failed)
	}
	return has
}

// follow does what a block shows. If a block fails, the page ends there, because later blocks may depend on it.
func (p *project) follow(b block) {
	p.t.Helper()
	switch {
	case b.has("illustration"):
	case b.has("sandbox") && !sandbox.Support().Enabled:
	case b.has("keygen") && !p.keygen():
	case b.has("python") && !p.python():
	case b.has("release") && !p.released(b.words["release"]):
	case b.has("file"):
		p.write(b)
		if b.has("policy") {
			p.restrict(b.text)
		}
	case b.lang == "console":
		list, err := b.commands()
		if err != nil {
			p.t.Fatal(err)
		}
		for _, c := range list {
			p.command(b.page, c)
		}
	}
}

func (p *project) write(b block) {
	p.t.Helper()
	path := filepath.Join(p.cwd(), filepath.FromSlash(b.words["file"]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
		p.t.Fatalf("%s: %v", b.where(), err)
	}
}

func (p *project) command(page string, c command) {
	p.t.Helper()
	output, err := p.shell(p.fromHere(c.text))
	shown := strings.NewReplacer(p.home, "/home/you", filepath.Join(p.programs(), machinepolicy.TestDir), "/etc/aura").Replace(output)
	if err != nil {
		p.t.Fatalf("%s:%d: %s: %v\n%s", page, c.line, c.text, err, shown)
	}
	if !matches(c.want, shown) {
		p.t.Fatalf("%s:%d: %s\n--- the page shows\n%s\n--- it printed\n%s", page, c.line, c.text, strings.Join(c.want, "\n"), shown)
	}
}

// copyTree copies the repository as a clone would have it. It skips files that other processes remove during the copy.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case rel == ".git", rel == "bin", name == "sessions" && rel != "internal/agent/session", name == "logs":
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}
