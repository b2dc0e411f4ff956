package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/prompt"
)

var data = prompt.Data{
	Agent: "main", Mode: "careful", Provider: "anthropic", Model: "big", Workdir: "/here",
	Tools: prompt.Tools{Eager: []string{"Ls", "Read"}, Deferred: []string{"Push"}},
	Hooks: prompt.Hooks{
		Active: []prompt.HookInfo{{
			Name: "fmt", Description: "formats", Event: "post", Matcher: "Write|Edit", Files: "*.go", Command: "gofmt -w $FILE",
		}},
		Display: "fmt formats",
	},
	Sandbox: prompt.Sandbox{Enabled: true, Requested: false, Display: "reads all"},
	Vars:    map[string]string{"topic": "<b>", "empty": ""},
}

func TestRender(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                                "",
		"plain }} text, ${HOME} $1 <b>\n": "plain }} text, ${HOME} $1 <b>\n",
		"{{ .Agent }}/{{ .Mode }}":        "main/careful",
		"{{ .Provider }}/{{ .Model }}":    "anthropic/big",
		"{{ .Workdir }}":                  "/here",
		"{{ range .Tools.Eager }}- {{ . }}\n{{ end }}": "- Ls\n- Read\n",
		`{{ join ", " .Tools.Deferred }}`:              "Push",
		"{{ .Hooks.Display }}":                         "fmt formats",
		"{{ range .Hooks.Active }}{{ .Name }} {{ .Description }} {{ .Event }} {{ .Matcher }} {{ .Files }} {{ .Command }}{{ end }}": "fmt formats post Write|Edit *.go gofmt -w $FILE",
		"{{ .Sandbox.Enabled }} {{ .Sandbox.Requested }} {{ .Sandbox.Display }}":                                                   "true false reads all",
		"{{ .Vars.topic }}":                                                         "<b>",
		"[{{ .Vars.empty }}]":                                                       "[]",
		`[{{ index .Vars "other" | default "none" }}]`:                              "[none]",
		`[{{ .Vars.other | default "none" }}]`:                                      "[none]",
		`[{{ .Vars.topic | default "none" }}]`:                                      "[<b>]",
		`[{{ default "none" $.Vars.other }}]`:                                       "[none]",
		`{{ if .Vars.other }}{{ .Vars.other }}{{ else }}none{{ end }}`:              "none",
		`{{ if .Vars.topic }}{{ .Vars.topic }}{{ end }}`:                            "<b>",
		`{{ with .Vars.other }}{{ . }}{{ else with .Vars.topic }}{{ . }}{{ end }}`:  "<b>",
		`{{ range .Tools.Eager }}{{ $.Vars.other | quote }}{{ end }}`:               `""""`,
		`{{ if and .Mode (not .Vars.other) (eq .Vars.topic "<b>") }}yes{{ end }}`:   "yes",
		`{{ $x := .Vars.other }}[{{ $x }}]`:                                         "[]",
		`{{ define "part" }}[{{ . }}]{{ end }}{{ template "part" .Vars.other }}`:    "[]",
		`{{ define "v" }}{{ .Vars.other | upper }}{{ end }}{{ template "v" . }}!`:   "!",
		"{{ if .Mode -}}\n  In {{ .Mode }} mode.\n{{- end }}":                       "In careful mode.",
		"{{ .Agent | upper | trunc 2 }}":                                            "MA",
		`{{ define "part" }}{{ .Agent }}{{ end }}{{ template "part" . }}!`:          "main!",
		"{{/* a note */}}text":                                                      "text",
		"{{ `{{` }} stays":                                                          "{{ stays",
		`{{ if eq (now | date "2006" | len) 4 }}a year{{ end }}`:                    "a year",
		`{{ define "prompt" }}mine{{ end }}{{ template "prompt" }}`:                 "mine",
		`{{ $n := len .Tools.Eager }}{{ $n }} {{ plural "tool" "tools" $n }}`:       "2 tools",
		`{{ dict "a" 1 | toJson }} {{ list "b" "a" | sortAlpha }} {{ uuidv4|len }}`: `{"a":1} [a b] 36`,
	} {
		got, err := render("base", body, data)
		if err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", body, got, err, want)
		}
	}
}

func TestRenderRefused(t *testing.T) {
	t.Parallel()
	const at = `rendering prompt "base": `
	for body, want := range map[string]string{
		"one\ntwo {{ .Vars.missing }}": at + `line 2: <.Vars.missing>: map has no entry for key "missing"; set it with --set or in the vars of the task`,
		"\n\n{{ .Agnet }}":             at + `line 3: <.Agnet>: can't evaluate field Agnet in type prompt.Data; known: .Agent, .Mode, .Provider, .Model, .Tools, .Hooks, .Sandbox, .Workdir, .Instructions, .Vars`,
		"{{ .Tools.Lazy }}":            at + `line 1: <.Tools.Lazy>: can't evaluate field Lazy`,
		"{{ .Model.Name }}":            at + `line 1: <.Model.Name>: can't evaluate field Name in type string`,
		"{{ if }}":                     at + `line 1: missing value for if`,
		"a\n{{ if .Mode }}\nb":         at + `line 3: unexpected EOF`,
		"{{ . ":                        at + `line 1: unclosed action`,
		"a\n{{ shout .Mode }}":         at + `line 2: function "shout" not defined`,
		`{{ template "other" }}`:       at + `line 1: <{{template "other"}}>: template "other" not defined`,
		`{{ fail "no such thing" }}`:   at + `line 1: <fail "no such thing">: error calling fail: no such thing`,
		`{{ randInt 3 3 }}`:            at + `line 1: <randInt 3 3>: error calling randInt: `,
		"{{ define \"part\" }}\n{{ .Nothing }}{{ end }}\n{{ template \"part\" . }}": at + `line 2: <.Nothing>: can't evaluate field Nothing`,
		`{{ env "HOME" }}`:                     at + `line 1: function "env" not defined; it is withheld`,
		"\n{{ expandenv \"$HOME\" }}":          at + `line 2: function "expandenv" not defined; it is withheld`,
		`{{ getHostByName "models.invalid" }}`: at + `line 1: function "getHostByName" not defined; it is withheld`,

		// An unset variable.
		"{{ if .Mode }}\n{{ $.Vars.missing }}{{ end }}":                at + `line 2: <$.Vars.missing>: map has no entry for key "missing"; set it`,
		"\n{{ range .Tools.Eager }}{{ if .Vars.x }}{{ end }}{{ end }}": at + `line 2: <.Vars>: can't evaluate field Vars in type string`,
	} {
		got, err := render("base", body, data)
		if err == nil || !strings.HasPrefix(err.Error(), want) || got != "" {
			t.Errorf("%s gives %q and\n%v, want\n%s", body, got, err, want)
		}
	}
	if _, err := render("x", "{{ .Vars.y }}", prompt.Data{}); err == nil || !strings.Contains(err.Error(), `no entry for key "y"`) {
		t.Errorf("no variables at all: %v", err)
	}
}

// TestNothingLeadsOutside checks that no function gives access to anything outside the template.
func TestNothingLeadsOutside(t *testing.T) {
	t.Setenv("AURA_TEST_SECRET", "hunter2")
	for _, name := range []string{"env", "expandenv", "getenv", "getHostByName", "readFile", "readDir", "glob", "exec", "httpGet", "include", "tpl"} {
		if out, err := render("x", "{{ "+name+` "AURA_TEST_SECRET" }}`, prompt.Data{}); err == nil {
			t.Errorf("%s gives %q", name, out)
		}
	}
	for _, name := range prompt.FunctionNames() {
		lower := strings.ToLower(name)
		if slices.ContainsFunc([]string{"env", "host", "file", "http", "exec", "net"}, func(part string) bool { return strings.Contains(lower, part) }) {
			t.Errorf("what does %s do?", name)
		}
	}
}

func TestRenderDoesNotChangeTheData(t *testing.T) {
	t.Parallel()
	if _, err := render("x", "{{ range sortAlpha .Tools.Eager }}{{ . }}{{ end }}{{ reverse .Tools.Eager }}", data); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(data.Tools.Eager, []string{"Ls", "Read"}) {
		t.Errorf("got %v", data.Tools.Eager)
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"", "text", "{{ .Agent }}", "{{ .Vars.x }}", "{{ if }}", "{{ range .Tools.Eager }}{{ . }}{{ end }}", "{{", "{{ define \"a\nb\" }}{{ .X }}{{ end }}{{ template \"a\nb\" . }}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		// Functions with large numbers would only exhaust the memory.
		if strings.ContainsAny(body, "0123456789") {
			return
		}
		out, err := render("name", body, data)
		switch {
		case err != nil && (out != "" || !strings.HasPrefix(err.Error(), `rendering prompt "name": line `)):
			t.Errorf("got %q, %v", out, err)
		case err == nil && !strings.Contains(body, "{{") && out != body:
			t.Errorf("%q became %q", body, out)
		}
	})
}

// TestPlainTextIsFree checks that a text without a template needs neither parsing nor the table of functions.
func TestPlainTextIsFree(t *testing.T) {
	body := strings.Repeat("Plain text with a { and a $1.\n", 100)
	if n := testing.AllocsPerRun(10, func() {
		if out, err := render("x", body, data); err != nil || out != body {
			t.Errorf("got %q, %v", out, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// render executes a template without a location.
func render(name, body string, data prompt.Data) (string, error) {
	return prompt.Template{Name: name, Body: body}.Render(data)
}
