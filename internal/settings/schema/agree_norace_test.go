//go:build !race

package schema_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/testfile"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/schema"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// example is a configuration file in the repository.
type example struct {
	kind  schema.Kind
	where string
	text  string
}

func kind(t *testing.T, name string) schema.Kind {
	t.Helper()
	i := slices.IndexFunc(schema.Kinds(), func(k schema.Kind) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("no kind %s", name)
	}
	return schema.Kinds()[i]
}

// kindOf returns the kind of the file at a path, according to its folders.
func kindOf(path string) (schema.Kind, bool) {
	for _, k := range schema.Kinds() {
		ext := ".yaml"
		if k.Markdown {
			ext = ".md"
		}
		switch {
		case k.Name == "plugin":
			if filepath.Base(path) == manifest.FileName {
				return k, true
			}
		case k.Name == "lock":
			if filepath.Base(path) == install.LockFile {
				return k, true
			}
		case k.Name == "policy":
			if filepath.Base(path) == machinepolicy.FileName {
				return k, true
			}
		case k.Name == "script":
		case k.Name == "test":
			if testFile.MatchString(path) {
				return k, true
			}
		case strings.Contains("/"+path, "/"+k.Folder+"/") && filepath.Ext(path) == ext:
			return k, true
		}
	}
	return schema.Kind{}, false
}

var testFile = regexp.MustCompile(`(plugins|extensions)/.*testdata/[^/]*\.yaml$`)

var fileBlock = regexp.MustCompile("(?ms)^```[a-z]+ file=(\\S+)[^\n]*\n(.*?)^```$")

// examples returns the files in the pages of docs/, in the scripts of internal/lab/e2e, of aura init, and of the example plugins.
func examples(t *testing.T) []example {
	t.Helper()
	var out []example
	add := func(where, path, text string) {
		if k, ok := kindOf(path); ok {
			out = append(out, example{k, where + ": " + path, text})
		}
	}
	for _, root := range []string{docs, "../../lab/e2e/testdata", "../scaffold/files", "../../../.aura/plugins", "../../../examples"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			switch {
			case err != nil:
				return err
			case filepath.Ext(path) == ".txtar":
				for _, f := range txtar.Parse(text).Files {
					add(path, f.Name, string(f.Data))
				}
			case root == docs:
				for _, m := range fileBlock.FindAllStringSubmatch(string(text), -1) {
					add(path, m[1], m[2])
				}
			default:
				add(path, filepath.ToSlash(path), string(text))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// read returns the strict reader's error for a single file.
func (e example) read(t *testing.T) error {
	t.Helper()
	switch e.kind.Name {
	case "plugin":
		_, err := manifest.Parse("plugin.yaml", []byte(e.text))
		return err
	case "lock":
		home := t.TempDir()
		write(t, filepath.Join(home, install.LockFile), e.text)
		found := []manifest.Plugin{{Name: "another", Dir: filepath.Join(home, "plugins", "another")}}
		install.Verify(install.Place{Home: home, Root: filepath.Join(home, "plugins")}, found, nil)
		if err := found[0].Err; err != nil && strings.Contains(err.Error(), "reading what is installed") {
			return err
		}
		return nil
	case "index":
		_, err := index.Parse([]byte(e.text))
		return err
	case "policy":
		_, err := machinepolicy.Parse(machinepolicy.FileName, []byte(e.text))
		return err
	case "test":
		_, err := testfile.Parse("test.yaml", []byte(e.text))
		return err
	case "script":
		file := filepath.Join(t.TempDir(), "script.yaml")
		write(t, file, e.text)
		_, err := script.Load(file)
		return err
	}
	ext := ".yaml"
	if e.kind.Markdown {
		ext = ".md"
	}
	home := t.TempDir()
	write(t, filepath.Join(home, filepath.FromSlash(e.kind.Folder), "x"+ext), e.text)
	environ := []string{}
	for _, m := range variable.FindAllStringSubmatch(e.text, -1) {
		environ = append(environ, m[1]+"=1")
	}
	// The home is the user's home, which can set everything.
	_, err := config.Load(config.Options{Home: &home, Workdir: t.TempDir(), EnvFiles: []string{}, Environ: environ})
	return err
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// validate returns the error of the published schema for a file, using aura's own schema engine.
func (e example) validate(t *testing.T) error {
	t.Helper()
	schemas, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]any{}
	if e.kind.Markdown {
		_, err = strictyaml.Frontmatter("x.md", []byte(e.text), &content)
	} else {
		err = strictyaml.Decode("x.yaml", []byte(e.text), &content)
	}
	if err != nil {
		return err
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return err
	}
	values, err := tool.ParseArguments(raw)
	if err != nil {
		return err
	}
	return schemas[e.kind.Name].Validate(values)
}

// compiled returns the published schemas by kind.
var compiled = sync.OnceValues(func() (map[string]*tool.Schema, error) {
	out := map[string]*tool.Schema{}
	for _, k := range schema.Kinds() {
		text, err := os.ReadFile(filepath.Join(published, k.FileName()))
		if err != nil {
			return nil, err
		}
		if out[k.Name], err = tool.Compile(text); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// TestExamplesFit validates every example in the repository that the reader accepts.
func TestExamplesFit(t *testing.T) {
	t.Parallel()
	fit := map[string]int{}
	for _, e := range examples(t) {
		if e.read(t) != nil {
			continue // invalid on purpose, or dependent on other files
		}
		fit[e.kind.Name]++
		if err := e.validate(t); err != nil {
			t.Errorf("%s: the reader accepts it, but: %v", e.where, err)
		}
	}
	for _, k := range schema.Kinds() {
		if fit[k.Name] == 0 && !slices.Contains([]string{"index", "lock", "sandbox", "script"}, k.Name) {
			t.Errorf("no example of %s was validated", k.Name)
		}
	}
}

// TestLockFits validates the lock that aura writes.
func TestLockFits(t *testing.T) {
	t.Parallel()
	source, home := filepath.Join(t.TempDir(), "greet"), t.TempDir()
	write(t, filepath.Join(source, "go.mod"), "module greet\n\ngo 1.25\n")
	write(t, filepath.Join(source, "plugin.yaml"), "description: Greets\n")
	write(t, filepath.Join(source, "main.go"), "package greet\n")
	place := install.Place{Home: home, Root: filepath.Join(home, "plugins")}
	if _, err := install.Add(t.Context(), place, install.Request{Source: source}, install.Options{NoVendor: true}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(home, install.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	e := example{kind(t, "lock"), "", string(text)}
	if err := errors.Join(e.read(t), e.validate(t)); err != nil || !strings.Contains(e.text, `"plugin.yaml"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// lockOf returns a lock with one entry, which has further keys.
func lockOf(keys string) string {
	return `{"version": 1, "plugins": {"greet": {"unit": "greet", "files": {"main.go": "0"}, ` + keys + `}}}`
}

// indexOf returns an index without plugins, which has further keys.
func indexOf(keys string) string {
	return `{"version": 1, "name": "a", "expires": "2026-06-01T13:00:00Z", "plugins": [], ` + keys + `}`
}

// TestBothRefuse has a row for each rule that the reader and the schemas share.
func TestBothRefuse(t *testing.T) {
	t.Parallel()
	rows := []struct{ kind, about, good, bad string }{
		{"agents", "unknown key", "---\nname: a\n---\n", "---\nname: a\nnaem: b\n---\n"},
		{"agents", "no name", "---\nname: a\n---\n", "---\ndescription: x\n---\n"},
		{"agents", "unknown key in a group", "---\nname: a\nmodel: {name: m}\n---\n", "---\nname: a\nmodel: {nme: m}\n---\n"},
		{"agents", "negative context", "---\nname: a\nmodel: {context: 8192}\n---\n", "---\nname: a\nmodel: {context: -1}\n---\n"},
		{"agents", "no output tokens", "---\nname: a\nmodel: {generation: {max_output_tokens: 1}}\n---\n", "---\nname: a\nmodel: {generation: {max_output_tokens: 0}}\n---\n"},
		{"agents", "unknown amount", "---\nname: a\nmodel: {think: high}\n---\n", "---\nname: a\nmodel: {think: hard}\n---\n"},
		{"agents", "unknown key of a server", "---\nname: a\nmcp: {s: {command: x}}\n---\n", "---\nname: a\nmcp: {s: {command: x, arg: y}}\n---\n"},
		{"agents", "text for a list", "---\nname: a\nfallback: [b]\n---\n", "---\nname: a\nfallback: b\n---\n"},
		{"agents", "text for a truth value", "---\nname: a\nhide: true\n---\n", "---\nname: a\nhide: maybe\n---\n"},
		{"agents", "trust in an agent", "---\nname: a\nfeatures: {tools: {max_steps: 3}}\n---\n", "---\nname: a\nfeatures: {trust: pinned}\n---\n"},
		{"agents", "plugin directory in an agent", "---\nname: a\nfeatures: {plugins: {unsafe: true}}\n---\n", "---\nname: a\nfeatures: {plugins: {dir: x}}\n---\n"},
		{"commands", "unknown key", "---\ndescription: x\n---\ntext\n", "---\ndescriptio: x\n---\ntext\n"},
		{"features", "no steps", "tools: {max_steps: 1}\n", "tools: {max_steps: 0}\n"},
		{"features", "variable for a number", "tools: {max_steps: 1}\n", "tools: {max_steps: \"one\"}\n"},
		{"features", "two keys", "tools: {max_steps: 1}\n", "tools: {max_steps: 1}\ncompaction: {threshold: 5}\n"},
		{"features", "too much", "compaction: {threshold: 100}\n", "compaction: {threshold: 101}\n"},
		{"features", "unknown rule", "trust: pinned\n", "trust: always\n"},
		{"features", "unknown feature", "sandbox: {network: false}\n", "sandboxes: {network: false}\n"},
		{"features", "hosts in no list", "sandbox: {network: {allow: [a.example], ask: on}}\n", "sandbox: {network: {allow: a.example}}\n"},
		{"features", "unknown key of rules", "sandbox: {network: {deny: [a.example]}}\n", "sandbox: {network: {denied: [a.example]}}\n"},
		{"features", "network of some kind", "sandbox: {network: off}\n", "sandbox: {network: some}\n"},
		{"features", "number of no time", "tools: {bash: {timeout: 3}}\n", "tools: {bash: {timeout: 0}}\n"},
		{"features", "no duration", "tools: {bash: {timeout: 3s}}\n", "tools: {bash: {timeout: soon}}\n"},
		{"hooks", "unknown event", "a: {event: pre, command: \"true\"}\n", "a: {event: before, command: \"true\"}\n"},
		{"hooks", "no time", "a: {event: pre, command: \"true\", timeout: 1}\n", "a: {event: pre, command: \"true\", timeout: 0}\n"},
		{"hooks", "long time", "a: {event: pre, command: \"true\", timeout: 86400}\n", "a: {event: pre, command: \"true\", timeout: 86401}\n"},
		{"index", "unknown key", indexOf(`"serial": 1`), indexOf(`"serial": 1, "sreial": 2`)},
		{"index", "no serial", indexOf(`"serial": 1`), indexOf(`"name": "b"`)},
		{"index", "a serial below one", indexOf(`"serial": 1`), indexOf(`"serial": 0`)},
		{"index", "text for a number", indexOf(`"serial": 1`), indexOf(`"serial": "1"`)},
		{"lock", "unknown key", `{"version": 1, "plugins": {}}`, `{"version": 1, "plugin": {}}`},
		{"lock", "another version", `{"version": 1, "plugins": {}}`, `{"version": 2, "plugins": {}}`},
		{"lock", "no version", `{"version": 1, "plugins": {}}`, `{"plugins": {}}`},
		{"lock", "no plugins", `{"version": 1, "plugins": {}}`, `{"version": 1}`},
		{"lock", "no hash", lockOf(`"hash": "sha256:0"`), lockOf(`"url": "x"`)},
		{"lock", "number for a hash", lockOf(`"hash": "sha256:0"`), lockOf(`"hash": 0`)},
		{"lock", "text for a truth value", lockOf(`"hash": "sha256:0", "disabled": true`), lockOf(`"hash": "sha256:0", "disabled": "yes"`)},
		{"lock", "unknown key of an entry", lockOf(`"hash": "sha256:0", "commit": "0"`), lockOf(`"hash": "sha256:0", "comit": "0"`)},
		{"mcp", "unknown type", "a: {type: stdio, command: x}\n", "a: {type: sse, command: x}\n"},
		{"mcp", "unknown key", "a: {command: x, env: {PORT: 8080}}\n", "a: {command: x, envs: {PORT: 8080}}\n"},
		{"mcp", "list for a value", "a: {command: x, env: {A: b}}\n", "a: {command: x, env: {A: [b]}}\n"},
		{"modes", "no name", "---\nname: a\n---\n", "---\nhide: true\n---\n"},
		{"plugin", "unknown key", "description: x\n", "descr: x\n"},
		{"plugin", "unknown answer to a failure", "on_failure: closed\n", "on_failure: shut\n"},
		{"plugin", "no time", "timeout: 1\n", "timeout: 0\n"},
		{"plugin", "no duration", "timeout: 10s\n", "timeout: soon\n"},
		{"plugin", "no amount", "limits: {memory: 256MB}\n", "limits: {memory: lots}\n"},
		{"plugin", "too little", "limits: {memory: 67108864}\n", "limits: {memory: 1024}\n"},
		{"policy", "unknown key", "hooks: false\n", "hook: false\n"},
		{"policy", "unknown key in a group", "plugins: {unsafe: false}\n", "plugins: {unsaf: false}\n"},
		{"policy", "text for a truth value", "record: true\n", "record: sometimes\n"},
		{"policy", "text for a list", "modes: [ask]\n", "modes: ask\n"},
		{"policy", "a plugin without an origin", "plugins: {required: [{name: a, origin: local}]}\n", "plugins: {required: [{name: a}]}\n"},
		{"policy", "a server without a name", "mcp: [{name: a, command: b}]\n", "mcp: [{command: b}]\n"},
		{"prompts", "no name", "---\nname: a\n---\ntext\n", "---\n---\ntext\n"},
		{"providers", "no type", "a: {type: ollama}\n", "a: {url: \"http://x\"}\n"},
		{"providers", "unknown type", "a: {type: ollama}\n", "a: {type: olama}\n"},
		{"providers", "number for a duration", "a: {type: ollama, timeout: 30s}\n", "a: {type: ollama, timeout: 30}\n"},
		{"sandbox", "another feature", "sandbox: {enabled: true}\n", "tools: {max_steps: 1}\n"},
		{"script", "unknown key", "turns: [{text: hi}]\n", "turns: [{txt: hi}]\n"},
		{"script", "unknown error", "turns: [{error: {type: auth, message: no}}]\n", "turns: [{error: {type: bad, message: no}}]\n"},
		{"skills", "no name", "---\nname: a\n---\ntext\n", "---\ndescription: x\n---\ntext\n"},
		{"tasks", "unknown key", "a: {commands: [hi]}\n", "a: {command: [hi]}\n"},
		{"tasks", "text for a list", "a: {commands: [hi], env_file: x}\n", "a: {commands: hi}\n"},
		{"test", "unknown key", "tests: [{name: a, calls: [{point: BeforeChat}]}]\n", "tests: [{name: a, calls: [{points: BeforeChat}]}]\n"},
		{"test", "no tests", "tests: [{name: a, calls: [{point: tool:A}]}]\n", "{}\n"},
		{"test", "no name", "tests: [{name: a, calls: [{point: command:a}]}]\n", "tests: [{calls: [{point: command:a}]}]\n"},
		{"test", "no calls", "tests: [{name: a, calls: [{point: BeforeChat}]}]\n", "tests: [{name: a}]\n"},
		{"tools", "unknown key", "Read: {disabled: true}\n", "Read: {enabled: true}\n"},
	}
	covered := map[string]bool{}
	for _, row := range rows {
		t.Run(row.kind+", "+row.about, func(t *testing.T) {
			t.Parallel()
			good, bad := example{kind(t, row.kind), "", row.good}, example{kind(t, row.kind), "", row.bad}
			if err := good.read(t); err != nil {
				t.Errorf("the reader refuses the good one: %v", err)
			}
			if err := good.validate(t); err != nil {
				t.Errorf("the schema refuses the good one: %v", err)
			}
			if bad.read(t) == nil {
				t.Error("the reader accepts the bad one")
			}
			if bad.validate(t) == nil {
				t.Error("the schema accepts the bad one")
			}
		})
		covered[row.kind] = true
	}
	for _, k := range schema.Kinds() {
		if !covered[k.Name] {
			t.Errorf("no row for %s", k.Name)
		}
	}
}

// TestVariables checks that the schemas accept a variable wherever the reader replaces one.
func TestVariables(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ kind, text string }{
		{"features", "tools: {max_steps: \"${N}\", read_before: {write: \"${YES}\"}}\n"},
		{"providers", "a: {type: \"${KIND}\", timeout: \"${TIME}\", retry: {max_attempts: \"${N}\"}}\n"},
		{"hooks", "a: {event: pre, command: x, timeout: \"${N}\"}\n"},
		{"agents", "---\nname: a\nmodel: {think: \"${THINK}\"}\n---\n"},
	} {
		if err := (example{kind(t, row.kind), "", row.text}).validate(t); err != nil {
			t.Errorf("%s: %s: %v", row.kind, row.text, err)
		}
	}
	if (example{kind(t, "plugin"), "", "once: \"${ONCE}\"\n"}).validate(t) == nil {
		t.Error("plugin.yaml has no variables")
	}
}
