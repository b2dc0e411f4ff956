package interp

import (
	"path/filepath"
	"strings"
	"testing"
)

// body is a plugin with one file, whose declarations follow from line 3 on.
const body = `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

`

// TestReject loads plugins that must be rejected and checks the whole error. The rows for what the loader refuses are in internal/golang/loader.
func TestReject(t *testing.T) {
	t.Parallel()
	const enable = `: plugins may not use this package in safe mode; set ` +
		`"plugins: unsafe: true" in features/plugins.yaml or start aura with --unsafe-plugins`
	for name, tt := range map[string]struct{ source, want string }{
		"os/exec": {body + `import "os/exec"`, `main.go:3: importing "os/exec"` + enable},
		"ASN.1 of a type of its own": {
			body + "import \"encoding/asn1\"\n\ntype t struct{ n int }\n\nvar x, _ = asn1.Marshal(t{})",
			"main.go:7: encoding/asn1.Marshal does not see the type t, which is interpreted; use encoding/json",
		},
		"syntax":    {body + "func f() {\n\tx := := 1\n}", "main.go:4:7: expected operand, found ':='"},
		"undefined": {body + "func f() int { return missing }", "main.go:3:23: undefined: missing"},
		"init panics": {
			body + "func init() {\n\tpanic(\"no luck\")\n}",
			"panic while the plugin was evaluated: no luck (in my-plugin.init, main.go:4)",
		},
		"init panics in a loop over a number": {
			body + "func init() {\n\tfor range 3 {\n\t\tpanic(\"no luck\")\n\t}\n}",
			"panic while the plugin was evaluated: no luck (in my-plugin.init, main.go:5)",
		},
		"a variable panics": {
			body + "var m = f()\n\nfunc f() int {\n\tvar n []int\n\treturn n[2]\n}",
			"panic while the plugin was evaluated: runtime error: index out of range [2] with length 0 (in my-plugin.f, main.go:7)",
		},
		"init ends its goroutine": {
			body + "import \"runtime\"\n\nfunc init() { runtime.Goexit() }",
			"an init function ended its goroutine with runtime.Goexit",
		},
		"nothing exported": {
			body + "func Helper() {}",
			"package my_plugin exports neither a hook (SessionStart, UserMessage, BeforeChat, StreamChunk, AfterResponse, BeforeToolExecution, AfterToolExecution, OnError, " +
				"BeforeCompaction, AfterCompaction, OnAgentSwitch, TransformMessages, SessionEnd) nor a tool (Schema with Execute, or Tools) nor a command " +
				"(Command with ExecuteCommand, or Commands) nor a SystemPrompt",
		},
		"almost a hook": {
			body + "import (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" +
				"func beforeChat(_ context.Context, _ sdk.BeforeChatContext) (r sdk.Result, err error) { return }",
			"package my_plugin exports neither a hook (SessionStart, UserMessage, BeforeChat, StreamChunk, AfterResponse, BeforeToolExecution, AfterToolExecution, OnError, " +
				"BeforeCompaction, AfterCompaction, OnAgentSwitch, TransformMessages, SessionEnd) nor a tool (Schema with Execute, or Tools) nor a command " +
				"(Command with ExecuteCommand, or Commands) nor a SystemPrompt; the function beforeChat is not called: did you mean BeforeChat?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, out := unpack(t, tt.source), output(t)
			_, err := Load(Options{Dir: dir, Stdout: out, Stderr: out})
			if err == nil {
				t.Fatal("it loaded")
			}
			if strings.Contains(tt.want, ".go:") && !strings.Contains(tt.want, "panic") && !strings.HasPrefix(err.Error(), dir) {
				t.Errorf("the file is not named by its path: %v", err)
			}
			got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
