package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/lab"
)

const (
	// callsPerTurn is the number of calls that one answer asks for. turnsPerPrompt is the number of answers to a prompt; the
	// last answer asks for no calls.
	callsPerTurn   = 10
	turnsPerPrompt = 21
	// bigFile is the size of the large results that a plugin's tool occasionally returns, in bytes.
	bigFile = 4 << 20
)

// prompts returns the number of prompts that the session needs.
func (l *soak) prompts() int {
	const callsPerPrompt = callsPerTurn * (turnsPerPrompt - 1)
	return (l.calls + callsPerPrompt - 1) / callsPerPrompt
}

// prepare writes a project with the example plugins and a model that works through its list of calls.
func (l *soak) prepare() error {
	manifests, err := l.Examples()
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		from := filepath.Dir(manifest)
		if err := os.CopyFS(filepath.Join(l.project(), ".aura", "plugins", filepath.Base(from)), os.DirFS(from)); err != nil {
			return err
		}
	}
	var lines strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&lines, "line %d: the quick brown fox jumps over the lazy dog\n", n)
	}
	return lab.WriteFiles(l.project(), map[string]string{
		".aura/config/providers/soak.yaml": "worker: {type: script, file: worker.yaml}\nclerk: {type: script, file: clerk.yaml}\nwaiting: {type: script, file: waiting.yaml}\n",
		".aura/config/worker.yaml":         l.script(),
		".aura/config/waiting.yaml":        "turns: [{text: waited, delay: 24h}]\n",
		".aura/config/clerk.yaml":          "turns: [{text: \"Many calls were made; many are left.\"}]\n",
		".aura/config/agents/worker.md":    "---\nname: worker\ndefault: true\nmodel: {provider: worker}\n---\nYou work.\n",
		".aura/config/agents/clerk.md":     "---\nname: clerk\nhide: true\nmodel: {provider: clerk}\n---\n",
		// A summary by the worker would use up one of the worker's answers.
		".aura/config/features/soak.yaml": "compaction: {agent: clerk}\n",
		"l.txt":                           lines.String(),
		"big.txt":                         strings.Repeat("the quick brown fox jumps over the lazy dog\n", bigFile/44),
	})
}

// script returns the model's side of the session. The context window has a typical size, so that the history is compacted.
func (l *soak) script() string {
	random := rand.New(rand.NewPCG(l.seed, 0))
	var b strings.Builder
	b.WriteString("model: {name: tireless, context_length: 200000, capabilities: [tools]}\nturns:\n")
	for n, turn := 0, 1; n < l.calls; turn++ {
		fmt.Fprintf(&b, "  - text: \"Turn %d, with a few words about what was read and what comes next.\"\n", turn)
		if turn%turnsPerPrompt == 0 {
			continue
		}
		if n == l.early-2*window || n == l.calls-4*window {
			// During this delay the memory of large results is released, so that the processes are compared at rest.
			b.WriteString("    delay: 5s\n")
		}
		b.WriteString("    tool_calls:\n")
		for range min(callsPerTurn, l.calls-n) {
			n++
			fmt.Fprintf(&b, "    - %s\n", call(random, n, l.resting(n)))
		}
	}
	b.WriteString("  - text: \"Done.\"\n")
	return b.String()
}

// resting reports whether a call is near one of the two compared moments.
func (l *soak) resting(n int) bool {
	return n > l.early-2*window && n <= l.early+window || n > l.calls-4*window
}

// call returns the n-th call: mostly with small results, occasionally with large results of each kind of tool, and sometimes
// failing.
func call(random *rand.Rand, n int, small bool) string {
	from := 1 + random.IntN(15_000)
	switch kind := random.IntN(100); {
	case small:
		return fmt.Sprintf("{name: Read, arguments: {path: l.txt, line_start: %d, line_end: %d}}", from, from+random.IntN(30))
	case kind == 0:
		return "{name: Notepad, arguments: {action: read, path: big.txt}}"
	case kind <= 2:
		return fmt.Sprintf("{name: Bash, arguments: {command: \"head -c %d big.txt\"}}", 100_000+random.IntN(2_000_000))
	case kind <= 4:
		return fmt.Sprintf("{name: Write, arguments: {path: out/%d.txt, content: %q}}", n, strings.Repeat("written ", 1+random.IntN(20)))
	case kind <= 14:
		return fmt.Sprintf("{name: Read, arguments: {path: l.txt, line_start: %d, line_end: %d}}", from, from+500+random.IntN(500))
	case kind == 15:
		return fmt.Sprintf("{name: Read, arguments: {path: missing-%d.txt}}", n)
	default:
		return fmt.Sprintf("{name: Read, arguments: {path: l.txt, line_start: %d, line_end: %d}}", from, from+random.IntN(30))
	}
}
