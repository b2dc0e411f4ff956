package hidden_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/hidden"
)

// TestRules checks which paths are hidden by name. A layer of the project cannot cancel what another one hides, or what is hidden by default.
func TestRules(t *testing.T) {
	t.Parallel()
	own := func(patterns ...string) hidden.Layer {
		return hidden.Layer{Source: "own.yaml", Patterns: patterns, Own: true}
	}
	project := func(patterns ...string) hidden.Layer {
		return hidden.Layer{Source: "project.yaml", Patterns: patterns}
	}
	for name, tt := range map[string]struct {
		layers []hidden.Layer
		path   string
		// want is a part of the reason; empty if the path is not hidden.
		want string
	}{
		"by default":                   {nil, "a/secrets.env", "hidden by default"},
		"another name":                 {nil, "a/secrets.env.txt", ""},
		"an env file":                  {nil, "conf/app.env", "an env file in use"},
		"exempt":                       {[]hidden.Layer{own("!secrets.env")}, "secrets.env", ""},
		"exempt below a directory":     {[]hidden.Layer{own("!examples/")}, "examples/a/secrets.env", ""},
		"an env file that is exempt":   {[]hidden.Layer{own("!app.env")}, "conf/app.env", ""},
		"not exempt by the project":    {[]hidden.Layer{project("!secrets.env")}, "secrets.env", "hidden by default"},
		"a pattern":                    {[]hidden.Layer{project(".env*")}, "a/b/.env.local", `the pattern ".env*" of sandbox.hidden (project.yaml)`},
		"the last pattern":             {[]hidden.Layer{own(".env*", "*.key")}, "x.key", `the pattern "*.key" of sandbox.hidden (own.yaml)`},
		"cancelled in the same layer":  {[]hidden.Layer{own(".env*", "!.env.example")}, ".env.example", ""},
		"not cancelled by the project": {[]hidden.Layer{own(".env*"), project("!.env")}, ".env", "own.yaml"},
		"not cancelled by the user":    {[]hidden.Layer{project(".env*"), own("!.env")}, ".env", "project.yaml"},
		"a directory":                  {[]hidden.Layer{own("private/")}, "a/private/b/c", "private/"},
		"a file like a directory":      {[]hidden.Layer{own("private/")}, "a/private", ""},
		"in a hidden directory":        {[]hidden.Layer{own("private/", "!c")}, "private/c", "private/"},
		"at the top only":              {[]hidden.Layer{own("/key")}, "a/key", ""},
		"outside":                      {[]hidden.Layer{own("*")}, "../x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.FromSlash("/w/p")
			r := &hidden.Rules{Dir: dir, Layers: tt.layers, Files: []hidden.File{{Path: filepath.Join(dir, "conf", "app.env"), Why: "it is an env file in use"}}}
			got, ok := r.Why(filepath.Join(dir, filepath.FromSlash(tt.path)))
			if ok != (tt.want != "") || !strings.Contains(got.Text, tt.want) {
				t.Errorf("%v %q", ok, got.Text)
			}
		})
	}
}

// TestStricter compares rules.
func TestStricter(t *testing.T) {
	t.Parallel()
	rules := func(layers ...hidden.Layer) *hidden.Rules { return &hidden.Rules{Dir: "/w", Layers: layers} }
	a, b := hidden.Layer{Source: "a", Patterns: []string{"x"}}, hidden.Layer{Source: "b", Patterns: []string{"!k"}, Own: true}
	for name, tt := range map[string]struct {
		one, other *hidden.Rules
		want       bool
	}{
		"none":              {nil, rules(a), false},
		"than none":         {rules(), nil, true},
		"equal":             {rules(a, b), rules(a, b), false},
		"more patterns":     {rules(a), rules(), true},
		"fewer patterns":    {rules(), rules(a), false},
		"more exemptions":   {rules(b), rules(), true},
		"fewer exemptions":  {rules(), rules(b), true},
		"another directory": {&hidden.Rules{Dir: "/v"}, rules(), true},
		"another env file":  {&hidden.Rules{Dir: "/w", Files: []hidden.File{{Path: "/w/e"}}}, rules(), true},
	} {
		if got := tt.one.Stricter(tt.other); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestIn checks that patterns of a layer that counts everywhere hide files of another directory, and nothing else does.
func TestIn(t *testing.T) {
	t.Parallel()
	r := &hidden.Rules{Dir: "/w", Layers: []hidden.Layer{{Source: "own", Patterns: []string{"*.txt"}}, {Source: "machine", Patterns: []string{"*.pem", "/conf"}, Everywhere: true}}}
	other := r.In("/o")
	for path, want := range map[string]bool{"/o/a.pem": true, "/o/s/a.pem": true, "/o/conf/x": true, "/o/s/conf/x": false, "/o/a.txt": false, "/o/secrets.env": false, "/p/a.pem": false} {
		if _, got := other.Why(path); got != want {
			t.Errorf("%s is hidden: %t", path, got)
		}
	}
	if r.In("/w/sub") != nil || (&hidden.Rules{Dir: "/w", Layers: r.Layers[:1]}).In("/o") != nil || (*hidden.Rules)(nil).In("/o") != nil {
		t.Error("there are rules for a directory that needs none")
	}
}
