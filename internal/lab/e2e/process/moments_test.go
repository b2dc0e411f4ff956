//go:build linux

package process

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// moment is a situation in a session in which something happens to aura.
type moment struct {
	name string
	// manifest and source belong to a plugin "bad"; without a source there is no such plugin.
	manifest string
	source   string
	// talk replaces the conversation of the base project.
	talk string
	// flags and prompts are aura's arguments.
	flags   []string
	prompts []string
	// The moment has come when the file matches the pattern.
	file    string
	pattern string
	// stop reports whether the plugin's process is stopped at that moment.
	stop bool
	// holds reports whether the plugin has started a process by then that holds the file "hold" open.
	holds bool
	// messages is the number of messages that are saved by then.
	messages int
}

// moments covers everything that aura can wait for.
var moments = []moment{
	{
		name:   "plugin_start",
		source: harness.Source(`func init() { fmt.Println("here I am"); select {} }`, harness.IdleHook),
	},
	{
		name:     "hook",
		source:   harness.Source(`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { fmt.Println("here I am"); for {} }`),
		messages: 2,
	},
	{
		name:     "hook_that_is_heedless",
		source:   harness.Source(`func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`),
		messages: 1,
	},
	{
		name:     "tool",
		source:   harness.Source(harness.Tool, `func Execute(context.Context, sdk.Context, map[string]any) (string, error) { fmt.Println("here I am"); select {} }`),
		talk:     harness.TalkWith(`tool_calls: [{name: Spin, arguments: {}}]`),
		messages: 2,
	},
	{
		name:     "bash",
		talk:     harness.TalkWith(`tool_calls: [{name: Bash, arguments: {command: "echo here I am >marker; tail -f /dev/null"}}]`),
		file:     "marker",
		messages: 2,
	},
	{
		name:     "model",
		talk:     harness.TalkWith(`delay: 60s`),
		file:     "stderr.txt",
		pattern:  "witness saw call 2",
		messages: 3,
	},
	{
		name: "command",
		source: harness.Source(`func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "spin", Description: "Spins"} }`,
			`func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) { fmt.Println("here I am"); select {} }`),
		prompts:  []string{"go", "/spin"},
		messages: 8,
	},
}

// hard holds situations that could leave a process behind if aura does not exit cleanly.
var hard = []moment{
	{
		name:   "stopped_plugin",
		source: harness.Source(`func AfterToolExecution(context.Context, sdk.AfterToolContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`),
		stop:   true,
	},
	// Without inotify, tail prints a warning in pieces, which can end up before the message of a crash on the same line.
	offspring("setsid", `exec setsid sh -c 'trap "" TERM HUP INT; >born; exec tail -f "$PWD"/hold 2>/dev/null'`),
	offspring("daemon", `(setsid sh -c 'trap "" TERM HUP INT; dir="$PWD"; cd /; (exec tail -f "$dir"/hold 2>/dev/null) & >"$dir"/born' &) &`),
	{
		name: "waiting_for_restart",
		source: harness.Source(`func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if c.Stats.ToolCalls < 3 {
		go func() { panic("boom") }()
	}
	select {}
}`),
		file:     "stderr.txt",
		pattern:  "restarted in 1s",
		messages: 4,
	},
}

// offspring returns a moment with a plugin that starts a process. The plugin continues if there is a file "goon", and crashes
// in its first call if there is a file "crash".
func offspring(name, shell string) moment {
	const text = `package bad

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/idelchi/aura/sdk"
)

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	cmd := exec.Command("/bin/sh", "-c", %s)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return sdk.Result{}, err
	}
	for {
		if _, err := os.Stat("born"); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("here I am")
	if _, err := os.Stat("crash"); err == nil && c.Stats.ToolCalls == 1 {
		go func() { panic("boom") }()
	} else if _, err := os.Stat("goon"); err == nil {
		return sdk.Result{Notice: "bad goes on"}, nil
	}
	select {}
}
`
	return moment{name: name, source: fmt.Sprintf(text, "`"+shell+"`"), flags: []string{"--unsafe-plugins"}, holds: true}
}

// lay writes the files of the moment.
func (m moment) lay(p *harness.Project) {
	p.T.Helper()
	p.Write("hold", "")
	if m.talk != "" {
		p.Write(".aura/config/talk.yaml", m.talk)
	}
	if m.source != "" {
		p.Plugin("bad", m.manifest+"\n", m.source)
	}
}

func (m moment) args(more ...string) []string {
	prompts := m.prompts
	if len(prompts) == 0 {
		prompts = []string{"go"}
	}
	return append(append(append([]string{"run"}, more...), m.flags...), prompts...)
}

// come returns when the moment has come.
func (m moment) come(p *harness.Project) {
	p.T.Helper()
	m.comesBefore(p, nil)
}

// comesBefore waits until the moment has come or a process has exited. It reports whether the moment has come.
func (m moment) comesBefore(p *harness.Project, ended <-chan struct{}) bool {
	p.T.Helper()
	file, pattern := m.file, m.pattern
	if file == "" {
		file = p.Log("bad")
	}
	if pattern == "" {
		pattern = "here I am"
	}
	re, over := regexp.MustCompile(pattern), false
	p.Until(pattern+" in "+file, func() bool {
		select {
		case <-ended:
			over = true
		default:
		}
		return over || re.Match(p.Read(file))
	})
	if over {
		return false
	}
	if m.stop {
		stop(p, "bad")
	}
	if m.holds {
		p.Until("a process of the plugin's", func() bool { return harness.Held(p.Path("hold")) })
	}
	return true
}

// eachMoment runs a test for every moment, each with its own project. aura has the race detector, because everything in aura
// ends at the same time here.
func eachMoment(t *testing.T, all []moment, test func(p *harness.Project, m moment)) {
	t.Helper()
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			test(newMoment(t, m), m)
		})
	}
}

// newMoment returns a project in which the moment will come.
func newMoment(t *testing.T, m moment) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	p.Bin = harness.Bin
	m.lay(p)
	return p
}
