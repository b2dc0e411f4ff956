//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	for _, uid := range cageUsers() {
		for kind, settings := range map[string]string{
			"private": "{}", "shared": "{caches: shared}", "off": "{enabled: false}",
		} {
			t.Run(fmt.Sprintf("%d/%s", uid, kind), func(t *testing.T) {
				t.Parallel()
				p := newCaged(t)
				home := p.path("../home")
				for _, name := range cachePlants {
					p.check(os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o755))
				}
				p.check(errors.Join(os.RemoveAll(filepath.Join(home, ".gradle/caches")), os.MkdirAll(p.path("../elsewhere"), 0o755),
					os.Symlink(p.path("../elsewhere"), filepath.Join(home, ".gradle/caches"))))
				p.write("../home/.cache/own", "mine")
				p.write("../home/tmp/theirs", "theirs")
				p.write(".aura/config/sandbox/sandbox.yaml", "sandbox: "+settings+"\n")
				shared, err := os.CreateTemp("/tmp", "aura-plant-")
				p.check(errors.Join(err, shared.Chmod(0o666), shared.Close()))
				t.Cleanup(func() { _ = os.Remove(shared.Name()) })
				p.hand(uid)
				var line strings.Builder
				for _, name := range cachePlants {
					fmt.Fprintf(&line, "mkdir -p ~/%s && echo planted >~/%s; ", filepath.Dir(name), name)
				}
				line.WriteString("echo changed >~/.cache/own; echo planted >$TMPDIR/planted; echo planted >" + shared.Name())
				p.run("tools", "run", "Bash", "command="+line.String())
				p.compareCaches(home, shared.Name(), kind)
			})
		}
	}
}

// compareCaches checks what the user's own programs find.
func (p *project) compareCaches(home, shared, kind string) {
	p.t.Helper()
	for _, name := range cachePlants {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != (kind != "private") {
			p.t.Errorf("%s: %v\n%s%s", name, err, p.stdout(), p.stderr())
		}
	}
	own, err := os.ReadFile(filepath.Join(home, ".cache/own"))
	p.check(err)
	if (string(own) == "mine") != (kind == "private") {
		p.t.Errorf("the user's file is %q", own)
	}
	temp, err := os.ReadFile(shared)
	p.check(err)
	_, inTemp := os.Stat(filepath.Join(home, "tmp/planted"))
	if free := kind == "off"; (len(temp) > 0) != free || (inTemp == nil) != free {
		p.t.Errorf("the file in /tmp is %q, in TMPDIR: %v", temp, inTemp)
	}
	p.run("tools", "run", "Bash", "command=cat ~/.cache/own ~/.npm/_npx/x/index.js ~/.gradle/caches/x.jar; ls $TMPDIR")
	p.wants(p.stdout(), "^changed\nplanted\nplanted\n")
	if kind == "off" {
		return
	}
	if strings.Contains(string(p.stdout()), "theirs") {
		p.t.Errorf("temporary files of other programs are visible:\n%s", p.stdout())
	}
}
