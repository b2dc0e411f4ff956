//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// nobody is the ID of a user that owns nothing.
const nobody = 65534

// setting is an environment in which aura has fewer permissions than the tests themselves.
type setting struct {
	name    string
	prepare func(p *project)
}

var settings = []setting{
	{"ordinary_user", func(p *project) {
		if os.Getuid() == 0 {
			p.give(nobody)
		}
	}},
	{"no_namespaces", func(p *project) { p.forbidNamespaces() }},
	{"ordinary_user_no_namespaces", func(p *project) {
		if os.Getuid() == 0 {
			p.give(nobody)
		}
		p.forbidNamespaces()
	}},
}

// forbidNamespaces runs aura where no process namespace can be created: in a user namespace with a limit of zero.
func (p *project) forbidNamespaces() {
	p.t.Helper()
	p.wrapper = []string{"unshare", "--user", "--map-root-user", "sh", "-c", `echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"`, "sh"}
	cmd := p.command("--version")
	cmd.Args = slices.Concat(p.wrapper, []string{"sh", "-c", "unshare --pid --fork true || echo forbidden"})
	out, err := cmd.Output()
	if err != nil || string(out) != "forbidden\n" {
		testneed.Missing(p.t, testneed.LimitedNamespaces, fmt.Sprintf("%v, %q", err, out))
	}
}

// isolated reports whether a plugin's process has its own process namespace.
func (p *project) isolated(plugin string) bool {
	p.t.Helper()
	theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", p.pid(plugin)))
	p.check(err)
	ours, err := os.Readlink("/proc/self/ns/pid")
	p.check(err)
	return theirs != ours
}

// goodEnds lists faults that a session survives.
var goodEnds = []struct {
	moment
	// files are written before the run.
	files []string
	told  string
}{
	{moment{
		name: "goroutine_panic",
		source: source(`func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if c.Stats.ToolCalls == 1 {
		go func() { panic("boom") }()
		select {}
	}
	return sdk.Result{Notice: "bad goes on"}, nil
}`),
	}, nil, `plugin "bad" is restarted now: AfterToolExecution: (?s).*panic: boom`},
	{moment{
		name:     "busy_loop",
		manifest: "timeout: 1s",
		source: source(`func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	for c.Stats.ToolCalls == 1 {
	}
	return sdk.Result{Notice: "bad goes on"}, nil
}`),
	}, nil, `plugin "bad" is restarted now: AfterToolExecution: no answer within 1s`},
	{hard[1], []string{"goon"}, "bad goes on"},
	{hard[2], []string{"goon"}, "bad goes on"},
	{renamed(hard[1], "setsid_crash"), []string{"goon", "crash"}, `plugin "bad" is restarted now: AfterToolExecution: (?s).*panic: boom`},
	{renamed(hard[2], "daemon_crash"), []string{"goon", "crash"}, `plugin "bad" is restarted now: AfterToolExecution: (?s).*panic: boom`},
}

func renamed(m moment, name string) moment {
	m.name = name
	return m
}

// TestFaultsAsOtherUsers lets plugins crash, hang and detach as an ordinary user and without namespaces: the session outlives it.
func TestFaultsAsOtherUsers(t *testing.T) {
	t.Parallel()
	for _, s := range settings {
		for _, end := range goodEnds {
			t.Run(s.name+"/"+end.name, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				end.lay(p)
				for _, file := range end.files {
					p.write(file, "")
				}
				s.prepare(p)
				p.run(end.args()...)
				p.wants(p.stdout(), `All done\.`)
				p.wants(p.stderr(), "witness saw call 4", "bad goes on", end.told)
				p.noTrace()
			})
		}
	}
}

// TestKilledAuraOfOtherUsers kills aura as an ordinary user and without namespaces: nothing is left.
func TestKilledAuraOfOtherUsers(t *testing.T) {
	t.Parallel()
	model := slices.IndexFunc(moments, func(m moment) bool { return m.name == "model" })
	hook := slices.IndexFunc(moments, func(m moment) bool { return m.name == "hook" })
	all := append([]moment{moments[model], moments[hook]}, hard...)
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			eachMoment(t, all, func(p *project, m moment) {
				p.bin = quickBin // TestKilledAura uses the race detector
				s.prepare(p)
				a := p.start(m.args()...)
				m.come(p)
				if got, want := p.isolated("witness"), p.wrapper == nil; got != want {
					p.t.Errorf("the plugin has a process namespace of its own: %v, want %v", got, want)
				}
				a.signal(syscall.SIGKILL)
				a.wait()
				p.noProcess()
				p.check(os.RemoveAll(p.path(".aura/plugins/bad")))
				p.run("plugins", "list")
				p.noTrace()
			})
		})
	}
}

// TestFullDisk fills up the file system on which the session or the logs of plugins are kept.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for dir, told := range map[string]string{
		"sessions": `no longer saved: .*no space left on device`,
		"logs":     `witness.*output was not kept: .*no space left on device`,
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write(".aura/config/talk.yaml", talkWith(`thinking: "`+strings.Repeat("Hm. ", 2000)+`"
    tool_calls: [{name: Ls, arguments: {path: .aura}}]`))
			place := filepath.Join(p.state, dir)
			p.check(os.MkdirAll(place, 0o755))
			mount := `mount -t tmpfs -o size=4k none ` + place + ` && exec "$@"`
			if dir == "logs" {
				// The disk is full from the beginning.
				mount = `mount -t tmpfs -o size=4k none ` + place + ` && { head -c 8192 /dev/zero >` + place + `/full; exec "$@"; }`
			}
			unshare := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c"}
			try := exec.Command(unshare[0], append(unshare[1:], mount, "sh", "true")...)
			try.Dir = p.dir
			if out, err := try.CombinedOutput(); err != nil {
				testneed.Missing(t, testneed.Mounts, fmt.Sprintf("%v\n%s", err, out))
			}
			p.wrapper = append(unshare, mount, "sh")
			p.run("run", "go")
			p.wants(p.stdout(), `All done\.`)
			p.wants(p.stderr(), "witness saw call 3", told)
			p.noTrace()
		})
	}
}
