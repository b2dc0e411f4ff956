//go:build linux

package screen

import (
	"fmt"
	"regexp"
	"testing"
)

// TestInteractiveTaskList lists a background command with its output, while the status line counts it, and ends it.
func TestInteractiveTaskList(t *testing.T) {
	t.Parallel()
	p := newStory(t, `  - tool_calls: [{name: Bash, arguments: {command: "echo the server listens; exec sleep 1000", background: true}}]
  - text: It runs.
`)
	s := startScreen(p, p.Command(), 80, 200).ready()
	s.send("go" + enter)
	s.shows(`^It runs\.`, `· 1 running ·`)
	// The command may need a moment until it has written.
	listed := regexp.MustCompile(`b1  \d+s  running  echo the server listens; exec sleep 1000\n +\| the server listens\n`)
	for n := 1; ; n++ {
		s.send("/tasks" + enter)
		if text := s.shows(fmt.Sprintf(`(?s)(b1  \d+s  running.*){%d}\n─+\n> *\n`, n)); listed.MatchString(text) {
			break
		}
	}
	s.send("/tasks kill b1" + enter)
	s.shows(`^b1 \(echo the server listens.*\) ended: `)
	s.hides(`· 1 running ·`)
	s.send(ctrlD)
	s.end()
	p.NoTrace()
}
