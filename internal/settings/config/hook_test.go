package config_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/settings/config"
)

func TestHookFields(t *testing.T) {
	t.Parallel()
	c := files{project + "hooks/deep/er/any.yaml": `
tidy:
  description: keeps ${SET} tidy
  event: post
  matcher: "Write|Edit"
  files: "*.md"
  command: 'for f in "${FILES[@]}"; do tidy ${f%.md} ${UNSET}; done; echo $${SET}'
  timeout: 30
  depends: [check]
  inherit: [check]
  silent: true
  disabled: true
check: {event: post, command: "true"}
`}.load(t)
	got := c.Hooks["tidy"]
	want := hooks.Definition{
		Name: "tidy", Description: "keeps from the process tidy", Event: "post", Matcher: "Write|Edit", Files: "*.md",
		Command: `for f in "${FILES[@]}"; do tidy ${f%.md} ${UNSET}; done; echo $${SET}`, Timeout: 30 * time.Second,
		Depends: []string{"check"}, Silent: true, Disabled: true,
	}
	if !reflect.DeepEqual(got.Definition, want) || !slices.Equal(got.Inherit, []string{"check"}) || got.Source.Home.Kind != config.HomeProject {
		t.Errorf("got %+v, want %+v", got, want)
	}
	defaults := hooks.Definition{Name: "check", Event: "post", Command: "true"}
	if got := c.Hooks["check"].Definition; !reflect.DeepEqual(got, defaults) {
		t.Errorf("got %+v, want %+v", got, defaults)
	}
	if all := c.HookDefinitions(); len(all) != 2 || all[0].Name != "check" || all[1].Name != "tidy" {
		t.Errorf("got %+v", all)
	}
	r, err := hooks.Compile(c.HookDefinitions())
	if err != nil || len(r.Post) != 1 || r.Post[0].Timeout != hooks.DefaultTimeout || len(r.Excluded) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestHooksOfAllHomes(t *testing.T) {
	t.Parallel()
	c := files{
		user + "hooks/a.yaml":             "both: {event: pre, command: user}\nbase: {event: post, command: user, timeout: 3}\n",
		project + "hooks/b.yml":           "both: {event: post, command: project}\n",
		project + "hooks/deep/c.yaml":     "heir: {inherit: [base], command: project}\n",
		project + "hooks/no.example.yaml": "hidden: {event: never}\n",
	}.load(t)
	both, heir := c.Hooks["both"], c.Hooks["heir"]
	if len(c.Hooks) != 3 || both.Event != "post" || both.Command != "project" {
		t.Errorf("got %+v", c.Hooks)
	}
	if heir.Event != "post" || heir.Command != "project" || heir.Timeout != 3*time.Second {
		t.Errorf("got %+v", heir)
	}
}

// TestHookInherits has a family of hooks in each row. The heir is checked.
func TestHookInherits(t *testing.T) {
	t.Parallel()
	const base = "base: {description: d, event: post, matcher: M, files: '*.go', command: c, timeout: 7, depends: [first], silent: true, disabled: true}\n" +
		"first: {event: post, command: f}\nsecond: {event: post, command: s}\n"
	whole := hooks.Definition{
		Name: "heir", Description: "d", Event: "post", Matcher: "M", Files: "*.go", Command: "c", Timeout: 7 * time.Second,
		Depends: []string{"first"}, Silent: true, Disabled: true,
	}
	with := func(change func(*hooks.Definition)) hooks.Definition {
		d := whole
		change(&d)
		return d
	}
	tests := map[string]struct {
		yaml string
		want hooks.Definition
	}{
		"everything": {base + "heir: {inherit: [base]}\n", whole},
		"explicit settings": {
			base + "heir: {inherit: [base], description: e, event: post, matcher: N, files: '*.md', command: e, timeout: 8, depends: [second], silent: false, disabled: false}\n",
			hooks.Definition{
				Name: "heir", Description: "e", Event: "post", Matcher: "N", Files: "*.md", Command: "e", Timeout: 8 * time.Second,
				Depends: []string{"second"},
			},
		},
		"explicit and empty": {
			base + "heir: {inherit: [base], matcher: '', files: '', depends: []}\n",
			with(func(d *hooks.Definition) { d.Matcher, d.Files, d.Depends = "", "", []string{} }),
		},
		"disabled: absent is inherited": {base + "heir: {inherit: [base], silent: true}\n", whole},
		"disabled: null is absent":      {base + "heir: {inherit: [base], disabled: }\n", whole},
		"disabled: false enables":       {base + "heir: {inherit: [base], disabled: false}\n", with(func(d *hooks.Definition) { d.Disabled = false })},
		"disabled: true disables": {
			base + "on: {inherit: [base], disabled: false}\nheir: {inherit: [on], disabled: true}\n", whole,
		},
		"the last parent wins": {
			base + "other: {event: post, command: o, disabled: false, timeout: 9}\nheir: {inherit: [base, other]}\n",
			with(func(d *hooks.Definition) { d.Command, d.Disabled, d.Timeout = "o", false, 9*time.Second }),
		},
		"from left to right": {
			base + "other: {event: post, command: o, disabled: false, timeout: 9}\nheir: {inherit: [other, base]}\n", whole,
		},
		"grandparents": {
			base + "mid: {inherit: [base], command: m}\nheir: {inherit: [mid]}\n", with(func(d *hooks.Definition) { d.Command = "m" }),
		},
		"anchors": {
			base + "x: &x {event: post, command: 'echo ${f%.go}', disabled: true}\nheir: {<<: *x, inherit: [base]}\n",
			with(func(d *hooks.Definition) { d.Command = "echo ${f%.go}" }),
		},
		"merged in place": {
			base + "heir: {<<: [{command: 'echo ${f%.go}', description: '${SET}'}], inherit: [base]}\n",
			with(func(d *hooks.Definition) { d.Command, d.Description = "echo ${f%.go}", "from the process" }),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := files{project + "hooks/h.yaml": tt.yaml}.load(t)
			if got := c.Hooks["heir"].Definition; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// TestHookChain uses a chain in which each hook inherits from the first and depends on the previous one.
func TestHookChain(t *testing.T) {
	t.Parallel()
	c := files{project + "hooks/md.yaml": `
md:wrap: {event: post, matcher: "Edit|Write", files: "*.md", silent: true, command: wrap $FILE, timeout: 15}
md:spell: {inherit: [md:wrap], depends: [md:wrap], timeout: 30, command: spell $FILE}
md:audit: {inherit: [md:wrap], depends: [md:spell], silent: false, command: audit $FILE}
`}.load(t)
	r, err := hooks.Compile(c.HookDefinitions())
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, e := range r.Post {
		got = append(got, e.Name, e.Timeout, e.Silent, e.Files, e.Matcher.String())
	}
	want := []any{
		"md:wrap", 15 * time.Second, true, "*.md", "Edit|Write",
		"md:spell", 30 * time.Second, true, "*.md", "Edit|Write",
		"md:audit", 15 * time.Second, false, "*.md", "Edit|Write",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestHookRefused(t *testing.T) {
	t.Parallel()
	const path = project + "hooks/h.yaml"
	checkRefused(t, map[string]refused{
		"unknown key":      {files{path: "a:\n  event: pre\n  comand: x\n"}, []string{`h.yaml:3: unknown key "comand" in "a"; known keys: calls, command, depends, description, disabled, event, extra, files, inherit, matcher, protocol, sandbox, silent, timeout`}},
		"duplicate key":    {files{path: "a:\n  event: pre\n  event: post\n"}, []string{`h.yaml:3: duplicate key "a.event"`}},
		"duplicate hook":   {files{path: "a: {event: pre, command: x}\na: {event: pre, command: x}\n"}, []string{`h.yaml:2: duplicate key "a"`}},
		"wrong type":       {files{path: "a:\n  timeout: soon\n"}, []string{`h.yaml:2: key "a.timeout": expected a whole number`}},
		"fraction":         {files{path: "a:\n  timeout: 1.5\n"}, []string{`h.yaml:2: key "a.timeout": expected a whole number`}},
		"wrong truth":      {files{path: "a:\n  disabled: perhaps\n"}, []string{`h.yaml:2: key "a.disabled": expected true or false`}},
		"wrong list":       {files{path: "a:\n  depends: {b: c}\n"}, []string{`h.yaml:2: key "a.depends": expected a list, got a mapping`}},
		"text for depends": {files{path: "a:\n  depends: b\n"}, []string{`h.yaml:2: key "a.depends": expected a list, got text "b" (put it in brackets)`}},
		"text for inherit": {files{path: "a:\n  inherit: b\n"}, []string{`h.yaml:2: key "a.inherit": expected a list, got text "b" (put it in brackets)`}},
		"not a map":        {files{path: "- a\n"}, []string{`h.yaml:1: expected a mapping of keys`}},
		"hook is text":     {files{path: "a: x\n"}, []string{`h.yaml:1: key "a": expected a mapping of keys`}},
		"unset variable":   {files{path: "a:\n  event: pre\n  files: ${NOT_SET}\n"}, []string{`h.yaml:3: key "a.files": the variable NOT_SET is not set`}},
		"no event":         {files{path: "a:\n  command: x\n"}, []string{`h.yaml:2: key "a.event": hook "a" has no event: set one of session_start, prompt, approval, pre, post, post_failure, stop, subagent_start, subagent_stop, pre_compact, post_compact, notification, plugin_state, session_end`}},
		"nothing":          {files{path: "a:\n"}, []string{`h.yaml:1: key "a.event": hook "a" has no event`}},
		"unknown event":    {files{path: "a:\n  command: x\n  event: during\n"}, []string{`h.yaml:3: key "a.event": hook "a": unknown event "during"; known: session_start, prompt, approval, pre, post, post_failure, stop, subagent_start, subagent_stop, pre_compact, post_compact, notification, plugin_state, session_end`}},
		"no command":       {files{path: "a:\n  event: pre\n"}, []string{`h.yaml:2: key "a.command": hook "a" has no command`}},
		"negative timeout": {files{path: "a:\n  event: pre\n  timeout: -1\n"}, []string{`h.yaml:3: key "a.timeout": hook "a": -1 is not between`}},
		"no time":          {files{path: "a:\n  event: pre\n  timeout: 0\n"}, []string{`h.yaml:3: key "a.timeout": hook "a": 0 is not between 1 and 86400 seconds; leave the key out for 10`}},
		"long timeout":     {files{path: "a:\n  timeout: 99999999999\n"}, []string{`h.yaml:2: key "a.timeout": hook "a": 99999999999 is not between`}},
		"no name":          {files{path: "'': {event: pre, command: x}\n"}, []string{`h.yaml:1: key "": "" is not a name for a hook`}},
		"broken matcher":   {files{path: "a:\n  event: pre\n  command: x\n  matcher: '(Write'\n"}, []string{`h.yaml:4: key "a.matcher": hook "a": error parsing regexp: missing closing ): ` + "`(Write`"}},
		"broken matcher of a disabled hook": {
			files{path: "a: {matcher: '[', disabled: true}\n"}, []string{`h.yaml:1: key "a.matcher": hook "a": error parsing regexp`},
		},
		"broken matcher of a parent": {
			files{path: "a: {inherit: [b], event: pre, command: x}\n", project + "hooks/p.yaml": "b:\n  disabled: true\n  matcher: '['\n"},
			[]string{`p.yaml:3: key "b.matcher": hook "a": error parsing regexp`},
		},
		"broken pattern": {files{path: "a:\n  event: pre\n  command: x\n  files: '[a'\n"}, []string{`h.yaml:4: key "a.files": hook "a": pattern "[a": syntax error in pattern`}},

		"unknown parent":     {files{path: "a:\n  inherit:\n  - b\n  - c\nb: {event: pre, command: x}\n"}, []string{`h.yaml:4: key "a.inherit": unknown hook "c" (a -> c); known: a, b`}},
		"inherits in circle": {files{path: "a: {inherit: [b]}\nb: {inherit: [c]}\nc: {inherit: [a]}\n"}, []string{`h.yaml:3: key "c.inherit": hook "a" inherits from itself: a -> b -> c -> a`}},
		"inherits itself":    {files{path: "a: {inherit: [a]}\n"}, []string{`h.yaml:1: key "a.inherit": hook "a" inherits from itself: a -> a`}},
		"unknown dependency": {
			files{path: "a:\n  event: pre\n  command: x\n  depends:\n  - b\n  - c\nb: {event: pre, command: x}\n"},
			[]string{`h.yaml:6: key "a.depends": unknown hook "c" (a -> c); known: a, b`},
		},
		"other event": {
			files{path: "a: {event: post, command: x}\nb:\n  event: pre\n  command: x\n  depends: [a]\n"},
			[]string{`h.yaml:5: key "b.depends": hook "b" has event pre, hook "a" has event post (b -> a)`},
		},
		"depends in circle": {
			files{path: "a: {event: pre, command: x, depends: [b]}\nb: {event: pre, command: x, depends: [z, c]}\n" +
				"c: {event: pre, command: x, depends: [b]}\nz: {event: pre, command: x}\n"},
			[]string{`h.yaml:3: key "c.depends": hook "b" waits for itself: b -> c -> b`},
		},
		"depends on itself": {files{path: "a: {event: pre, command: x, depends: [a]}\n"}, []string{`h.yaml:1: key "a.depends": hook "a" waits for itself: a -> a`}},
		"an inherited dependency on itself": {
			files{path: "a: {event: pre, command: x, depends: [b]}\nb: {inherit: [a]}\n"},
			[]string{`h.yaml:1: key "a.depends": hook "b" waits for itself: b -> b`},
		},
		"twice in one home": {
			files{path: "a: {event: pre, command: x}\n", project + "hooks/i.yaml": "\na: {event: pre, command: x}\n"},
			[]string{`i.yaml:2: hook "a" is declared in`, `h.yaml already`},
		},
	})
}
