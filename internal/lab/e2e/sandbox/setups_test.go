//go:build linux

package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// usualSetups are what people do with an agent. Each must work in the sandbox with the settings that aura comes with.
var usualSetups = map[string]struct {
	needs testneed.Ability
	// own leaves out other users: the program may be where only the user who runs the tests can reach it, or packages are downloaded.
	own bool
	// files are the user's, by path.
	files map[string]string
	// lines are command lines of Bash, one after the other. wants is a pattern of what the last one prints.
	lines []string
	wants string
	// written is a file that the model writes after that, and hooked what hooks make of it.
	written, hooked string
	// tools is a pattern of what 'aura mcp' lists.
	tools string
}{
	"git": {
		needs: "git",
		lines: []string{
			"git init -q -b main lib && cd lib && " + setupCommit + " a",
			"git init -q -b main . && " + setupCommit + " one && git checkout -q -b side && " + setupCommit + " two && git checkout -q main && " + setupCommit + " three",
			"git checkout -q side && git rebase -q main && git log --format=%s | tr '\\n' ' '",
			"git -c protocol.file.allow=always submodule --quiet add ./lib part && git commit -qm sub && git worktree add -q tree && git -C tree log --format=%s | tr '\\n' ' '",
		},
		wants: "sub two three one",
	},
	"go": {
		needs: "go",
		files: map[string]string{"go.mod": "module x\n\ngo 1.22\n", "main.go": "package main\n\nfunc main() { println(\"built\") }\n", hooksFile: writeHook + "gofmt -w $FILE}"},
		lines: []string{"GOTOOLCHAIN=local go build -o x . && ./x", "GOTOOLCHAIN=local go build -o x . && ./x"}, wants: "built",
		written: "package main\nfunc  f( ) {}\n", hooked: "package main\n\nfunc f() {}\n",
	},
	"cargo": {
		needs: "cargo", own: true,
		files: map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() { println!(\"built\"); }\n"},
		lines: []string{"cargo build -q --offline && target/debug/x", "touch src/main.rs; cargo build -q --offline && target/debug/x"}, wants: "built",
	},
	"python": {
		needs: "pip",
		files: map[string]string{
			"wheel.py":  setupWheel,
			"server.py": setupServer, serverFile: "m: {command: .venv/bin/python3, args: [-m, server]}",
			hooksFile: writeHook + ".venv/bin/tidy $FILE}",
		},
		lines: []string{
			"python3 -m venv .venv && python3 wheel.py && .venv/bin/pip install -q --no-index ./tidy-1.0-py3-none-any.whl",
			".venv/bin/pip uninstall -qy tidy && .venv/bin/pip install -q --no-index ./tidy-1.0-py3-none-any.whl && .venv/bin/python3 -c 'import tidy; print(tidy.__name__)'",
		},
		wants: "tidy", written: "x  =  1\n", hooked: "x = 1\n", tools: "greet",
	},
	"node": {
		needs: "npm-registry", own: true,
		files: map[string]string{
			"eslint.config.mjs": "export default [{rules: {\"no-var\": \"error\"}}];\n",
			hooksFile: "a: {event: post, matcher: Write, command: npx --offline prettier --write $FILE >/dev/null}\n" +
				"b: {event: post, matcher: Write, depends: [a], command: npx --offline eslint --fix $FILE}",
			// The registry of a test machine may have an address that is not public.
			".aura/config/features/network.yaml": "sandbox: {network: on}",
			serverFile: "everything: {command: npx, args: [-y, '@modelcontextprotocol/server-everything']}\n" +
				"files: {command: npx, args: [-y, '@modelcontextprotocol/server-filesystem', .]}",
		},
		lines: []string{
			"npm init -y >/dev/null && " + setupInstall + " || " + setupInstall + " && ls node_modules/.bin",
			"rm -rf node_modules && npm install --no-audit --no-fund --silent --prefer-offline && ls node_modules/.bin",
		},
		wants: "eslint\n(.*\n)*prettier", written: "var a = {b:1}\n", hooked: "let a = { b: 1 };\n", tools: `everything(.*\n)*.*echo(.*\n)*.*files(.*\n)*.*read_text_file`,
	},
}

// setupInstall asks the registry, which may fail once.
const setupInstall = "npm install --no-audit --no-fund --silent prettier eslint @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem"

const setupCommit = "git commit -q --allow-empty -m"

// setupWheel packs a package with a program, as a build would.
const setupWheel = `import zipfile
with zipfile.ZipFile("tidy-1.0-py3-none-any.whl", "w") as z:
    z.writestr("tidy.py", "import re, sys\ndef main():\n    text = re.sub(' +', ' ', open(sys.argv[1]).read())\n    open(sys.argv[1], 'w').write(text)\n")
    z.writestr("tidy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tidy\nVersion: 1.0\n")
    z.writestr("tidy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("tidy-1.0.dist-info/entry_points.txt", "[console_scripts]\ntidy = tidy:main\n")
    z.writestr("tidy-1.0.dist-info/RECORD", "")
`

// setupServer is an MCP server with one tool.
const setupServer = `import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
        "tools/list": {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]},
    }
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answers.get(asked["method"], {})}), flush=True)
`

// TestSetups lives through what people do with an agent, in the sandbox, as root and as an ordinary user.
func TestSetups(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for name, row := range usualSetups {
			if row.own && uid != os.Geteuid() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, uid), func(t *testing.T) {
				t.Parallel()
				testneed.Program(t, row.needs)
				p := newPlanted(t, plant{}, uid, confinedRun)
				for _, dir := range []string{".cache", ".npm", "go/pkg/mod", ".cargo/registry"} {
					p.Check(os.MkdirAll(filepath.Join(p.Path("../home"), dir), 0o755))
				}
				for file, text := range row.files {
					p.Write(file, text+"\n")
				}
				p.Write("../home/.gitconfig", "[user]\n\tname = x\n\temail = x@localhost\n")
				p.Check(os.Symlink(cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(os.Getenv("HOME"), ".rustup")), p.Path("../home/.rustup")))
				if registry, err := exec.CommandContext(t.Context(), "npm", "config", "get", "registry").Output(); err == nil {
					p.Write(".npmrc", "registry="+string(registry))
				}
				hand(p, uid)
				for _, line := range row.lines {
					p.Run("tools", "run", "Bash", "command="+line)
				}
				p.Wants(p.Stdout(), row.wants)
				if row.tools != "" {
					p.Run("mcp")
					p.Wants(p.Stdout(), row.tools)
				}
				if row.written == "" {
					return
				}
				p.Write(".aura/config/talk.yaml", fmt.Sprintf("turns:\n  - tool_calls: [{name: Write, arguments: {path: made.js, content: %q}}]\n  - text: Done.\n", row.written))
				said := p.Aura("run", "--mode", "tight", "go")
				if made, err := os.ReadFile(p.Path("made.js")); err != nil || string(made) != row.hooked {
					t.Errorf("hooks left %q, %v\n%s", made, err, said)
				}
			})
		}
	}
}
