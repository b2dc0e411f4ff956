package pluginsource_test

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

func TestAlmostHooks(t *testing.T) {
	t.Parallel()
	const sdk = "import \"github.com/idelchi/aura/sdk\"\n"
	for rule, tt := range map[string]struct {
		source string
		want   []string
	}{
		"a typo":                     {sdk + "func BeforeChatt(c sdk.BeforeChatContext) {}", []string{"BeforeChatt BeforeChat"}},
		"a pointer to a type of it":  {sdk + "func BeforeChatt(c *sdk.BeforeChatContext) {}", []string{"BeforeChatt BeforeChat"}},
		"under another name":         {"import s \"github.com/idelchi/aura/sdk\"\nfunc BeforeChatt(c s.BeforeChatContext) {}", []string{"BeforeChatt BeforeChat"}},
		"nothing of the SDK":         {sdk + "func BeforeChatt(c int) {}", nil},
		"another package called sdk": {"import \"example.com/sdk\"\nfunc BeforeChatt(c sdk.X) {}", nil},
		"a helper beside its hook":   {sdk + "func beforeChat(c sdk.Context) {}\nfunc BeforeChat(c sdk.BeforeChatContext) {}", nil},
		"a helper beside a variable": {sdk + "func beforeChat(c sdk.Context) {}\nvar BeforeChat = hook", nil},
		"a method":                   {sdk + "type T int\nfunc (T) BeforeChatt(c sdk.BeforeChatContext) {}", nil},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package p\n"+tt.source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range pluginsource.AlmostHooks(pluginsource.Declarations(f)) {
				got = append(got, a.Name.Name+" "+string(a.Meant))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
