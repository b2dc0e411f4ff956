package interp

import (
	"slices"
	"testing"
)

// TestDisables checks which patterns of DisableTools the exports of a plugin name, depending on how its source sets them.
func TestDisables(t *testing.T) {
	t.Parallel()
	const head = "-- go.mod --\nmodule my-plugin\n-- main.go --\npackage my_plugin\n\nimport (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" +
		"var name = \"Computed\"\n\nfunc BeforeChat(context.Context, sdk.BeforeChatContext) (r sdk.Result, err error) {\n\t"
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"nothing":           {`return sdk.Result{Message: "Bash"}, nil`, nil},
		"a literal":         {`return sdk.Result{DisableTools: []string{"Write", "Bash", "Bash"}}, nil`, []string{"Bash", "Write"}},
		"beside a variable": {`return sdk.Result{DisableTools: []string{name, "Bash"}}, nil`, []string{"Bash"}},
		"an assignment":     {`r.DisableTools = []string{"Bash"}; return`, []string{"Bash"}},
		"two assignments":   {`r.Message, r.DisableTools = "Read", []string{"Bash"}; return`, []string{"Bash"}},
		"append":            {`r.DisableTools = append(r.DisableTools, "Bash"); return`, []string{"Bash"}},
		"a call":            {`f := func() []string { return []string{"Bash"} }; r.DisableTools = f(); return`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := mustLoad(t, head+tt.body+"\n}\n").exports.Disables; !slices.Equal(got, tt.want) {
				t.Errorf("the source disables %q, want %q", got, tt.want)
			}
		})
	}
}
