//go:build linux

package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestReplayExamples records a conversation with all example plugins and replays it again and again. Each replay has the same results.
func TestReplayExamples(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	examples, err := filepath.Glob(filepath.Join(harness.Repo(), ".aura/plugins/*/*"))
	p.Check(err)
	names := map[string]bool{}
	for _, dir := range examples {
		manifest, err := os.ReadFile(filepath.Join(dir, "plugin.yaml"))
		if err != nil || bytes.Contains(manifest, []byte("\ndisabled: true\n")) {
			continue
		}
		names[filepath.Base(dir)] = true
		p.Check(os.CopyFS(filepath.Join(p.Dir, ".aura/plugins", filepath.Base(dir)), os.DirFS(dir)))
	}
	var talk strings.Builder
	fmt.Fprint(&talk, "model: {name: talker, family: script, context_length: 8192, capabilities: [tools]}\nturns:\n")
	for i := range 24 {
		calls := []string{
			`{name: Notepad, arguments: {action: write, path: n.txt, content: x}}`, `{name: Ls, arguments: {path: .}}`, `{name: Read, arguments: {path: nowhere}}`,
			`{name: TodoCreate, arguments: {items: [{content: a, status: pending}]}}`, `{name: Gotify, arguments: {message: hi, level: debug}}`,
		}
		fmt.Fprintf(&talk, "  - {text: \"Step %d.\", tool_calls: [%s]}\n", i, calls[i%len(calls)])
		if i%6 == 5 {
			fmt.Fprint(&talk, "  - {text: \"\"}\n  - {text: \"Rest.\"}\n")
		}
	}
	p.Write(".aura/config/talk.yaml", talk.String())
	p.Write(".aura/config/features/plugins.yaml", "plugins: {exclude: [witness]}\n")
	p.Run("run", "--record", "--include-tools", "Gotify,*", "one", "two", "three", "four")
	files, err := filepath.Glob(filepath.Join(p.State, "sessions/*"+recording.Ext))
	p.Check(err)
	if len(files) != 1 {
		t.Fatalf("recordings: %v", files)
	}
	r, err := recording.Open(files[0])
	p.Check(err)
	if got := r.Plugins(); len(r.Calls) < 200 || len(got) != len(names) || len(names) != 13 {
		t.Fatalf("%d calls by %d plugins (%v), want at least 200 by all of %v", len(r.Calls), len(got), got, names)
	}
	total := regexp.MustCompile(`(?m)^(\d+) calls: \d+ with the same result, \d+ not repeated\n\z`)
	var first []byte
	for i := range long(2, 100) {
		p.Run("plugins", "replay", files[0])
		out := p.Stdout()
		m := total.FindSubmatch(out)
		if m == nil || string(m[1]) != strconv.Itoa(len(r.Calls)) || bytes.Contains(out, []byte("differs")) {
			t.Fatalf("replay %d:\n%s", i+1, out)
		}
		if first == nil {
			first = out
		}
		if !bytes.Equal(first, out) {
			t.Fatalf("replay %d:\n%s\nthe first:\n%s", i+1, out, first)
		}
	}
	p.NoProcess()
}

// TestRecordingOfKilled kills aura while it records. The recording and the records of the journal serve up to the last whole one.
func TestRecordingOfKilled(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write(".aura/config/talk.yaml", harness.TalkWith(`tool_calls: [{name: Bash, arguments: {command: "while true; do sleep 0.05; done"}}]`))
	a := p.Start("run", "--record", "go")
	p.Await("stderr.txt", "> Bash")
	a.Signal(os.Kill)
	a.Wait()
	p.Run("plugins", "replay", "go")
	p.Wants(p.Stdout(), `(?m)^[1-9]\d* calls: [1-9]\d* with the same result$`)
	files, err := filepath.Glob(filepath.Join(p.State, "sessions/*"+recording.Ext))
	p.Check(err)
	text, err := os.ReadFile(files[0])
	p.Check(err)
	p.Check(os.WriteFile(files[0], text[:len(text)-7], 0o600))
	p.Run("plugins", "replay", "go")
	p.Wants(p.Stderr(), `the end of .* was not written completely and is left out`)
	p.Run("explain", "go")
	p.Wants(p.Stdout(), `(?m)^turn 1$`, `witness`)
	p.NoProcess()
}
