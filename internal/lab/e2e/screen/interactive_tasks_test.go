//go:build linux

package screen

import (
	"os"
	"syscall"
	"testing"
)

// TestInteractiveTasks shows two subagents that work at the same time, and ends one of them with Esc. The other one goes on.
func TestInteractiveTasks(t *testing.T) {
	t.Parallel()
	p := newStory(t, "  - tool_calls:\n"+
		"      - {name: Task, arguments: {agent: first, prompt: Look here.}}\n"+
		"      - {name: Task, arguments: {agent: second, prompt: Wait.}}\n"+
		"  - text: I go on.\n")
	p.Write(".aura/config/features/tools.yaml", "tools: {mode: none}\n")
	p.Write(".aura/config/agents/talker.md", "---\nname: talker\ndefault: true\nmodel: {provider: test}\n---\n")
	p.Write(".aura/config/agents/first.md", "---\nname: first\nsubagent: true\nmodel: {provider: one}\n---\n")
	p.Write(".aura/config/agents/second.md", "---\nname: second\nsubagent: true\nmodel: {provider: two}\n---\n")
	p.Write(".aura/config/providers/two.yaml", "one: {type: script, file: first.yaml}\ntwo: {type: script, file: second.yaml}\n")
	p.Write(".aura/config/first.yaml", "turns:\n  - tool_calls: [{name: Bash, arguments: {command: 'exec sleep 1000'}}]\n  - text: Never.\n")
	p.Write(".aura/config/second.yaml", "turns:\n  - tool_calls: [{name: Bash, arguments: {command: 'read line <gate'}}]\n  - text: The gate is open.\n")
	p.Check(syscall.Mkfifo(p.Path("gate"), 0o600))
	s := interactive(p).ready()
	s.send("Go" + enter)
	s.shows(`● Task agent: first, prompt: Look here\.\n  │ first: Bash exec sleep 1000\n● Task agent: second, prompt: Wait\.\n  │ second: Bash read line <gate`)
	s.send(down)
	s.shows(`▶ Task agent: first`)
	s.shows(`esc ends this call only: Task agent: first`)
	s.send(down)
	s.shows(`▶ Task agent: second`)
	s.send(down)
	s.hides(`▶`)
	s.send(down)
	s.shows(`▶ Task agent: first`)
	s.send(escape)
	s.shows(`● Task agent: first, prompt: Look here\.  \([^)]*\)\n● Task agent: second`)
	gate, err := os.OpenFile(p.Path("gate"), os.O_WRONLY, 0)
	p.Check(err)
	_, err = gate.WriteString("go\n")
	p.Check(err)
	p.Check(gate.Close())
	s.shows(`● Task agent: first, prompt: Look here\. \([^,]*, 2 steps\)\n  │ the user ended this call\n\n● Task agent: second, prompt: Wait\. \([^,]*, 1 step\)\n  │ The gate is open\.\n\nI go on\.`)
	s.send(ctrlD)
	s.end()
}
