//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// cachePlants lists files below the home directory that the user's own programs run or trust later. The caches exist; the last one is behind a link.
var cachePlants = []string{
	".cache/instant-prompt.zsh", ".cache/pre-commit/hook", ".cache/uv/tool", ".cache/pip/wheel", "go/pkg/mod/cache/vcs/repo/config",
	"go/pkg/mod/golang.org/toolchain@v0.0.1/bin/go", ".cargo/registry/src/build.rs", ".m2/repository/x.jar", ".npm/_npx/x/index.js",
	".gradle/caches/x.jar",
}

// TestSandboxCaches cachePlants files in build caches and in the directories for temporary files, as root and as an ordinary user: they do not
// reach the user's own, and stay for the project's next command. With shared caches, or without a sandbox, they reach them.
func TestSandboxCaches(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for kind, settings := range map[string]string{
			"private": "{}", "shared": "{caches: shared}", "off": "{enabled: false}",
		} {
			t.Run(fmt.Sprintf("%d/%s", uid, kind), func(t *testing.T) {
				t.Parallel()
				p := newCaged(t)
				home := p.Path("../home")
				for _, name := range cachePlants {
					p.Check(os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o755))
				}
				p.Check(errors.Join(os.RemoveAll(filepath.Join(home, ".gradle/caches")), os.MkdirAll(p.Path("../elsewhere"), 0o755),
					os.Symlink(p.Path("../elsewhere"), filepath.Join(home, ".gradle/caches"))))
				p.Write("../home/.cache/own", "mine")
				p.Write("../home/tmp/theirs", "theirs")
				p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: "+settings+"\n")
				shared, err := os.CreateTemp("/tmp", "aura-plant-")
				p.Check(errors.Join(err, shared.Chmod(0o666), shared.Close()))
				t.Cleanup(func() { _ = os.Remove(shared.Name()) })
				hand(p, uid)
				var line strings.Builder
				for _, name := range cachePlants {
					fmt.Fprintf(&line, "mkdir -p ~/%s && echo planted >~/%s; ", filepath.Dir(name), name)
				}
				line.WriteString("echo changed >~/.cache/own; echo planted >$TMPDIR/planted; echo planted >" + shared.Name())
				p.Run("tools", "run", "Bash", "command="+line.String())
				compareCaches(p, home, shared.Name(), kind)
			})
		}
	}
}

// compareCaches checks what the user's own programs find.
func compareCaches(p *harness.Project, home, shared, kind string) {
	p.T.Helper()
	for _, name := range cachePlants {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != (kind != "private") {
			p.T.Errorf("%s: %v\n%s%s", name, err, p.Stdout(), p.Stderr())
		}
	}
	own, err := os.ReadFile(filepath.Join(home, ".cache/own"))
	p.Check(err)
	if (string(own) == "mine") != (kind == "private") {
		p.T.Errorf("the user's file is %q", own)
	}
	temp, err := os.ReadFile(shared)
	p.Check(err)
	_, inTemp := os.Stat(filepath.Join(home, "tmp/planted"))
	if free := kind == "off"; (len(temp) > 0) != free || (inTemp == nil) != free {
		p.T.Errorf("the file in /tmp is %q, in TMPDIR: %v", temp, inTemp)
	}
	p.Run("tools", "run", "Bash", "command=cat ~/.cache/own ~/.npm/_npx/x/index.js ~/.gradle/caches/x.jar; ls $TMPDIR")
	p.Wants(p.Stdout(), "^changed\nplanted\nplanted\n")
	if kind == "off" {
		return
	}
	if strings.Contains(string(p.Stdout()), "theirs") {
		p.T.Errorf("temporary files of other programs are visible:\n%s", p.Stdout())
	}
}
