package interp

import (
	"slices"
	"strings"
	"testing"
)

// TestUnread checks which lists a plugin cannot read, depending on how its source uses a context.
func TestUnread(t *testing.T) {
	t.Parallel()
	const (
		head  = "package my_plugin\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\nvar _ = fmt.Sprint\n\n"
		chat  = head + "func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {\n"
		quiet = chat + "\treturn sdk.Result{}, nil\n}\n"
	)
	all := []string{"Turns", "ToolHistory", "Messages"}
	body := func(code string) string { return chat + "\t" + code + "\n\treturn sdk.Result{}, nil\n}\n" }
	for name, tt := range map[string]struct {
		source string
		want   []string
	}{
		"nothing used":            {quiet, all},
		"other fields":            {body("_ = c.Stats.Turns + c.Iteration + c.Context.MessageCount"), all},
		"a list":                  {body("_ = len(c.ToolHistory)"), []string{"Turns", "Messages"}},
		"a list of the base":      {body("_ = len(c.Context.Turns)"), []string{"ToolHistory", "Messages"}},
		"in a closure":            {body("defer func() { _ = c.Turns }()"), []string{"ToolHistory", "Messages"}},
		"handed on":               {body("log(c.Context, 1)") + "func log(c sdk.Context, n int) { _ = c.Turns }\n", []string{"ToolHistory", "Messages"}},
		"handed on, unused":       {body("log(c.Context, 1)") + "func log(c sdk.Context, n int) { _ = c.Agent }\n", all},
		"of a method":             {quiet + "type t int\n\nfunc (t) m(c sdk.Context) { _ = c.ToolHistory }\n", []string{"Turns", "Messages"}},
		"a name of its own":       {"package my_plugin\n\nimport (\n\t\"context\"\n\n\tapi \"github.com/idelchi/aura/sdk\"\n)\n\nfunc BeforeChat(_ context.Context, c api.BeforeChatContext) (api.Result, error) {\n\t_ = c.Turns\n\treturn api.Result{}, nil\n}\n", []string{"ToolHistory", "Messages"}},
		"dot import":              {"package my_plugin\n\nimport (\n\t\"context\"\n\n\t. \"github.com/idelchi/aura/sdk\"\n)\n\nfunc BeforeChat(_ context.Context, c BeforeChatContext) (Result, error) {\n\treturn Result{}, nil\n}\n", nil},
		"printed":                 {body("fmt.Println(c)"), nil},
		"printed, the base":       {body("fmt.Println(c.Context)"), nil},
		"printed by a pointer":    {body("fmt.Println(&c)"), nil},
		"kept":                    {body("kept = c.Context") + "var kept any\n", nil},
		"copied":                  {body("d := c\n\tfmt.Println(d)"), nil},
		"in a variable":           {quiet + "var kept sdk.Context\n", nil},
		"in a type":               {quiet + "type kept struct{ sdk.Context }\n", nil},
		"under another name":      {"package my_plugin\n\nimport (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\ntype C = sdk.BeforeChatContext\n\nfunc BeforeChat(_ context.Context, c C) (sdk.Result, error) {\n\treturn sdk.Result{}, nil\n}\n", nil},
		"returned":                {quiet + "func same(c sdk.Context) any { return c }\n", nil},
		"result type":             {quiet + "func none() (c sdk.Context) { return }\n", nil},
		"handed to any":           {body("log(c.Context)") + "func log(v any) {}\n", nil},
		"handed to a type":        {body("log(c.Context)") + "func log[T any](v T) {}\n", nil},
		"handed to many":          {quiet + "func log(c ...sdk.Context) {}\n", nil},
		"handed to a local":       {body("log := func(v any) { fmt.Println(v) }\n\tlog(c.Context)") + "func log(c sdk.Context) {}\n", nil},
		"handed to a parameter":   {body("with(c.Context, func(v any) {})") + "func with(c sdk.Context, log func(any)) { log(c) }\nfunc log(c sdk.Context) {}\n", nil},
		"handed to a method":      {body("t(0).m(c.Context)") + "type t int\n\nfunc (t) m(v any) {}\n", nil},
		"in brackets":             {body("_ = (c).Turns"), nil},
		"in another own package":  {body("a.Log(c.Context)") + "-- a/a.go --\npackage a\n\nimport \"github.com/idelchi/aura/sdk\"\n\nfunc Log(c sdk.Context) {}\n", nil},
		"read by another package": {quiet + "-- b.go --\npackage my_plugin\n\nimport _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nimport \"github.com/idelchi/aura/sdk\"\n\nfunc Log(c sdk.Context) { _ = c.Turns }\n", []string{"ToolHistory", "Messages"}},
		"read by a vendored one":  {quiet + "-- b.go --\npackage my_plugin\n\nimport _ \"a.com/a\"\n-- vendor/a.com/a/a.go --\npackage a\n\nimport \"github.com/idelchi/aura/sdk\"\n\nfunc Log(c sdk.Context) { _ = c.Turns }\n", []string{"ToolHistory", "Messages"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := tt.source
			if strings.Contains(source, "a.Log(") {
				source = strings.Replace(source, "\t\"fmt\"\n", "\t\"fmt\"\n\n\t\"my-plugin/a\"\n", 1)
			}
			p := mustLoad(t, "-- go.mod --\nmodule my-plugin\n-- main.go --\n"+source)
			if got := p.exports.Unread; !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
