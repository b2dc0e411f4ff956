//go:build linux

package screen

import (
	"testing"
)

// TestInteractiveTaskList lists a background command with its output, while the status line counts it, and ends it.
func TestInteractiveTaskList(t *testing.T) {
	t.Parallel()
	p := newStory(t, `  - tool_calls: [{name: Bash, arguments: {command: "echo the server listens; exec sleep 1000", background: true}}]
  - text: It runs.
`)
	s := interactive(p).ready()
	s.send("go" + enter)
	s.shows(`^It runs\.`, `· 1 running ·`)
	s.send("/tasks" + enter)
	s.shows(`^b1  \d+s  running  echo the server listens; exec sleep 1000\n +\| the server listens`)
	s.send("/tasks kill b1" + enter)
	s.shows(`^b1 \(echo the server listens.*\) ended: `)
	s.hides(`· 1 running ·`)
	s.send(ctrlD)
	s.end()
	p.NoTrace()
}
