package hooks_test

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/system/shell"
)

// TestMain makes the test binary its own shell, as aura does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == shell.Argument {
		os.Exit(shell.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func post(name string, depends ...string) hooks.Definition {
	return hooks.Definition{Name: name, Event: hooks.EventPost, Command: "true", Depends: depends}
}

func pre(name string, depends ...string) hooks.Definition {
	return hooks.Definition{Name: name, Event: hooks.EventPre, Command: "true", Depends: depends}
}

func disabled(d hooks.Definition) hooks.Definition {
	d.Disabled = true
	return d
}

func names(entries []hooks.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		defs      []hooks.Definition
		pre, post string
	}{
		"none":                    {},
		"alphabetical":            {[]hooks.Definition{post("c"), post("a"), post("b")}, "", "a b c"},
		"after what it waits for": {[]hooks.Definition{post("a", "c"), post("b"), post("c")}, "", "b c a"},
		"a chain":                 {[]hooks.Definition{post("a", "b"), post("b", "c"), post("c")}, "", "c b a"},
		"a diamond":               {[]hooks.Definition{post("a", "b", "c"), post("b", "d"), post("c", "d"), post("d")}, "", "d b c a"},
		"twice the same":          {[]hooks.Definition{post("a", "b", "b"), post("b")}, "", "b a"},
		"events apart":            {[]hooks.Definition{post("a", "c"), pre("b"), post("c"), pre("d"), pre("a2", "d")}, "b d a2", "c a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := hooks.Compile(tt.defs)
			if err != nil || names(r.Pre) != tt.pre || names(r.Post) != tt.post {
				t.Errorf("got %q, %q, %v", names(r.Pre), names(r.Post), err)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	with := func(change func(*hooks.Definition)) []hooks.Definition {
		d := pre("a")
		change(&d)
		return []hooks.Definition{d}
	}
	tests := map[string]struct {
		defs  []hooks.Definition
		field string
		want  string
	}{
		"regular expression": {with(func(d *hooks.Definition) { d.Matcher = "*" }), "matcher", `hook "a": error parsing regexp`},
		"pattern":            {with(func(d *hooks.Definition) { d.Files = "[" }), "files", `hook "a": pattern "["`},
		"event":              {with(func(d *hooks.Definition) { d.Event = "Pre" }), "event", `unknown event "Pre"; known: session_start, prompt, approval, pre, post, post_failure, stop, subagent_start, subagent_stop, pre_compact, post_compact, notification, plugin_state, session_end`},
		"no event":           {with(func(d *hooks.Definition) { d.Event = "" }), "event", `has no event`},
		"no command":         {with(func(d *hooks.Definition) { d.Command = " \n" }), "command", `has no command`},
		"timeout":            {with(func(d *hooks.Definition) { d.Timeout = -time.Second }), "timeout", `-1s is negative`},
		"two of a name":      {[]hooks.Definition{pre("a"), post("a")}, "name", `two hooks have this name`},
		"missing":            {[]hooks.Definition{pre("a", "b")}, "depends", `unknown hook "b" (a -> b); known: a`},
		"other event":        {[]hooks.Definition{pre("a", "b"), post("b")}, "depends", `(a -> b): a hook can wait for hooks of its own event only`},
		"itself":             {[]hooks.Definition{pre("a", "a")}, "depends", `hook "a" waits for itself: a -> a`},
		"a cycle":            {[]hooks.Definition{pre("a", "b"), pre("b", "c"), pre("c", "a"), pre("d")}, "depends", `a -> b -> c -> a`},
		"behind a cycle":     {[]hooks.Definition{pre("a", "b"), pre("b", "c"), pre("c", "b")}, "depends", `b -> c -> b`},
		"a cycle of disabled ones": {
			[]hooks.Definition{disabled(pre("a", "b")), disabled(pre("b", "a"))}, "depends", `a -> b -> a`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := hooks.Compile(tt.defs)
			var fault *hooks.Error
			if !errors.As(err, &fault) || fault.Field != tt.field || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s in %s", err, tt.want, tt.field)
			}
		})
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	defs := []hooks.Definition{post("go:fix", "go:format"), post("go:format"), post("go:lint", "go:fix"), post("js:format"), pre("guard")}
	agent := func(enabled, disabled []string) hooks.Filter {
		return hooks.Filter{Origin: `agent "A"`, Enabled: enabled, Disabled: disabled}
	}
	mode := func(enabled, disabled []string) hooks.Filter {
		return hooks.Filter{Origin: `mode "M"`, Enabled: enabled, Disabled: disabled}
	}
	const notInForce = ", which is not active"
	tests := map[string]struct {
		filters []hooks.Filter
		defs    []hooks.Definition
		active  string
		reasons []string
	}{
		"none":         {nil, defs, "guard go:format go:fix go:lint js:format", nil},
		"empty":        {[]hooks.Filter{agent(nil, nil), mode([]string{}, nil)}, defs, "guard go:format go:fix go:lint js:format", nil},
		"by name":      {[]hooks.Filter{agent(nil, []string{"guard"})}, defs, "go:format go:fix go:lint js:format", []string{`guard: agent "A" disables guard`}},
		"by wildcard":  {[]hooks.Filter{agent(nil, []string{"x", "*format"})}, defs, "guard", []string{`go:format: agent "A" disables *format`, "go:fix: it depends on go:format" + notInForce, "go:lint: it depends on go:fix" + notInForce, `js:format: agent "A" disables *format`}},
		"whole family": {[]hooks.Filter{agent(nil, []string{"go:*"})}, defs, "guard js:format", []string{`go:format: agent "A" disables go:*`, `go:fix: agent "A" disables go:*`, `go:lint: agent "A" disables go:*`}},
		"transitively": {[]hooks.Filter{mode(nil, []string{"go:format"})}, defs, "guard js:format", []string{`go:format: mode "M" disables go:format`, "go:fix: it depends on go:format" + notInForce, "go:lint: it depends on go:fix" + notInForce}},
		"only some":    {[]hooks.Filter{agent([]string{"go:f*", "guard"}, nil)}, defs, "guard go:format go:fix", []string{`go:lint: agent "A" enables only go:f*, guard`, `js:format: agent "A" enables only go:f*, guard`}},
		"enabled without its dependency": {
			[]hooks.Filter{agent([]string{"go:lint"}, nil)},
			defs, "",
			[]string{`guard: agent "A" enables only go:lint`, `go:format: agent "A" enables only go:lint`, `go:fix: agent "A" enables only go:lint`, "go:lint: it depends on go:fix" + notInForce, `js:format: agent "A" enables only go:lint`},
		},
		"disabled after enabled": {[]hooks.Filter{agent([]string{"go:f*"}, []string{"go:fix"})}, defs[:2], "go:format", []string{`go:fix: agent "A" disables go:fix`}},
		"agent, then mode": {
			[]hooks.Filter{agent([]string{"go:*"}, nil), mode([]string{"*"}, []string{"go:lint"})},
			defs, "go:format go:fix",
			[]string{`guard: agent "A" enables only go:*`, `go:lint: mode "M" disables go:lint`, `js:format: agent "A" enables only go:*`},
		},
		"a mode does not widen": {[]hooks.Filter{agent(nil, []string{"guard"}), mode([]string{"guard"}, nil)}, defs[4:], "", []string{`guard: agent "A" disables guard`}},
		"disabled by itself":    {nil, []hooks.Definition{post("a", "b"), disabled(post("b")), post("c", "a")}, "", []string{"b: it is disabled by its own setting", "a: it depends on b" + notInForce, "c: it depends on a" + notInForce}},
		"only to inherit from":  {nil, []hooks.Definition{{Name: "base", Disabled: true}, post("a"), disabled(pre("p"))}, "a", []string{"p: it is disabled by its own setting", "base: it is disabled by its own setting"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := hooks.Compile(tt.defs, tt.filters...)
			if err != nil {
				t.Fatal(err)
			}
			var reasons []string
			for _, e := range r.Excluded {
				reasons = append(reasons, e.Name+": "+e.Reason)
			}
			if got := names(slices.Concat(r.Pre, r.Post)); got != tt.active || !slices.Equal(reasons, tt.reasons) {
				t.Errorf("got %q, %q", got, reasons)
			}
		})
	}
}

func TestMatchedPaths(t *testing.T) {
	t.Parallel()
	paths := []string{"/p/a.go", "/p/go/b.md", "/p/c d.go", "/p/.go", "/p/[x].go"}
	tests := []struct {
		files string
		want  []string
	}{
		{"", paths},
		{"*.go", []string{"/p/a.go", "/p/c d.go", "/p/.go", "/p/[x].go"}},
		{"?.*", []string{"/p/a.go", "/p/go/b.md"}},
		{"[ab].*", []string{"/p/a.go", "/p/go/b.md"}},
		{`\[x\].go`, []string{"/p/[x].go"}},
		{"go/*", nil},
		{"*.GO", nil},
		{"[", nil},
	}
	for _, tt := range tests {
		if got := (hooks.Entry{Files: tt.files}).MatchedPaths(paths); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q", tt.files, got)
		}
	}
	if got := (hooks.Entry{}).MatchedPaths(nil); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestSkip(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		matcher, files string
		paths          []string
		want           string
	}{
		"matches all":          {"", "", nil, ""},
		"the name":             {"Write", "", nil, ""},
		"a part of it":         {"rit", "", nil, ""},
		"one of several":       {"Patch|Write", "", nil, ""},
		"another":              {"^Bash$", "", nil, "the matcher ^Bash$ does not match tool Write"},
		"case counts":          {"write", "", nil, "the matcher write does not match tool Write"},
		"a file":               {"", "*.go", []string{"/a.md", "/b.go"}, ""},
		"no such file":         {"Write", "*.go", []string{"/a.md"}, "no file of the call matches *.go"},
		"no file at all":       {"", "*.go", nil, "no file of the call matches *.go"},
		"files, no pattern":    {"Write", "", []string{"/a.md"}, ""},
		"tool before the file": {"Bash", "*.go", []string{"/b.go"}, "the matcher Bash does not match tool Write"},
	}
	for name, tt := range map[string]struct {
		command string
		gone    []string
		want    string
	}{
		"uses the files":         {"gofmt -w $FILE", []string{"/a.go", "/b.go"}, "the call deleted the files"},
		"uses the array":         {`gofmt -w "${FILES[@]}"`, []string{"/a.go", "/b.go"}, "the call deleted the files"},
		"one is left":            {"gofmt -w $FILE", []string{"/a.go"}, ""},
		"does not use the files": {"go build ./...", []string{"/a.go", "/b.go"}, ""},
	} {
		e := hooks.Entry{Event: hooks.EventPost, Files: "*.go", Command: tt.command}
		if got := e.Skip(hooks.Call{Tool: "Patch", Paths: []string{"/a.go", "/b.go", "/c.md"}, Gone: tt.gone}); got != tt.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := hooks.Entry{Files: tt.files}
			if tt.matcher != "" {
				e.Matcher = regexp.MustCompile(tt.matcher)
			}
			if got := e.Skip(hooks.Call{Tool: "Write", Paths: tt.paths}); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	r, err := hooks.Compile([]hooks.Definition{pre("a"), post("b", "c"), disabled(post("c"))})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "a|", "b": "|b", "c": "|c"} {
		one, ok := r.Only(name)
		if got := names(one.Pre) + "|" + names(one.Post); !ok || got != want || one.Excluded != nil {
			t.Errorf("%s: got %q, %v", name, got, ok)
		}
	}
	if _, ok := r.Only("d"); ok {
		t.Error("found a hook that is not there")
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	r, err := hooks.Compile([]hooks.Definition{
		{Name: "fmt", Description: "formats\n  Go", Event: "post", Matcher: "Write|Edit", Files: "*.go", Command: "gofmt -w $FILE"},
		{Name: "bare", Event: "post", Matcher: "Write", Command: "true"},
		{Name: "any", Description: "looks", Event: "pre", Command: "true"},
		{Name: "off", Event: "pre", Command: "true", Disabled: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := prompt.Hooks{
		Active: []prompt.HookInfo{
			{Name: "any", Description: "looks", Event: "pre", Command: "true"},
			{Name: "bare", Event: "post", Matcher: "Write", Command: "true"},
			{Name: "fmt", Description: "formats\n  Go", Event: "post", Matcher: "Write|Edit", Files: "*.go", Command: "gofmt -w $FILE"},
		},
		Display: "- any (pre): looks\n- bare (post)\n- fmt (post, tools: Write|Edit, files: *.go): formats Go",
	}
	if got := r.Prompt(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := (hooks.Runner{}).Prompt(); got.Active != nil || got.Display != "" {
		t.Errorf("got %+v", got)
	}
}

// TestCalls has a row for each event: whether a hook runs for a call that it selects, that may hide what it selects, or that does more.
func TestCalls(t *testing.T) {
	t.Parallel()
	lines := []string{"git push", "ls", "git push $(cat x)", "$(cat x)", "git push && ls"}
	for event, want := range map[string]string{
		hooks.EventPre:         "git push; git push $(cat x); $(cat x); git push && ls",
		hooks.EventPost:        "git push; git push $(cat x); git push && ls",
		hooks.EventPostFailure: "git push; git push $(cat x); git push && ls",
		hooks.EventApproval:    "git push",
	} {
		r, err := hooks.Compile([]hooks.Definition{{Name: "a", Event: event, Command: "true", Calls: []string{"Bash:git *", "Edit:src/*"}}})
		if err != nil {
			t.Fatal(err)
		}
		e := r.Active()[0]
		var ran []string
		for _, line := range lines {
			if e.Skip(hooks.Call{Tool: "Bash", Input: map[string]any{"command": line}}) == "" {
				ran = append(ran, line)
			}
		}
		if got := strings.Join(ran, "; "); got != want {
			t.Errorf("%s runs for %s, want %s", event, got, want)
		}
		if e.Skip(hooks.Call{Tool: "Edit", Dir: "/w", Input: map[string]any{"path": "/w/src/a"}}) != "" {
			t.Errorf("%s does not run for a path below its directory", event)
		}
		if why := e.Skip(hooks.Call{Tool: "Read", Input: map[string]any{"path": "src/a"}}); why != "its calls do not match the call" {
			t.Errorf("%s: %q", event, why)
		}
	}
	for _, wrong := range []hooks.Definition{
		{Name: "a", Event: hooks.EventStop, Command: "true", Calls: []string{"Bash"}}, {Name: "a", Event: hooks.EventPre, Command: "true", Calls: []string{"Bash:"}},
	} {
		if _, err := hooks.Compile([]hooks.Definition{wrong}); err == nil || !strings.Contains(err.Error(), "calls") {
			t.Errorf("%s: got %v", wrong.Event, err)
		}
	}
}
