//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// impostor replaces aura's programs. It writes a file in the home directory, which only an unconfined process can do, and then
// runs the real program.
const impostor = `#!/bin/sh\necho $0 >>"$IMPOSTOR_HOME/pwned"\nexec "$0.real" "$@"\n`

// TestSandboxPrograms replaces aura and the programs beside it where they lie in the working directory or among the temporary files,
// in the middle of a session that goes on to use them. The replacements never run, and with mounts the programs cannot be
// replaced. The tool host does not exist in the working directory; there, nothing may take its place.
func TestSandboxPrograms(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for _, place := range []string{"bin", "../temp/bin"} {
			for _, kind := range []string{freeRun, confinedRun, bareRun} {
				t.Run(fmt.Sprintf("%s/%d/%s", filepath.Base(filepath.Dir(place)), uid, kind), func(t *testing.T) {
					t.Parallel()
					replacePrograms(t, place, uid, kind)
				})
			}
		}
	}
}

func replacePrograms(t *testing.T, place string, uid int, kind string) {
	t.Helper()
	p := newCaged(t)
	dir := p.Path(place)
	p.Check(os.MkdirAll(dir, 0o755))
	programs := []string{"aura", "aura-plugin-host", "aura-tool-host"}
	if place == "bin" {
		programs = programs[:2]
	}
	for _, name := range programs {
		b, err := os.ReadFile(filepath.Join(p.Bin, name))
		p.Check(err)
		p.Check(harness.WriteProgram(filepath.Join(dir, name), b))
	}
	replace := fmt.Sprintf(`cd %s; for f in aura aura-plugin-host aura-tool-host; do mv $f $f.real; printf '%s' >$f; chmod +x $f; done; ls`, dir, impostor)
	call := func(command string) string {
		return fmt.Sprintf("  - tool_calls: [{name: Bash, arguments: {command: %q}}]\n", command)
	}
	p.Write(".aura/config/talk.yaml", "turns:\n"+call(replace)+call("echo again")+call("echo more")+"  - text: All done.\n")
	p.Write(".aura/config/hooks/hook.yaml", "after: {event: post, command: 'echo hooked >&2'}\n")
	p.Write(".aura/config/sandbox/sandbox.yaml", fmt.Sprintf("sandbox: {enabled: %t}\n", kind != freeRun))
	home := p.Path("../home")
	// The project's copy of aura runs instead of the usual one.
	p.Wrapper = []string{
		"env", "HOME=" + home, "IMPOSTOR_HOME=" + home, "XDG_CACHE_HOME=", "TMPDIR=" + p.Path("../temp"),
		"sh", "-c", `shift; exec "$0" "$@"`, filepath.Join(dir, "aura"),
	}
	hand(p, uid)
	if kind == bareRun {
		withoutNamespaces(p)
	}
	// The plugins are restarted after the replacement.
	p.Run("run", "go", "/reload", "go on")
	p.Wants(p.Stdout(), `All done\.`)
	p.Wants(p.Stderr(), `\| again`, `\| more`, "witness saw call 3")
	if _, err := os.Stat(filepath.Join(home, "pwned")); err == nil {
		t.Errorf("the replacement ran:\n%s", p.Stderr())
	}
	_, err := os.Stat(filepath.Join(dir, "aura.real"))
	if replaced := err == nil; replaced != (kind != confinedRun) {
		t.Errorf("the programs were replaced: %t\n%s", replaced, p.Stderr())
	}
	if kind == confinedRun {
		if b, err := os.ReadFile(filepath.Join(dir, "aura-tool-host")); err == nil && strings.Contains(string(b), "pwned") {
			t.Errorf("a program took the place of the tool host:\n%s", p.Stderr())
		}
		return
	}
	// The replacement works: a user who starts aura now runs it.
	p.Run("--version")
	if b, err := os.ReadFile(filepath.Join(home, "pwned")); err != nil || !strings.Contains(string(b), "aura") {
		t.Errorf("the replacement does nothing, so this proves nothing: %v", err)
	}
}
