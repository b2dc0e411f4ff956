package app

import (
	"strings"
	"testing"
)

// TestUnmatchedTools checks which patterns of tools are reported.
func TestUnmatchedTools(t *testing.T) {
	t.Parallel()
	const features = ".aura/config/features/tools.yaml"
	for name, tt := range map[string]struct {
		file, content string
		change        func(*Options)
		// want is empty if nothing is reported.
		want string
	}{
		"denied in another case": {features, "tools: {policy: {deny: [bash]}}", nil, `the policy of tools: in the settings denies "bash", which matches no tool; did you mean "Bash"?`},
		"denied commands":        {features, "tools: {policy: {deny: ['bash:rm *']}}", nil, `denies "bash:rm *", which matches no tool; did you mean "Bash"?`},
		"asked for":              {features, "tools: {policy: {confirm: [Wirte]}}", nil, `asks before "Wirte", which matches no tool; did you mean "Write"?`},
		"allowed":                {features, "tools: {policy: {auto: [Reed]}}", nil, `allows "Reed", which matches no tool; did you mean "Read"?`},
		"enabled":                {features, "tools: {enabled: [Reed, Ls]}", nil, `tools: in the settings enables "Reed", which matches no tool; did you mean "Read"?`},
		"disabled":               {features, "tools: {disabled: [Basch]}", nil, `disables "Basch", which matches no tool; did you mean "Bash"?`},
		"opt-in":                 {features, "tools: {opt_in: [write]}", nil, `opt_in: in the settings names "write", which matches no tool; did you mean "Write"?`},
		"by an agent": {
			".aura/config/agents/a.md", "---\nname: a\ndefault: true\ntools: {disabled: [bash]}\n---\n", nil, `agent "a" disables "bash", which matches no tool`,
		},
		"included": {"x", "", func(o *Options) { o.IncludeTools = []string{"Reed", "Ls"} }, `--include-tools enables "Reed", which matches no tool; did you mean "Read"?`},
		"excluded": {"x", "", func(o *Options) { o.ExcludeTools = []string{"bash"} }, `--exclude-tools disables "bash", which matches no tool; did you mean "Bash"?`},

		"right names":                {features, "tools: {enabled: [Read, 'L*', Bash], policy: {deny: ['Bash:rm *', Write]}}", nil, ""},
		"a tool of other sessions":   {features, "tools: {policy: {deny: [Task, Skill, LoadTools]}}", nil, ""},
		"perhaps a plugin's":         {features, "tools: {policy: {deny: [Notepad]}}", nil, ""},
		"all tools":                  {features, "tools: {policy: {deny: ['*']}}", nil, ""},
		"a pattern for nothing near": {features, "tools: {policy: {deny: ['Note*']}}", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{tt.file: tt.content})
			if tt.change != nil {
				tt.change(&p.o)
			}
			told := p.run(t.Context()).told()
			if tt.want == "" && strings.Contains(told, "matches no") || !strings.Contains(told, tt.want) {
				t.Errorf("got %q, want %q", told, tt.want)
			}
		})
	}
}
