package config_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
)

// defaults returns the defaults, written out because they are promises to the user.
func defaults() config.Features {
	unwritten := network.Default()
	return config.Features{
		Tools: config.Tools{
			MaxSteps: 50, ReadBefore: config.ReadBefore{Write: true, Delete: false}, Result: config.ToolResult{MaxTokens: 20000}, Timeout: config.Timeout(2 * time.Minute),
			Subagents: 4, Search: config.Search{Provider: true},
			Bash: config.Bash{
				Timeout:    config.Timeout(120 * time.Second),
				Truncation: config.Truncation{MaxOutputBytes: 1048576, MaxLines: 200, HeadLines: 100, TailLines: 80},
			},
		},
		Compaction:   config.Compaction{Threshold: 80, KeepLastMessages: 10},
		Sandbox:      config.Sandbox{Enabled: true, Network: config.Network{Setting: network.Setting{Rules: &unwritten}}, Caches: config.PrivateCaches},
		Instructions: config.InstructionSettings{Enabled: true},
		Screen:       config.Screen{Theme: config.ThemeAuto, Notify: "bell", NotifyAfter: 10 * time.Second},
	}
}

// checkFeatures compares all features except plugins.
func checkFeatures(t *testing.T, got, want config.Features) {
	t.Helper()
	got.Plugins, want.Plugins = config.Plugins{}, config.Plugins{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestFeatureDefaults(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]files{
		"no files":   {},
		"no content": {project + "features/a.yaml": "tools:\n", project + "features/b.yaml": "compaction: {}\n"},
		"null": {
			project + "features/a.yaml": "tools: {max_steps: , enabled: , result: {max_tokens: }, bash: {timeout: , truncation: }, read_before: }\n",
			project + "features/b.yaml": "compaction: {threshold: }\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFeatures(t, f.load(t).Features, defaults())
		})
	}
}

func TestToolsFields(t *testing.T) {
	t.Parallel()
	c := files{project + "features/any.yaml": `
tools:
  enabled: ["*"]
  disabled: ["mcp__*"]
  opt_in: [Push]
  max_steps: 7
  token_budget: 1000
  read_before: {write: false, delete: true}
  result: {max_tokens: 5}
  timeout: 45s
  bash:
    timeout: 90s
    truncation: {max_output_bytes: 4, max_lines: 3, head_lines: 2, tail_lines: 1}
  policy: {auto: [Ls], confirm: ["Bash:git push*"], deny: [Write]}
`}.load(t)
	want := config.Features{Compaction: defaults().Compaction, Sandbox: defaults().Sandbox, Instructions: defaults().Instructions, Screen: defaults().Screen, Tools: config.Tools{
		Enabled: []string{"*"}, Disabled: []string{"mcp__*"}, OptIn: []string{"Push"}, MaxSteps: 7, TokenBudget: 1000,
		ReadBefore: config.ReadBefore{Write: false, Delete: true}, Result: config.ToolResult{MaxTokens: 5}, Timeout: config.Timeout(45 * time.Second),
		Subagents: 4, Search: config.Search{Provider: true},
		Bash: config.Bash{
			Timeout:    config.Timeout(90 * time.Second),
			Truncation: config.Truncation{MaxOutputBytes: 4, MaxLines: 3, HeadLines: 2, TailLines: 1},
		},
		Policy: config.Policy{Auto: []string{"Ls"}, Confirm: []string{"Bash:git push*"}, Deny: []string{"Write"}},
	}}
	checkFeatures(t, c.Features, want)
}

func TestCompactionFields(t *testing.T) {
	t.Parallel()
	c := files{project + "features/any.yaml": `
compaction: {threshold: 62.5, max_tokens: 9000, keep_last_messages: 0, agent: a, prompt: p}
`}.load(t)
	want := defaults()
	want.Compaction = config.Compaction{Threshold: 62.5, MaxTokens: 9000, KeepLastMessages: 0, Agent: "a", Prompt: "p"}
	checkFeatures(t, c.Features, want)
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1m30s": 90 * time.Second, "90": 90 * time.Second, "0.5": 500 * time.Millisecond, "'${WAIT}'": 3 * time.Second,
	} {
		c := files{project + "features/any.yaml": "tools: {bash: {timeout: " + written + "}}"}.load(t)
		if got := c.Features.Tools.Bash.Timeout; got.Duration() != want || got.String() != want.String() {
			t.Errorf("%s is %s, want %s", written, got, want)
		}
	}
}

// TestFeaturesMerge checks that the settings of the later home take precedence, key by key. Lists are replaced.
func TestFeaturesMerge(t *testing.T) {
	t.Parallel()
	const below = `tools: {enabled: [a], disabled: [b], max_steps: 7, token_budget: 9, read_before: {delete: true}, bash: {truncation: {max_lines: 3}}, policy: {deny: [x], confirm: [y]}}`
	base := defaults()
	base.Tools.Enabled, base.Tools.Disabled, base.Tools.MaxSteps, base.Tools.TokenBudget = []string{"a"}, []string{"b"}, 7, 9
	base.Tools.ReadBefore.Delete, base.Tools.Bash.Truncation.MaxLines = true, 3
	base.Tools.Policy = config.Policy{Deny: []string{"x"}, Confirm: []string{"y"}}
	with := func(change func(t *config.Tools)) config.Features {
		f := base
		change(&f.Tools)
		return f
	}
	for above, want := range map[string]config.Features{
		"":                                   base,
		"tools:":                             base,
		"tools: {}":                          base,
		"tools: {enabled: , max_steps: }":    base,
		"tools: {enabled: [c]}":              with(func(t *config.Tools) { t.Enabled = []string{"c"} }),
		"tools: {enabled: []}":               with(func(t *config.Tools) { t.Enabled = []string{} }),
		"tools: {token_budget: 0}":           with(func(t *config.Tools) { t.TokenBudget = 0 }),
		"tools: {read_before: {write: no}}":  with(func(t *config.Tools) { t.ReadBefore.Write = false }),
		"tools: {policy: {deny: [z]}}":       with(func(t *config.Tools) { t.Policy.Deny = []string{"z"} }),
		"tools: {bash: {timeout: 3}}":        with(func(t *config.Tools) { t.Bash.Timeout = config.Timeout(3 * time.Second) }),
		"tools: {timeout: 3}":                with(func(t *config.Tools) { t.Timeout = config.Timeout(3 * time.Second) }),
		"tools: {bash: {truncation: {}}}":    base,
		"compaction: {keep_last_messages: }": base,
	} {
		c := files{user + "features/tools.yaml": below, project + "features/other.yaml": above}.load(t)
		t.Log(above)
		checkFeatures(t, c.Features, want)
	}
}

// featureRows holds settings that are refused wherever they are set. The content has one key per line.
var featureRows = map[string]struct{ content, want string }{
	"unknown feature":     {"tools: {}\nvision: {}\n", `:2: unknown key "vision"`},
	"unknown key":         {"tools:\n  max_stepz: 3\n", `:2: unknown key "max_stepz" in "%stools"; known keys: bash, disabled, enabled,`},
	"unknown null key":    {"tools:\n  max_stepz:\n", `:2: unknown key "max_stepz" in "%stools"`},
	"unknown inner key":   {"tools:\n  bash:\n    trunc: {}\n", `:3: unknown key "trunc" in "%stools.bash"`},
	"unknown deep key":    {"tools:\n  bash:\n    truncation:\n      lines: 3\n", `:4: unknown key "lines" in "%stools.bash.truncation"`},
	"duplicate key":       {"tools:\n  max_steps: 3\n  max_steps: 3\n", `:3: duplicate key "%stools.max_steps"`},
	"wrong list":          {"tools:\n  enabled: x\n", `:2: key "%stools.enabled": expected a list`},
	"wrong number":        {"tools:\n  max_steps: many\n", `:2: key "%stools.max_steps": expected a whole number`},
	"wrong truth":         {"tools:\n  read_before:\n    write: perhaps\n", `:3: key "%stools.read_before.write": expected true or false`},
	"wrong policy":        {"tools:\n  policy:\n    ask: []\n", `:3: unknown key "ask" in "%stools.policy"`},
	"no steps":            {"tools:\n  max_steps: 0\n", `:2: key "%stools.max_steps": 0 is less than 1`},
	"negative budget":     {"tools:\n  max_steps: 3\n  token_budget: -1\n", `:3: key "%stools.token_budget": -1 is negative`},
	"negative result":     {"tools:\n  result:\n    max_tokens: -1\n", `:3: key "%stools.result.max_tokens": -1 is negative`},
	"no time":             {"tools:\n  bash:\n    timeout: 0s\n", `:3: key "%stools.bash.timeout": 0s is not positive: write a duration such as 30s`},
	"no time for a tool":  {"tools:\n  timeout: 0\n", `:2: key "%stools.timeout": 0s is not positive: write a duration such as 30s`},
	"wrong time":          {"tools:\n  bash:\n    timeout: soon\n", `:3: key "%stools.bash.timeout": expected a duration such as 10s, or a number of seconds`},
	"negative bytes":      {"tools:\n  bash:\n    truncation: {max_output_bytes: -1}\n", `:3: key "%stools.bash.truncation.max_output_bytes": -1 is negative`},
	"negative lines":      {"tools:\n  bash:\n    truncation: {max_lines: -1}\n", `:3: key "%stools.bash.truncation.max_lines": -1 is negative`},
	"negative head":       {"tools:\n  bash:\n    truncation: {head_lines: -1}\n", `:3: key "%stools.bash.truncation.head_lines": -1 is negative`},
	"negative tail":       {"tools:\n  bash:\n    truncation: {tail_lines: -1}\n", `:3: key "%stools.bash.truncation.tail_lines": -1 is negative`},
	"a fraction":          {"compaction:\n  threshold: 0.8\n", `:2: key "%scompaction.threshold": 0.8 is not a percentage from 1 to 100`},
	"too much":            {"compaction:\n  threshold: 101\n", `:2: key "%scompaction.threshold": 101 is more than 100`},
	"no number":           {"compaction:\n  threshold: .nan\n", `:2: key "%scompaction.threshold": NaN is not a percentage`},
	"negative tokens":     {"compaction:\n  max_tokens: -1\n", `:2: key "%scompaction.max_tokens": -1 is negative`},
	"negative messages":   {"compaction:\n  keep_last_messages: -1\n", `:2: key "%scompaction.keep_last_messages": -1 is negative`},
	"unknown compaction":  {"compaction:\n  chunks: 1\n", `:2: unknown key "chunks" in "%scompaction"; known keys: agent, keep_last_messages, max_tokens,`},
	"wrong agent":         {"compaction:\n  agent: [a]\n", `:2: key "%scompaction.agent": expected text`},
	"wrong plugins":       {"plugins:\n  includes: [a]\n", `:2: unknown key "includes" in "%splugins"`},
	"no pattern":          {"plugins:\n  exclude: ['[']\n", `:2: key "%splugins.exclude": "[" is not a pattern`},
	"unset variable":      {"tools:\n  opt_in: ['${UNSET}']\n", `:2: key "%stools.opt_in[0]": the variable UNSET is not set`},
	"an alias at fault":   {"tools:\n  result: &x\n    max_tokens: -1\n", `:3: key "%stools.result.max_tokens": -1 is negative`},
	"a merged key at all": {"tools:\n  bash:\n    <<: {timeout: 0}\n", `:3: key "%stools.bash.timeout": 0s is not positive: write a duration such as 30s`},
}
