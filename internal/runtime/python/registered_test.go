package python

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestRegistered has a row for each way to register something.
func TestRegistered(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`@api.command("one")`: "//one",
		`@api.command('one', description="Say (\"one\")")(f)`:     "//one",
		`@api.command(description="two, (three)", name="one")`:    "//one",
		`@api.command(r"one")`:                                    "//one",
		`@api.command("""one""")`:                                 "//one",
		"@api.command(\n    # the name\n    \"one\",\n)":          "//one",
		`@ api . command ( "one" )`:                               "//one",
		`@api.command(f"one")`:                                    "//",
		`@api.command(b"one")`:                                    "//",
		`@api.command("o" "ne")`:                                  "//",
		`@api.command("o" + "ne")`:                                "//",
		`@api.command("o\tne")`:                                   "//",
		`@api.command(NAME)`:                                      "//",
		`@api.command(make("one"))`:                               "//",
		`@api.command(description=make(name="one"))`:              "//",
		`command("one")`:                                          "//",
		`# @api.command("one")`:                                   "//",
		`"""@api.command("one")"""`:                               "//",
		"x = 'a\n@api.command(\"one\")":                           "//one",
		"x = 'a\\\n@api.command(\"no\")' + api.command('one')":    "//one",
		`@api.tool("t", "A tool", {"type": "object"})`:            "/t/",
		`@api.tool(name="t", input_schema={"name": "no"})`:        "/t/",
		`@api.tool(input_schema={"a": {"name": "no"}}, name="t")`: "/t/",
		`api.register_tool(ToolSpec(name="t", handler=f))`:        "/t/",
		`@api.on("tool_call")`:                                    "tool_call//",
		`@api.events.on("other:news")`:                            "//",
		`emitter.on("data")`:                                      "//",
		`@api.command("one`:                                       "//",
		`@api.command(`:                                           "//",
		`'''`:                                                     "//",
		`'\`:                                                      "//",
	} {
		var got Registrations
		got.add(tokens(source))
		text := strings.Join([]string{strings.Join(got.Events, ","), strings.Join(got.Tools, ","), strings.Join(got.Commands, ",")}, "/")
		if text != want {
			t.Errorf("%s: got %s, want %s", source, text, want)
		}
	}
}

// TestRegisteredFiles checks which files are read.
func TestRegisteredFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, command := range map[string]string{
		"pk/__init__.py": "one", "pk/inner/more.py": "two", "pk/.python/library.py": "no", "pk/__pycache__/old.py": "no", "pk/text.txt": "no", "beside.py": "no",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("def register(api):\n    @api.command('"+command+"')\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Registered(manifest.Plugin{Dir: filepath.Join(dir, "pk")}); !reflect.DeepEqual(got.Commands, []string{"one", "two"}) {
		t.Errorf("got %+v", got)
	}
}

// FuzzTokens checks that the tokens are parts of the text, whatever it is.
func FuzzTokens(f *testing.F) {
	f.Add("@api.command(\"one\")")
	f.Add("'''\\\n' #")
	f.Fuzz(func(t *testing.T, text string) {
		list, size := tokens(text), 0
		for _, token := range list {
			size += len(token.text)
		}
		if size > len(text) {
			t.Errorf("%d bytes of tokens in %d bytes", size, len(text))
		}
		var r Registrations
		r.add(list)
	})
}
