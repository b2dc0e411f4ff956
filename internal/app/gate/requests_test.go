package gate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/trust"
)

// TestRequests has a row for each thing that a project can request. Each row makes that one request and no other.
func TestRequests(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		// want is kind, name, and a part of the text; empty for no request.
		want [3]string
	}{
		"nothing":          {nil, [3]string{}},
		"text":             {map[string]string{home + "agents/a.md": "---\nname: a\n---\nHi", home + "modes/m.md": "---\nname: m\ntools: {disabled: [Bash], policy: {deny: [Bash]}}\n---\n", home + "prompts/p.md": "---\nname: p\n---\nHi", home + "commands/c.md": "---\nname: c\n---\nHi", "work/.aura/skills/s.md": "---\nname: s\ndescription: d\n---\nHi"}, [3]string{}},
		"narrower":         {map[string]string{home + "sandbox/s.yaml": "sandbox: {network: off, enabled: true}"}, [3]string{}},
		"plugin":           {map[string]string{"work/.aura/plugins/p/plugin.yaml": "description: x", "work/.aura/plugins/p/go.mod": "module p\n", "work/.aura/plugins/p/main.go": "package p\nimport _ \"net\"\n"}, [3]string{"plugin", "p", "asks for every host on the network"}},
		"broken plugin":    {map[string]string{"work/.aura/plugins/p/plugin.yaml": "nonsense: x"}, [3]string{"plugin", "p", "runs Go code"}},
		"extension":        {map[string]string{"work/.aura/extensions/e.py": ""}, [3]string{"extension", "e", "runs Python code in every session; asks for every host on the network, starting programs"}},
		"package":          {map[string]string{"work/.aura/extensions/e/__init__.py": ""}, [3]string{"extension", "e", "runs Python code"}},
		"extension of Aar": {map[string]string{"work/.agent/extensions/e.py": ""}, [3]string{"extension", "e", "runs Python code"}},
		"other Python":     {map[string]string{"work/.aura/extensions/_e.py": "", "work/.aura/extensions/lib/e.py": "", "work/.agent/e.py": ""}, [3]string{}},
		"extension like mine": {
			map[string]string{"work/.agent/extensions/e.py": "", "me/.aura/extensions/e.py": ""}, [3]string{"extension", "e", "takes the place of yours in "},
		},
		"plugin like an extension of mine": {
			map[string]string{"work/.aura/plugins/e/plugin.yaml": "", "me/.aar/extensions/e/__init__.py": ""}, [3]string{"plugin", "e", "takes the place of yours in "},
		},
		"hook":                   {map[string]string{home + "hooks/h.yaml": "h: {event: pre, command: 'rm -rf x'}"}, [3]string{"hook", "h", "rm -rf x"}},
		"disabled hook":          {map[string]string{home + "hooks/h.yaml": "h: {event: pre, command: 'x', disabled: true}"}, [3]string{"hook", "h", "a hook of yours"}},
		"mcp program":            {map[string]string{home + "mcp/m.yaml": "m: {command: prog, args: [a, b]}"}, [3]string{"mcp", "m", "prog a b"}},
		"mcp service":            {map[string]string{home + "mcp/m.yaml": "m: {url: 'http://x/mcp', headers: {A: b}}"}, [3]string{"mcp", "m", "http://x/mcp; sends headers: A"}},
		"mcp of an agent":        {map[string]string{home + "agents/a.md": "---\nname: a\nmcp: {m: {command: prog, args: [x], sandbox: off}}\n---\n"}, [3]string{"mcp", "m", "prog x; sets variables: -; for agent a"}},
		"narrower by a literal":  {map[string]string{home + "mcp/m.yaml": "m: {command: x, disabled: true}"}, [3]string{}},
		"steps by a variable":    {map[string]string{home + "features/t.yaml": "tools: {max_steps: '${STEPS}'}"}, [3]string{"variable", "STEPS", "your environment"}},
		"tool condition":         {map[string]string{home + "tools/t.yaml": "Read: {condition: 'not bash:do it'}"}, [3]string{"condition", "tool Read", "do it"}},
		"other condition":        {map[string]string{home + "tools/t.yaml": "Read: {condition: 'auto'}"}, [3]string{}},
		"task":                   {map[string]string{home + "tasks/t.yaml": "t: {commands: [hi], pre: [make], env: {PATH: /x}}"}, [3]string{"task", "t", "make; sets variables PATH"}},
		"provider":               {map[string]string{home + "providers/p.yaml": "p: {type: openai, url: 'http://evil/v1', token: abc}"}, [3]string{"provider", "p", "http://evil/v1; sends a token"}},
		"script":                 {map[string]string{home + "providers/p.yaml": "p: {type: script}"}, [3]string{"provider", "p", "calls tools"}},
		"variable":               {map[string]string{home + "agents/a.md": "---\nname: a\ndescription: 'x ${TOKEN}'\n---\n"}, [3]string{"variable", "TOKEN", "your environment"}},
		"variable, unset":        {map[string]string{home + "agents/a.md": "---\nname: a\ndescription: 'x ${UNSET}'\n---\n"}, [3]string{"variable", "UNSET", "your environment"}},
		"env file":               {map[string]string{"work/secrets.env": "A=1\nB=2"}, [3]string{"env_file", "secrets.env", "A, B"}},
		"broken env file":        {map[string]string{"work/secrets.env": "hunter"}, [3]string{"unknown", "secrets.env", "may ask for anything"}},
		"sandbox off":            {map[string]string{home + "sandbox/s.yaml": "sandbox: {enabled: false}"}, [3]string{"sandbox", "sandbox.enabled", "false"}},
		"sandbox paths":          {map[string]string{home + "modes/m.md": "---\nname: m\nfeatures: {sandbox: {extra: {rw: [/]}}}\n---\n"}, [3]string{"sandbox", "mode m: sandbox.extra.rw", "/"}},
		"policy":                 {map[string]string{home + "agents/a.md": "---\nname: a\ntools: {policy: {auto: [Bash]}}\n---\n"}, [3]string{"policy", "agent a: tools.policy.auto", "Bash"}},
		"unsafe":                 {map[string]string{home + "features/p.yaml": "plugins: {unsafe: true}"}, [3]string{"unsafe", "plugins.unsafe", "true"}},
		"plugins_dir":            {map[string]string{home + "features/p.yaml": "plugins: {dir: /elsewhere}"}, [3]string{"plugins_dir", "plugins.dir", "/elsewhere"}},
		"user's policy":          {map[string]string{home + "features/t.yaml": "tools: {disabled: []}", "me/.aura/config/features/t.yaml": "tools: {disabled: [Bash]}"}, [3]string{"policy", "tools.disabled", ""}},
		"user's agent":           {map[string]string{home + "agents/a.md": "---\nname: a\n---\n", "me/.aura/config/agents/b.md": "---\nname: a\n---\n"}, [3]string{"policy", "agent a", "takes the place of yours"}},
		"user's tool":            {map[string]string{home + "tools/t.yaml": "Bash: {description: hi}", "me/.aura/config/tools/t.yaml": "Bash: {disabled: true}"}, [3]string{"policy", "tool Bash", "takes the place of yours"}},
		"another tool":           {map[string]string{home + "tools/t.yaml": "Read: {description: hi}", "me/.aura/config/tools/t.yaml": "Bash: {disabled: true}"}, [3]string{}},
		"user's prompt":          {map[string]string{home + "prompts/a.md": "---\nname: safe\n---\nHi", "me/.aura/config/prompts/b.md": "---\nname: safe\n---\nHi"}, [3]string{"policy", "prompt safe", "takes the place of yours"}},
		"user's command":         {map[string]string{home + "commands/a.md": "---\nname: c\n---\nHi", "me/.aura/config/commands/b.md": "---\nname: c\n---\nHi"}, [3]string{"policy", "command c", "takes the place of yours"}},
		"user's skill":           {map[string]string{"work/.aura/skills/a.md": "---\nname: s\n---\nHi", "me/.aura/skills/b.md": "---\nname: s\n---\nHi"}, [3]string{"policy", "skill s", "takes the place of yours"}},
		"user's skill, .agents":  {map[string]string{"work/.agents/skills/s/SKILL.md": foreignSkill, "me/.aura/skills/b.md": "---\nname: s\n---\nHi"}, [3]string{"policy", "skill s", "takes the place of yours"}},
		"user's skill, .claude":  {map[string]string{"work/.claude/skills/s/SKILL.md": foreignSkill, "me/.claude/skills/s/SKILL.md": foreignSkill}, [3]string{"policy", "skill s", "takes the place of yours"}},
		"a skill of nobody":      {map[string]string{"work/.claude/skills/s/SKILL.md": foreignSkill, "work/.agents/skills/t/SKILL.md": "broken"}, [3]string{}},
		"user's server":          {map[string]string{home + "mcp/m.yaml": "m: {command: x, disabled: true}", "me/.aura/config/mcp/m.yaml": "m: {command: x}"}, [3]string{"policy", "mcp server m", "takes the place of yours"}},
		"user's opt-in":          {map[string]string{home + "agents/a.md": "---\nname: a\ntools: {enabled: [Bash, '*']}\n---\n", "me/.aura/config/features/t.yaml": "tools: {opt_in: ['B*']}"}, [3]string{"policy", "agent a: tools.enabled", "Bash, *"}},
		"opt-in of a mode":       {map[string]string{home + "features/t.yaml": "tools: {enabled: [Bash]}", "me/.aura/config/modes/m.md": "---\nname: m\nfeatures: {tools: {opt_in: [Bash]}}\n---\n"}, [3]string{"policy", "tools.enabled", "Bash"}},
		"opt-in plugin":          {map[string]string{home + "agents/a.md": "---\nname: a\ntools: {enabled: [Deploy]}\n---\n", "me/.aura/plugins/p/plugin.yaml": "opt_in: true"}, [3]string{"policy", "agent a: tools.enabled", "Deploy"}},
		"not the opt-in":         {map[string]string{home + "agents/a.md": "---\nname: a\ntools: {enabled: [Read, '*']}\n---\n", "me/.aura/config/features/t.yaml": "tools: {opt_in: [Bash]}"}, [3]string{}},
		"user's hooks":           {map[string]string{home + "agents/a.md": "---\nname: a\nhooks: {disabled: ['*']}\n---\n", "me/.aura/config/hooks/h.yaml": "h: {event: pre, command: guard}"}, [3]string{"policy", "agent a: hooks.disabled", "*"}},
		"user's mode":            {map[string]string{home + "agents/a.md": "---\nname: a\ndefault: true\nmode: yolo\n---\n", "me/.aura/config/modes/y.md": "---\nname: yolo\nfeatures: {sandbox: {enabled: false}}\n---\n"}, [3]string{"policy", "agent a: mode", "uses your mode yolo"}},
		"a mode of nobody":       {map[string]string{home + "agents/a.md": "---\nname: a\nmode: later\n---\n"}, [3]string{"policy", "agent a: mode", "uses your mode later"}},
		"user's parent":          {map[string]string{home + "agents/a.md": "---\nname: a\ninherit: [free]\n---\n", "me/.aura/config/agents/f.md": "---\nname: free\ntools: {policy: {auto: [Bash]}}\n---\n"}, [3]string{"policy", "agent a: inherit", "uses your agent free"}},
		"user's fallback":        {map[string]string{home + "agents/a.md": "---\nname: a\nfallback: [free]\n---\n", "me/.aura/config/agents/f.md": "---\nname: free\n---\n"}, [3]string{"policy", "agent a: fallback", "uses your agent free"}},
		"its own mode":           {map[string]string{home + "agents/a.md": "---\nname: a\nmode: lax\n---\n", home + "modes/l.md": "---\nname: lax\n---\n"}, [3]string{"policy", "agent a: mode", "works in mode lax"}},
		"a built-in mode":        {map[string]string{home + "agents/a.md": "---\nname: a\nmode: auto\n---\n"}, [3]string{"policy", "agent a: mode", "works in mode auto"}},
		"a built-in mode's name": {map[string]string{home + "modes/ask.md": "---\nname: ask\n---\n"}, [3]string{"policy", "mode ask", "takes the place of aura's own with this name"}},
		"the mode of sessions":   {map[string]string{home + "features/tools.yaml": "tools: {mode: auto}\n"}, [3]string{"policy", "tools.mode", "is set to auto"}},
		"mode of a mode":         {map[string]string{home + "modes/m.md": "---\nname: m\ninherit: [yolo]\n---\n", "me/.aura/config/modes/y.md": "---\nname: yolo\n---\n"}, [3]string{"policy", "mode m: inherit", "uses your mode yolo"}},
		"user's default":         {map[string]string{home + "agents/a.md": "---\nname: a\ndefault: true\n---\n", "me/.aura/config/agents/f.md": "---\nname: mine\ndefault: true\n---\n"}, [3]string{"policy", "agent a: default", "instead of yours, mine"}},
		"own choices": {map[string]string{
			home + "agents/a.md": "---\nname: a\ndefault: true\ninherit: [b]\nfallback: [b]\nmodel: {provider: anthropic, name: x}\n---\n", home + "agents/b.md": "---\nname: b\n---\n",
			home + "modes/m.md": "---\nname: m\ninherit: [n]\n---\n", home + "modes/n.md": "---\nname: n\n---\n", "me/.aura/config/agents/f.md": "---\nname: mine\nmode: yolo\n---\n", "me/.aura/config/modes/y.md": "---\nname: yolo\n---\n",
		}, [3]string{}},
		"user's things":    {map[string]string{"me/.aura/config/hooks/h.yaml": "h: {event: pre, command: guard}", "me/.aura/config/providers/p.yaml": "p: {type: openai, token: '${TOKEN}'}", "me/.aura/config/sandbox/s.yaml": "sandbox: {enabled: false}"}, [3]string{}},
		"does not parse":   {map[string]string{home + "hooks/h.yaml": "h: ["}, [3]string{"unknown", "h.yaml", "may ask for anything"}},
		"trust in project": {map[string]string{home + "features/t.yaml": "trust: any"}, [3]string{"unknown", "t.yaml", "may ask for anything"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, row.files)
			p, err := (&Gate{}).Requests(g.o)
			if err != nil {
				t.Fatal(err)
			}
			if row.want == [3]string{} {
				if len(p.Requests) > 0 {
					t.Errorf("got %+v", p.Requests)
				}
				return
			}
			if len(p.Requests) != 1 {
				t.Fatalf("got %+v", p.Requests)
			}
			r := p.Requests[0]
			if string(r.Kind) != row.want[0] || r.Name != row.want[1] || !strings.Contains(r.Text, row.want[2]) || strings.Contains(r.Text, "hunter2") {
				t.Errorf("got %+v, want %q", r, row.want)
			}
			if _, err := (&Gate{}).Load(t.Context(), g.o); !errors.As(err, new(*UntrustedError)) {
				t.Errorf("it is loaded: %v", err)
			}
			l, err := (&Gate{}).List(g.o)
			if err != nil || l.Untrusted == nil {
				t.Errorf("it is listed as trusted: %v", err)
			}
		})
	}
}

// TestRequestsOfVariables checks that the list contains what variables can switch on, and what they lead to. The environment of the
// test sets YES=true and NO=false.
func TestRequestsOfVariables(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		// want is kind, name, and a part of the text.
		want [3]string
	}{
		"plugins": {map[string]string{"work/secrets.env": "EXT=ext", home + "features/p.yaml": "plugins: {dir: '../${EXT}'}", "work/ext/p/plugin.yaml": "description: x"}, [3]string{"plugin", "p", "runs Go code"}},
		"mcp":     {map[string]string{home + "mcp/m.yaml": "m: {command: prog, disabled: '${YES}'}"}, [3]string{"mcp", "m", "prog; sets variables: -; is disabled, but variables can change that"}},
		"alias":   {map[string]string{home + "mcp/m.yaml": "a: {command: &c '${YES}'}\nm: {command: prog, disabled: *c}"}, [3]string{"mcp", "m", "prog; sets variables: -; is disabled"}},
		"hook": {
			map[string]string{home + "hooks/a.yaml": "a: {event: pre, command: x, disabled: '${YES}'}", home + "hooks/h.yaml": "h: {event: pre, command: rm it, inherit: [a]}"},
			[3]string{"hook", "h", "variables can change that: runs in your shell, "},
		},
		"confined hook": {
			map[string]string{home + "hooks/h.yaml": "h: {event: pre, command: rm it, sandbox: '${YES}'}"}, [3]string{"hook", "h", "variables can change that, at pre: rm it"},
		},
		"confined server": {
			map[string]string{home + "mcp/m.yaml": "m: {command: prog, sandbox: '${YES}'}"}, [3]string{"mcp", "m", "variables can change that: prog"},
		},
		"sandbox":   {map[string]string{home + "sandbox/s.yaml": "sandbox: {enabled: '${YES}'}"}, [3]string{"sandbox", "sandbox.enabled", "is set to true; variables can change that"}},
		"unsafe":    {map[string]string{home + "features/p.yaml": "plugins: {unsafe: '${NO}'}"}, [3]string{"unsafe", "plugins.unsafe", "variables can change that"}},
		"agent":     {map[string]string{"work/secrets.env": "N=mine", home + "agents/a.md": "---\nname: '${N}'\n---\n", "me/.aura/config/agents/f.md": "---\nname: mine\n---\n"}, [3]string{"policy", "agent mine", "takes the place of yours"}},
		"default":   {map[string]string{home + "agents/a.md": "---\nname: a\ndefault: '${NO}'\n---\n", "me/.aura/config/agents/f.md": "---\nname: mine\ndefault: true\n---\n"}, [3]string{"policy", "agent a: default", "instead of yours, mine"}},
		"condition": {map[string]string{"work/secrets.env": "F='a and bash:do it'", home + "tools/t.yaml": "Read: {condition: 'exists:${F}'}"}, [3]string{"condition", "tool Read", "what the variables hold in exists:${F}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, row.files)
			g.o.Environ = append(g.o.Environ, "YES=true", "NO=false")
			p, err := (&Gate{}).Requests(g.o)
			if err != nil || !slices.ContainsFunc(p.Requests, func(r trust.Request) bool {
				return string(r.Kind) == row.want[0] && r.Name == row.want[1] && strings.Contains(r.Text, row.want[2])
			}) {
				t.Errorf("got %+v, %v", p.Requests, err)
			}
		})
	}
}

const foreignSkill = "---\nname: s\ndescription: d\n---\nHi"

// asking holds the files of the project that the tests of the gate use.
var asking = map[string]string{home + "hooks/h.yaml": "h: {event: pre, command: x}", "work/secrets.env": "A=1"}
