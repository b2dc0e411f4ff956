//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// deputy is an attack through a process that aura starts for a setting: Bash writes what the process runs or reads. The attack does harm if
// anything is written in the home directory.
type deputy struct {
	// files are the user's own settings, by path. @dir is replaced by the project.
	files map[string]string
	// env holds variables of the user.
	env []string
	// line is the command line of Bash. @harm is replaced by a command that does the harm.
	line string
	// told is a pattern of what aura prints in the sandbox.
	told string
	// needs is the program that the attack goes through.
	needs testneed.Ability
}

const (
	harm       = `echo x >"$HOME/pwned"`
	writeHook  = "d: {event: post, matcher: Write, command: "
	outside    = ", sandbox: off"
	planting   = `printf '#!/bin/sh\n@harm\n' >FILE; chmod +x FILE`
	hooksFile  = ".aura/config/hooks/d.yaml"
	serverFile = ".aura/config/mcp/d.yaml"
)

func scriptAt(file string) string { return strings.ReplaceAll(planting, "FILE", file) }

var deputies = map[string]deputy{
	"script of a hook":               {files: map[string]string{hooksFile: writeHook + "sh ./lint.sh}"}, line: scriptAt("lint.sh")},
	"program of node_modules":        {files: map[string]string{hooksFile: writeHook + "node_modules/.bin/eslint $FILE}"}, line: "mkdir -p node_modules/.bin; " + scriptAt("node_modules/.bin/eslint")},
	"virtual environment":            {files: map[string]string{hooksFile: writeHook + "ruff format $FILE}"}, env: []string{"PATH=@dir/.venv/bin:/usr/bin:/bin"}, line: "mkdir -p .venv/bin; " + scriptAt(".venv/bin/ruff")},
	"settings that are code":         {files: map[string]string{hooksFile: writeHook + ". ./formatter.conf}"}, line: scriptAt("formatter.conf")},
	"hook with more paths":           {files: map[string]string{hooksFile: writeHook + "sh ./lint.sh, extra: {rw: [../temp]}}"}, line: scriptAt("lint.sh")},
	"hook outside, by path":          {files: map[string]string{hooksFile: writeHook + "@dir/lint.sh" + outside + "}"}, line: scriptAt("lint.sh"), told: "lint.sh: not started, because tools can write to"},
	"hook outside, by relative path": {files: map[string]string{hooksFile: writeHook + "./lint.sh" + outside + "}"}, line: scriptAt("lint.sh")},
	"hook outside, by an argument":   {files: map[string]string{hooksFile: writeHook + "sh lint.sh" + outside + "}"}, line: scriptAt("lint.sh")},
	"hook outside, by a link":        {files: map[string]string{hooksFile: writeHook + "@dir/../bin/lint" + outside + "}", "../bin/x": ""}, line: scriptAt("lint.sh"), told: "lint: not started, because tools can write to"},
	"hook outside, by PATH": {
		files: map[string]string{hooksFile: writeHook + "ruff" + outside + "}"}, env: []string{"PATH=@dir/.venv/bin:/usr/bin:/bin"},
		line: "mkdir -p .venv/bin; " + scriptAt(".venv/bin/ruff"), told: "ruff: not started, because tools can write to",
	},
	"hook outside, by the PATH of its program": {
		files: map[string]string{hooksFile: writeHook + "sh -c ruff" + outside + "}"}, env: []string{"PATH=@dir/.venv/bin:/usr/bin:/bin"},
		line: "mkdir -p .venv/bin; " + scriptAt(".venv/bin/ruff"),
	},
	"condition of a tool":   {files: map[string]string{".aura/config/tools/d.yaml": "Ls: {condition: 'bash:sh ./c.sh'}\n"}, line: scriptAt("c.sh")},
	"condition of a plugin": {files: map[string]string{".aura/plugins/keeper/plugin.yaml": "description: x\ncondition: 'bash:sh ./c.sh'\n"}, line: scriptAt("c.sh")},
	"script of a server":    {files: map[string]string{serverFile: "m: {command: sh, args: [server.sh]}"}, line: scriptAt("server.sh"), told: `MCP server "m".*it runs in the sandbox; extra.ro and extra.rw`},
	"program of a server":   {files: map[string]string{serverFile: "m: {command: ./server.sh}"}, line: scriptAt("server.sh")},
	"server outside":        {files: map[string]string{serverFile: "m: {command: sh, args: [server.sh]" + outside + "}"}, line: scriptAt("server.sh")},
	"server outside, by path": {
		files: map[string]string{serverFile: "m: {command: ./server.sh" + outside + "}"}, line: scriptAt("server.sh"),
		told: `starting .*server.sh outside of the sandbox: tools can write it`,
	},
	"settings of npm": {
		needs: "node", files: map[string]string{hooksFile: writeHook + "npm run -s --update-notifier=false lint}", "package.json": `{"name": "x", "version": "1.0.0", "scripts": {"lint": "node -e 0"}}`},
		line: scriptAt("evil.sh") + `; echo node-options=--require ./evil.js >.npmrc; echo 'require("child_process").execFileSync("./evil.sh")' >evil.js`,
	},
	"workspace of Go": {
		needs: "go", files: map[string]string{hooksFile: writeHook + "GOTOOLCHAIN=local go generate lib}", "go.mod": "module x\n\ngo 1.22\n\nrequire lib v1.0.0\n"},
		line: scriptAt("evil.sh") + `; mkdir lib; printf 'module lib\n\ngo 1.22\n' >lib/go.mod; printf 'package lib\n\n//go:generate ../evil.sh\n' >lib/lib.go; printf 'go 1.22\n\nuse ./lib\n' >go.work`,
	},
	"search path of Python": {
		needs: "python", files: map[string]string{hooksFile: writeHook + "PYTHONPATH=. python3 -c 0}"},
		line: scriptAt("evil.sh") + `; echo 'import os; os.system("./evil.sh")' >sitecustomize.py`,
	},
	"packages of a virtual environment": {
		needs: "python", files: map[string]string{hooksFile: writeHook + ".venv/bin/python3 -c 0}"},
		line: scriptAt("evil.sh") + `; mkdir -p .venv/bin; real=$(python3 -c 'import sys; print(sys.executable)'); ln -s $real .venv/bin/python3; echo home = $(dirname $real) >.venv/pyvenv.cfg; ` +
			`dir=$(.venv/bin/python3 -c 'import site; print(site.getsitepackages()[0])'); mkdir -p $dir; echo 'import os; os.system("./evil.sh")' >$dir/a.pth`,
	},
	"server outside, by PATH": {
		files: map[string]string{serverFile: "m: {command: served" + outside + "}"}, env: []string{"PATH=@dir/bin:/usr/bin:/bin"},
		line: "mkdir -p bin; " + scriptAt("bin/served"),
	},
}

// TestDeputies plays every attack without a sandbox, where it must succeed, with one, and with one where there are no namespaces, as
// root and as an ordinary user.
func TestDeputies(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for name, row := range deputies {
			for _, kind := range []string{freeRun, confinedRun, bareRun} {
				t.Run(fmt.Sprintf("%s/%d/%s", name, uid, kind), func(t *testing.T) {
					t.Parallel()
					if row.needs != "" {
						testneed.Program(t, row.needs)
					}
					row.play(newPlanted(t, plant{source: quietPlugin}, uid, kind), uid, kind)
				})
			}
		}
	}
}

// quietPlugin has a hook, so that its condition is evaluated.
const quietPlugin = `package keeper

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }
`

func (row deputy) play(p *harness.Project, uid int, kind string) {
	p.T.Helper()
	fill := strings.NewReplacer("@dir", p.Dir, "@harm", harm)
	for name, text := range row.files {
		p.Write(name, fill.Replace(text)+"\n")
	}
	for _, entry := range row.env {
		p.Wrapper = append(p.Wrapper, fill.Replace(entry))
	}
	hand(p, uid)
	if _, err := os.Stat(p.Path("../bin")); err == nil {
		p.Check(os.Symlink(filepath.Join(p.Dir, "lint.sh"), p.Path("../bin/lint")))
	}
	p.Write(".aura/config/talk.yaml", fmt.Sprintf(`turns:
  - tool_calls: [{name: Bash, arguments: {command: %q}}]
  - tool_calls: [{name: Write, arguments: {path: a.txt, content: x}}]
  - text: All done.
`, fill.Replace(row.line)))
	var off []string
	if kind == freeRun {
		off = []string{"--config", "../off", "--config", ".aura"}
	}
	said := p.Aura(append(off, "run", "--mode", "tight", "go")...)
	p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls: [{name: Ls, arguments: {path: .}}]\n  - text: All done.\n")
	said = append(said, p.Aura(append(off, "run", "--mode", "tight", "go")...)...)
	if kind != freeRun {
		p.Wants(said, row.told)
	}
	if harmed(p) != (kind == freeRun) {
		p.T.Errorf("harm was done: %t\n%s", kind != freeRun, said)
	}
	p.NoProcess()
}
