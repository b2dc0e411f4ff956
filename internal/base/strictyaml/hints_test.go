package strictyaml_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// agent has keys that other programs write in another form.
type agent struct {
	Name  string                  `yaml:"name"`
	Model struct{ Name string }   `yaml:"model"`
	Tools struct{ List []string } `yaml:"tools"`
}

// server is an entity of a file that maps names to entities.
type server struct {
	Command string            `yaml:"command"`
	Args    []string          `yaml:"args"`
	Env     map[string]string `yaml:"env"`
}

// TestHints has a row for each mistake that gets a hint.
func TestHints(t *testing.T) {
	t.Parallel()

	const servers = "`aura mcp import FILE`"

	tests := []struct {
		name, give, line, want string
		into                   any
	}{
		{"tab", "model:\n\tname: x\n", ":2: ", "indented with a tab, which YAML does not allow: use blanks", &agent{}},
		{"tab after blanks", "model:\n  \tname: x\n   b: c\n", "", "use blanks", &agent{}},
		{"JSON with comments", "{\n  // mine\n  \"name\": \"x\"\n}\n", ":2: ", "begins with #, not with //", &agent{}},
		{"curly quotes around a key", "“name”: x\n", ":1: ", "curly quotes are no quotes", &agent{}},
		{"curly quotes around a value", "name: “x”\n", ":1: ", "curly quotes are no quotes", &agent{}},
		{"single curly quotes", "name: ‘x’\n", ":1: ", "curly quotes are no quotes", &agent{}},
		{"curly quotes in a list", "command: x\nargs: [“a”]\n", ":2: ", "curly quotes", &server{}},
		{"no blank after the colon", "name:x\n", ":1: ", "write a blank after the colon", &agent{}},
		{"no blank after the colon, then more", "name:x\nmodel: {name: y}\n", ":1: ", "write a blank after the colon", &agent{}},
		{"colon in a value", "name: one: two\n", ":1: ", "put a value that has a colon and a blank in it in quotes", &agent{}},
		{"star", "command: x\nargs: [*.go]\n", ":2: ", "begins with * in quotes", &server{}},
		{"star alone", "name: *\n", ":1: ", "begins with * in quotes", &agent{}},
		{"at sign", "name: @me\n", ":1: ", "begins with @, % or ` in quotes", &agent{}},
		{"variable in braces", "model: {name: ${X}}\n", ":1: ", "a variable needs quotes", &agent{}},
		{"UTF-16 without a mark", "n\x00a\x00m\x00e\x00:\x00 \x00x\x00", "", "save the file as UTF-8", &agent{}},
		{"Latin 1", "name: caf\xe9\n", "", "save the file as UTF-8", &agent{}},
		{"duplicate key", "name: x\nname: y\n", ":2: ", `duplicate key "name", first set on line 1`, &agent{}},
		{"MCP servers", "mcpServers:\n  gh:\n    command: npx\n", ":1: ", servers, &agent{}},
		{"MCP servers among servers", "mcpServers:\n  gh:\n    command: npx\n", ":2: ", servers, &map[string]server{}},
		{"MCP servers as JSON", "{\"mcpServers\": {\"gh\": {\"command\": \"npx\"}}}", ":1: ", servers, &map[string]server{}},
		{"VS Code's servers", "servers:\n  gh: {command: npx}\n", ":2: ", servers, &map[string]server{}},
		{"a server named servers", "servers:\n  comand: npx\n", ":2: ", "known keys: args, command, env", &map[string]server{}},
		{"hooks", "hooks:\n  PreToolUse:\n    - matcher: Bash\n", ":2: ", "event is pre or post", &map[string]server{}},
		{"hooks with a key around them", "hooks:\n  mine: {event: pre}\n", ":2: ", "event is pre or post", &map[string]server{}},
		{"a list of hooks", "PreToolUse:\n  - matcher: Bash\n", ":2: ", "event is pre or post", &map[string]server{}},
		{"permissions", "permissions:\n  allow: [Read]\n", ":1: ", "policy: {auto: […]", &agent{}},
		{"model as text", "model: big\n", ":1: ", "write model: {provider: …, name: …}", &agent{}},
		{"model elsewhere", "model: big\n", ":1: ", "an agent chooses its model", &struct{ Tools int }{}},
		{"tools as a list", "tools: [Read]\n", ":1: ", "write tools: {enabled: […]}", &agent{}},
		{"key of a service", "gh: {apiKey: x}\n", ":1: ", "write token: ${NAME}", &map[string]server{}},
		{"address", "gh: {baseUrl: x}\n", ":1: ", "aura's key is url", &map[string]server{}},
		{"temperature", "temperature: 1\n", ":1: ", "model: {generation: {…}}", &agent{}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			err := strictyaml.Decode("f.yaml", []byte(tt.give), tt.into)
			if err == nil {
				t.Fatal("no error")
			}

			if !strings.HasPrefix(err.Error(), "f.yaml"+tt.line) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNoHints has a row for each input that looks like a mistake but is valid.
func TestNoHints(t *testing.T) {
	t.Parallel()

	wide := func(order string) string {
		out := "\xff\xfe"
		if order == "big" {
			out = "\xfe\xff"
		}

		for _, unit := range utf16.Encode([]rune("name: ä\n")) {
			low, high := string([]byte{byte(unit)}), string([]byte{byte(unit >> 8)})
			if order == "big" {
				low, high = high, low
			}

			out += low + high
		}

		return out
	}

	for name, row := range map[string][2]string{
		"UTF-16 of Windows":       {wide("little"), "ä"},
		"UTF-16, big end first":   {wide("big"), "ä"},
		"curly quotes in quotes":  {"name: \"“x”\"\n", "“x”"},
		"curly quotes in a text":  {"name: he said “x” twice\n", "he said “x” twice"},
		"a colon without a blank": {"name: http://x\n", "http://x"},
		"tab in a value":          {"name: \"a\tb\"\n", "a\tb"},
	} {
		var got agent
		if err := strictyaml.Decode("f.yaml", []byte(row[0]), &got); err != nil || got.Name != row[1] {
			t.Errorf("%s: got %q, %v", name, got.Name, err)
		}
	}

	var got agent

	body, err := strictyaml.Frontmatter("f.md", []byte("\xff\xfe-\x00-\x00-\x00\n\x00n\x00a\x00m\x00e\x00:\x00 \x00x\x00\n\x00-\x00-\x00-\x00\n\x00b\x00"), &got)
	if err != nil || got.Name != "x" || body != "b" {
		t.Errorf("got %q, %q, %v", got.Name, body, err)
	}
}
