package interp

import (
	"path/filepath"
	"runtime"
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

// TestReject loads plugins that must be rejected and checks the whole error.
func TestReject(t *testing.T) {
	t.Parallel()
	const enable = `: plugins may not use this package in safe mode; to allow it for all plugins set ` +
		`"plugins: unsafe: true" in features/plugins.yaml or start aura with --unsafe-plugins`
	for name, tt := range map[string]struct{ source, want string }{
		"os/exec": {body + `import "os/exec"`, `main.go:3: importing "os/exec"` + enable},
		"syscall": {body + "import (\n\t\"fmt\"\n\t\"syscall\"\n)", `main.go:5: importing "syscall"` + enable},
		"unsafe":  {body + `import _ "unsafe"`, `main.go:3: importing "unsafe"` + enable},
		"cgo":     {body + `import "C"`, `main.go:3: import "C" is not possible: plugins are interpreted, cgo is not`},
		"restricted in a vendored package": {
			body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\n// Package x.\npackage x\n\nimport \"os/exec\"",
			`vendor/example.com/x/x.go:4: importing "os/exec"` + enable,
		},
		"cgo in a vendored package": {
			body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\npackage x\n\nimport \"C\"",
			`vendor/example.com/x/x.go:3: import "C" is not possible: plugins are interpreted, cgo is not`,
		},
		"not vendored": {
			body + `import "example.com/x"`,
			`main.go:3: importing "example.com/x": not vendored; run "go mod vendor" in the plugin's directory`,
		},
		"a literal that recovers is kept": {
			body + "func f() {\n\trescue := func() { _ = recover() }\n\tdefer rescue()\n}",
			"main.go:4: a function literal that calls recover is kept; the interpreter recovers only in a literal that is deferred where it is written: defer func() { ... }()",
		},
		"reflection on a type of its own": {
			body + "import \"reflect\"\n\ntype t struct{ n int }\n\nvar x = reflect.ValueOf(t{})",
			"main.go:7: reflect.ValueOf does not see the type t, which is interpreted; use a type switch, or reflect.TypeOf",
		},
		"a type that the library has only for compiled code": {
			body + "import \"sync/atomic\"\n\nvar x atomic.Pointer[int]",
			"main.go:5:14: undefined: atomic.Pointer (the interpreter's standard library is that of Go 1.22, with generic functions and types only in cmp, iter, maps and slices)",
		},
		"no such own package": {
			body + `import "my-plugin/sub/words"`,
			`main.go:3: importing "my-plugin/sub/words": there is no directory sub/words`,
		},
		"an own package without files": {
			body + "import \"my-plugin/sub\"\n-- sub/readme.txt --\nnothing",
			`main.go:3: importing "my-plugin/sub": no Go files for SYSTEM in sub`,
		},
		"an own package in a hidden directory": {
			body + "import _ \"my-plugin/.sub\"\n-- .sub/a.go --\npackage sub",
			`main.go:3: importing "my-plugin/.sub": hidden directories are not part of a plugin, rename it`,
		},
		"a vendored package in a hidden directory": {
			body + "import _ \"example.com/.x/y\"\n-- vendor/example.com/.x/y/a.go --\npackage y",
			`main.go:3: importing "example.com/.x/y": hidden directories are not part of a plugin, rename it`,
		},
		"relative import": {
			body + `import "./sub"`,
			`main.go:3: importing "./sub": relative imports do not exist in modules, write "my-plugin/sub"`,
		},
		"a doubled name": {
			body + "import \"my-plugin/my-plugin\"\n-- my-plugin/a.go --\npackage a",
			`main.go:3: importing "my-plugin/my-plugin": the interpreter cannot tell "my-plugin/my-plugin" from "my-plugin", rename one of them`,
		},
		"a circle": {
			body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nimport _ \"my-plugin/b\"\n-- b/b.go --\npackage b\n\nimport _ \"my-plugin/a\"",
			`b/b.go:3: importing "my-plugin/a": the packages import each other in a cycle`,
		},
		"two package names in a directory": {
			body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n-- a/b.go --\n\npackage b",
			"a/b.go:2: package b, but other files of the directory are package a",
		},
		"the name of a standard package": {
			"-- go.mod --\nmodule strings\n-- main.go --\npackage strings\n",
			`go.mod: module "strings" has the name of a standard library package, choose another`,
		},
		"an SDK that is too new": {
			body + "-- vendor/github.com/idelchi/aura/sdk/version/version.go --\npackage version\n\nconst Version = \"0.2.0\"",
			"plugin requires SDK ~0.2.0, host has 0.1.1",
		},
		"syntax with a line directive": {body + "//line /etc/passwd:1\nfunc f() {\n\tx := := 1\n}", "main.go:5:7: expected operand, found ':='"},
		"syntax":                       {body + "func f() {\n\tx := := 1\n}", "main.go:4:7: expected operand, found ':='"},
		"syntax in a vendored package": {
			body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\npackage x\n\nfunc (",
			"vendor/example.com/x/x.go:3:8: expected ')', found 'EOF'",
		},
		"package name": {
			"-- go.mod --\nmodule example.com/my-plugin\n-- main.go --\n// Comment.\npackage main\n",
			"main.go:2: package is main, but the module path in go.mod asks for package my_plugin (its last element, with underscores for hyphens)",
		},
		"no source": {"-- go.mod --\nmodule my-plugin\n", "DIR has no Go files: write at least one that declares package my_plugin"},
		"undefined": {body + "func f() int { return missing }", "main.go:3:23: undefined: missing"},
		"undefined in an own package": {
			body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nfunc f() { missing() }",
			"a/a.go:3:12: undefined: missing",
		},
		"no such function": {
			body + "import \"strings\"\n\nvar x = strings.Nothing()",
			"main.go:5:17: undefined: strings.Nothing (the interpreter's standard library is that of Go 1.22, with generic functions and types only in cmp, iter, maps and slices)",
		},
		"init panics": {
			body + "func init() {\n\tpanic(\"no luck\")\n}",
			"panic while the plugin was evaluated: no luck (in my-plugin.init, main.go:4)",
		},
		"a variable panics": {
			body + "var m = f()\n\nfunc f() int {\n\tvar n []int\n\treturn n[2]\n}",
			"panic while the plugin was evaluated: runtime error: index out of range (in my-plugin.f, main.go:6)",
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
			got = strings.ReplaceAll(got, dir, "DIR")
			got = strings.ReplaceAll(got, runtime.GOOS+"/"+runtime.GOARCH, "SYSTEM")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
