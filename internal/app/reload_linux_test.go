package app

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/frontend"
)

// TestReloadedVariables changes an env file in a running session: after /reload, plugins and their conditions have the new value.
func TestReloadedVariables(t *testing.T) {
	t.Parallel()
	const source = `package holder

import (
	"context"
	"os"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "holder"} }

func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: os.Getenv("KEPT")}, nil
}

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Notice: "the condition holds"}, nil
}
`
	p, s, out := openRights(t, right{
		source: source, on: "sandbox: {env: [KEPT]}", manifest: "env: [KEPT]\ncondition: 'bash:test \"$KEPT\" = new'",
	})
	p.o.Gate.Trust = true // the env file is new
	for _, value := range []string{"old", "new"} {
		p.write("secrets.env", "KEPT="+value+"\n")
		if err := frontend.Run(t.Context(), s, []string{"/reload", "/holder", "hi"}); err != nil {
			t.Fatal(err)
		}
		if holds := strings.Contains(out.told(), "the condition holds"); holds != (value == "new") {
			t.Errorf("with %s, the condition holds: %t\n%s", value, holds, out.told())
		}
	}
	check(t, "said", out.said(), "new\n$")
}
