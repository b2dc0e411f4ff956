package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestGuestConfined checks that the guest, and what it starts, has the confinement of its host.
func TestGuestConfined(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	testneed.Program(t, "python")
	program, err := interpreter()
	if err != nil {
		t.Fatal(err)
	}
	prefix, err := exec.Command(program, "-c", "import sys; print(sys.base_prefix)").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := aar.PythonPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := lay(t, os.Geteuid())
	dir := unpack(t, s.fill(`
-- ext.py --
import pathlib, subprocess

def register(api):
    @api.tool("home", "", {"type": "object"})
    def home():
        return pathlib.Path("BASE/home/.ssh/id_rsa").read_text()

    @api.tool("work", "", {"type": "object"})
    def work():
        pathlib.Path("BASE/work/new").write_text("x")

    @api.tool("start", "", {"type": "object"})
    def start(command):
        return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True).stdout
`))
	policy := s.policy()
	policy.Exec = true
	policy.Own = append(policy.Own, dir, root, strings.TrimSpace(string(prefix)))
	attr := &syscall.SysProcAttr{}
	process.OwnMounts.Apply(attr)
	p := startAs(t, shared.LaunchSpec{
		Name: "mine", Dir: dir, Sandbox: &policy, Isolated: true, PrivateMounts: true,
		Guest: &shared.Guest{Program: program, Args: aar.Args(root, filepath.Join(dir, "ext.py"))},
	}, attr, "PATH="+os.Getenv("PATH"))
	p, exports := loaded(t, p, newServices())
	if exports.Sandbox == nil || !exports.Sandbox.Confined {
		t.Errorf("the report is %+v", exports.Sandbox)
	}
	want(t, p.tool(t, "work", nil), "")
	want(t, p.tool(t, "start", map[string]any{"command": "echo started"}), "started\n")
	if got := p.tool(t, "home", nil); !strings.HasPrefix(got, "error: ") || strings.Contains(got, secret) {
		t.Errorf("the guest read a secret: %s", got)
	}
	want(t, p.tool(t, "start", map[string]any{"command": s.fill("cat BASE/home/.ssh/id_rsa; echo x > BASE/home/new; ls BASE/home/new")}), "")
	_ = p.lifeline.Close()
	p.dies(t)
}

// TestGuestServer checks that a program that an extension starts to stay ends with the extension.
func TestGuestServer(t *testing.T) {
	t.Parallel()
	p, _ := stored(t, "habit_server.py")
	p.hook(t, "SessionStart", sdk.SessionStartContext{})
	p.stderr.await(t, "[info] server ")
	found := regexp.MustCompile(`server (\d+)`).FindStringSubmatch(p.stderr.String())
	server := openDescendant(t, found[1])
	_ = p.lifeline.Close()
	p.dies(t)
	server.ends(t)
}
