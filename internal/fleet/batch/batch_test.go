package batch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/batch"
)

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const whole = `
batch: migrate
defaults: {agent: coder, mode: plan, provider: p, model: m, network: [a.example, "*.b.example:443"], timeout: 5m, max_steps: 9, token_budget: 1000, cost: 0.5}
env: [API_KEY]
trust: true
limits: {parallel: {p: 3, "*": 1}, tokens: 10, cost: 2.5, reached: stop}
tasks:
  - id: a
    prompts: [one, two]
    workspace: {git: "https://example.com/r.git", ref: main}
    collect: ["*.md"]
  - id: b
    prompts: [three]
    workspace: {dir: sub}
    agent: other
    network: off
    timeout: 1m
    trust: false
`

func TestReadEveryKey(t *testing.T) {
	t.Parallel()
	path := write(t, "b.yaml", whole)
	b, err := batch.Read(path, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := b.Limits
	if b.Name != "migrate" || len(b.Tasks) != 2 || l.Of("p") != 3 || l.Of("else") != 1 || l.Tokens != 10 || l.CostUSD != 2.5 || !l.Stop {
		t.Errorf("got %+v", b)
	}
	first, second := b.Tasks[0], b.Tasks[1]
	if first.Role != (fleet.Role{Agent: "coder", Mode: "plan", Provider: "p", Model: "m", Network: "a.example,*.b.example:443"}) || first.Version != fleet.NetworkFormat ||
		first.Bounds != (fleet.Bounds{Timeout: 5 * time.Minute, MaxSteps: 9, TokenBudget: 1000, CostUSD: 0.5}) ||
		first.Workspace.Git != "https://example.com/r.git" || first.Workspace.Ref != "main" || !first.Trusted || first.Env[0] != "API_KEY" {
		t.Errorf("got %+v", first)
	}
	if second.Agent != "other" || second.Network != "off" || second.Timeout != time.Minute || second.Dir != filepath.Join(filepath.Dir(path), "sub") {
		t.Errorf("got %+v", second)
	}
}

func TestReadLines(t *testing.T) {
	t.Parallel()
	b, err := batch.Read(write(t, "lines.jsonl", `{"defaults":{"provider":"p"},"limits":{"parallel":{"p":2}}}
{"id":"a","prompts":["smile \ud83d\ude00 and \/ slash"],"timeout":"30s"}

{"id":"b","prompts":["x"],"max_steps":3,"cost":1.5,"network":"on"}
`), batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "lines" || len(b.Tasks) != 2 || b.Tasks[0].Prompts[0] != "smile 😀 and / slash" || b.Tasks[0].Provider != "p" || b.Tasks[1].Line != 4 || b.Tasks[1].CostUSD != 1.5 ||
		b.Tasks[0].Version != fleet.Format || b.Tasks[1].Network != "on" {
		t.Errorf("got %+v", b)
	}
	headless, err := batch.Read(write(t, "x.jsonl", `{"id":"a","prompts":["p"]}`), batch.Options{Name: "given"})
	if err != nil || headless.Name != "given" || len(headless.Tasks) != 1 {
		t.Errorf("got %+v, %v", headless, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	task := func(rest string) string { return "batch: b\ntasks:\n  - id: a\n    prompts: [x]\n" + rest }
	for name, tt := range map[string]struct{ file, content, want string }{
		"empty":              {"b.yaml", "", "b.yaml"},
		"no tasks":           {"b.yaml", "batch: b\n", "0 tasks"},
		"unknown key":        {"b.yaml", task("    promts: [y]\n"), `b.yaml:5: unknown key "promts"`},
		"twice the key":      {"b.yaml", task("    prompts: [y]\n"), "b.yaml:5: duplicate key"},
		"no id":              {"b.yaml", "batch: b\ntasks:\n  - prompts: [x]\n", "b.yaml:3"},
		"no prompt":          {"b.yaml", "batch: b\ntasks:\n  - id: a\n", `task "a": it has 0 prompts`},
		"empty prompt":       {"b.yaml", "batch: b\ntasks:\n  - {id: a, prompts: [\" \"]}\n", "prompt 1: it is empty"},
		"slash command":      {"b.yaml", "batch: b\ntasks:\n  - {id: a, prompts: [/clear]}\n", "slash command"},
		"standard input":     {"b.yaml", "batch: b\ntasks:\n  - {id: a, prompts: [\"-\"]}\n", "standard input"},
		"id twice":           {"b.yaml", task("  - {id: a, prompts: [y]}\n"), `b.yaml:5: task id "a" is already used on line 3`},
		"id with a slash":    {"b.yaml", "batch: b\ntasks:\n  - {id: ../a, prompts: [y]}\n", `"../a" cannot be used`},
		"id with a dot":      {"b.yaml", "batch: b\ntasks:\n  - {id: a.b, prompts: [y]}\n", `"a.b" cannot be used`},
		"bad name":           {"b.yaml", "batch: a b\ntasks:\n  - {id: a, prompts: [y]}\n", "name of the batch"},
		"two workspaces":     {"b.yaml", task("    workspace: {git: \"https://h/r\", dir: x}\n"), "both a repository and a directory"},
		"ref alone":          {"b.yaml", task("    workspace: {ref: main}\n"), "no git URL"},
		"helper":             {"b.yaml", task("    workspace: {git: \"ext::sh -c id\"}\n"), "characters that no git URL has"},
		"helper, no blanks":  {"b.yaml", task("    workspace: {git: \"ext::id\"}\n"), "names no repository"},
		"option as URL":      {"b.yaml", task("    workspace: {git: \"--upload-pack=x\"}\n"), "names no repository"},
		"option as ref":      {"b.yaml", task("    workspace: {git: \"https://h/r\", ref: --x}\n"), "not a branch"},
		"password":           {"b.yaml", task("    workspace: {git: \"https://u:p@h/r\"}\n"), "password"},
		"plain http":         {"b.yaml", task("    workspace: {git: \"http://example.com/r\"}\n"), "use https"},
		"collect outside":    {"b.yaml", task("    collect: [../x]\n"), "leads out of the workspace"},
		"collect absolute":   {"b.yaml", task("    collect: [/etc/passwd]\n"), "leads out of the workspace"},
		"bad pattern":        {"b.yaml", task("    collect: [\"a[\"]\n"), "not a pattern"},
		"trust nothing":      {"b.yaml", task("    trust: true\n"), "trusts a workspace, but has none"},
		"trust a word":       {"b.yaml", task("    trust: maybe\n"), "b.yaml:5"},
		"negative":           {"b.yaml", task("    max_steps: -1\n"), "negative"},
		"network, URL":       {"b.yaml", task("    network: [\"https://h\"]\n"), `b.yaml:5: key "tasks[0].network": "https://h" is a URL`},
		"network, word":      {"b.yaml", task("    network: some\n"), "expected on, off, or a list of hosts"},
		"network, no host":   {"b.yaml", task("    network: []\n"), "expected on, off, or a list of hosts"},
		"network, on listed": {"b.yaml", task("    network: [on]\n"), "write network: on"},
		"bad variable":       {"b.yaml", "batch: b\nenv: [\"A=B\"]\ntasks:\n  - {id: a, prompts: [y]}\n", "not the name of an environment variable"},
		"zero at once":       {"b.yaml", "batch: b\nlimits: {parallel: {p: 0}}\ntasks:\n  - {id: a, prompts: [y]}\n", "at least 1"},
		"bad reached":        {"b.yaml", "batch: b\nlimits: {reached: explode}\ntasks:\n  - {id: a, prompts: [y]}\n", "neither wait nor stop"},
		"second document":    {"b.yaml", task("---\nx: 1\n"), "second YAML document"},
		"long prompt":        {"b.yaml", "batch: b\ntasks:\n  - {id: a, prompts: [" + strings.Repeat("x", fleet.MaxPrompt+1) + "]}\n", "is the limit"},
		"line no object":     {"b.jsonl", "{\"id\":\"a\",\"prompts\":[\"x\"]}\n[1]\n", "b.jsonl:2: not a JSON object"},
		"line cut":           {"b.jsonl", "{\"id\":\"a\",\"prompts\":[\"x\"]}\n{\"id\":\n", "b.jsonl:2: not a JSON object"},
		"line with two":      {"b.jsonl", "{\"id\":\"a\",\"prompts\":[\"x\"]}{}\n", "b.jsonl:1: text after"},
		"line, unknown key":  {"b.jsonl", "{\"id\":\"a\",\"prompts\":[\"x\"]}\n{\"id\":\"b\",\"prompt\":\"x\"}\n", `b.jsonl:2: unknown key "prompt"`},
		"line, twice a key":  {"b.jsonl", "{\"id\":\"a\",\"id\":\"b\",\"prompts\":[\"x\"]}\n", "b.jsonl:1: duplicate key"},
		"line, wrong type":   {"b.jsonl", "{\"id\":\"a\",\"prompts\":\"x\"}\n", "b.jsonl:1"},
		"line, nested":       {"b.jsonl", "{\"id\":" + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "}\n", "nested too deeply"},
		"header, bad, first": {"b.jsonl", "{\"batc\":\"x\"}\n", `b.jsonl:1: unknown key "batc"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := batch.Read(write(t, tt.file, tt.content), batch.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestOneBadTask checks that one bad task among ten thousand is found, with its line, in both formats.
func TestOneBadTask(t *testing.T) {
	t.Parallel()
	var yaml, lines strings.Builder
	yaml.WriteString("batch: b\ntasks:\n")
	for i := range 10_000 {
		prompt := "do it"
		if i == 6789 {
			prompt = ""
		}
		fmt.Fprintf(&yaml, "  - {id: t%d, prompts: [%q]}\n", i, prompt)
		fmt.Fprintf(&lines, "{\"id\":\"t%d\",\"prompts\":[%q]}\n", i, prompt)
	}
	for file, tt := range map[string]struct{ content, want string }{
		"b.yaml": {yaml.String(), "b.yaml:6792: task \"t6789\": prompt 1: it is empty"}, "b.jsonl": {lines.String(), "b.jsonl:6790: task \"t6789\": prompt 1: it is empty"},
	} {
		_, err := batch.Read(write(t, file, tt.content), batch.Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	path := write(t, "inputs.txt", "a.go\n\n  b.go  \n")
	b, err := batch.Each(path, "Review {} and {}", fleet.Task{Role: fleet.Role{Provider: "p"}}, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Tasks) != 2 || b.Tasks[0].ID != "line-00001" || b.Tasks[1].ID != "line-00003" || b.Tasks[1].Prompts[0] != "Review b.go and b.go" || b.Tasks[1].Provider != "p" {
		t.Errorf("got %+v", b.Tasks)
	}
	again, err := batch.Each(path, "Review {} and {}", fleet.Task{}, batch.Options{})
	if err != nil || again.Name != b.Name || !strings.HasPrefix(b.Name, "each-") {
		t.Errorf("the same inputs make batches %s and %s, %v", b.Name, again.Name, err)
	}
	if _, err := batch.Each(path, "no place", fleet.Task{}, batch.Options{}); err == nil || !strings.Contains(err.Error(), "{}") {
		t.Errorf("got %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"id":"a","prompts":["x"],"workspace":{"dir":"."}}`))
	f.Add([]byte(`{"batch":"b"}` + "\n" + `{"id":"a","prompts":["x"],"trust":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := batch.Read(write(t, "f.jsonl", string(data)), batch.Options{Name: "f"})
		if err != nil {
			return
		}
		for _, task := range b.Tasks {
			if err := task.Check(); err != nil {
				t.Errorf("a task that was accepted cannot be run: %v", err)
			}
		}
	})
}
