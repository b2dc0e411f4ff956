//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// setting is an environment in which aura has fewer permissions than the tests themselves.
type setting struct {
	name    string
	prepare func(p *harness.Project)
}

var settings = []setting{
	{"ordinary_user", func(p *harness.Project) {
		if os.Getuid() == 0 {
			p.Give(harness.Nobody)
		}
	}},
	{"no_namespaces", func(p *harness.Project) { p.ForbidNamespaces() }},
	{"ordinary_user_no_namespaces", func(p *harness.Project) {
		if os.Getuid() == 0 {
			p.Give(harness.Nobody)
		}
		p.ForbidNamespaces()
	}},
}

// isolated reports whether a plugin's process has its own process namespace.
func isolated(p *harness.Project, plugin string) bool {
	p.T.Helper()
	theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", p.PID(plugin)))
	p.Check(err)
	ours, err := os.Readlink("/proc/self/ns/pid")
	p.Check(err)
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
		source: harness.Source(`func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
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
		source: harness.Source(`func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
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
				p := harness.NewProject(t)
				end.lay(p)
				for _, file := range end.files {
					p.Write(file, "")
				}
				s.prepare(p)
				p.Run(end.args()...)
				p.Wants(p.Stdout(), `All done\.`)
				p.Wants(p.Stderr(), "witness saw call 4", "bad goes on", end.told)
				p.NoTrace()
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
			eachMoment(t, all, func(p *harness.Project, m moment) {
				p.Bin = harness.QuickBin // TestKilledAura uses the race detector
				s.prepare(p)
				a := p.Start(m.args()...)
				m.come(p)
				if got, want := isolated(p, "witness"), p.Wrapper == nil; got != want {
					p.T.Errorf("the plugin has a process namespace of its own: %v, want %v", got, want)
				}
				a.Signal(syscall.SIGKILL)
				a.Wait()
				p.NoProcess()
				p.Check(os.RemoveAll(p.Path(".aura/plugins/bad")))
				p.Run("plugins", "list")
				p.NoTrace()
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
			p := harness.NewProject(t)
			p.Write(".aura/config/talk.yaml", harness.TalkWith(`thinking: "`+strings.Repeat("Hm. ", 2000)+`"
    tool_calls: [{name: Ls, arguments: {path: .aura}}]`))
			place := filepath.Join(p.State, dir)
			p.Check(os.MkdirAll(place, 0o755))
			mount := `mount -t tmpfs -o size=4k none ` + place + ` && exec "$@"`
			if dir == "logs" {
				// The disk is full from the beginning.
				mount = `mount -t tmpfs -o size=4k none ` + place + ` && { head -c 8192 /dev/zero >` + place + `/full; exec "$@"; }`
			}
			unshare := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c"}
			try := exec.Command(unshare[0], append(unshare[1:], mount, "sh", "true")...)
			try.Dir = p.Dir
			if out, err := try.CombinedOutput(); err != nil {
				testneed.Missing(t, testneed.Mounts, fmt.Sprintf("%v\n%s", err, out))
			}
			p.Wrapper = append(unshare, mount, "sh")
			p.Run("run", "go")
			p.Wants(p.Stdout(), `All done\.`)
			p.Wants(p.Stderr(), "witness saw call 3", told)
			p.NoTrace()
		})
	}
}
