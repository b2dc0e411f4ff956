package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/schema"
)

const (
	docs      = "../../../docs"
	published = docs + "/schemas"
)

var update = flag.Bool("update", false, "write docs/schemas anew")

// described maps kinds to the tables of keys in docs/: the location of each table, and the path that its keys are relative to.
var described = map[string][]table{
	"agents":    append([]table{{"agents.md", "## Agents", ""}, {"tools.md", "## MCP servers", "mcp.*."}, {"tools.md", "### Logging in", "mcp.*."}}, featureTables("features.")...),
	"modes":     append([]table{{"agents.md", "### Modes of your own", ""}}, featureTables("features.")...),
	"prompts":   {{"agents.md", "## Prompts", ""}},
	"skills":    {{"agents.md", "## Skills", ""}},
	"commands":  {{"slash-commands.md", "## Your own", ""}},
	"providers": {{"providers.md", "## Configured", "*."}},
	"tasks":     append([]table{{"configuration.md", "## Tasks", "*."}}, featureTables("*.features.")...),
	"tools":     {{"tools.md", "## Describing tools", "*."}},
	"mcp":       {{"tools.md", "## MCP servers", "*."}, {"tools.md", "### Logging in", "*."}},
	"hooks":     {{"hooks.md", "# Shell hooks", "*."}},
	"features":  featureTables(""),
	"sandbox":   featureTables(""),
	"plugin":    {{"plugin-manifest.md", "## plugin.yaml", ""}},
	"policy":    {{"teams.md", "## Keys", ""}, {"teams.md", "## Audit", ""}},
	"script":    nil,
	"test":      {{"writing-a-plugin.md", "## The test file", ""}},
	"lock":      {{"install-plugins.md", "## The lock", ""}},
	"index":     {{"sources.md", "## The file", ""}},
}

type table struct{ page, heading, below string }

// featureTables returns the tables of the features. Their first heading names the feature.
func featureTables(below string) []table {
	text, err := os.ReadFile(filepath.Join(docs, "configuration.md"))
	if err != nil {
		panic(err)
	}
	out := []table{{"configuration.md", "### Trust", below}}
	heading := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "#") {
			heading = line
		}
		if _, feature, found := strings.Cut(line, "| key of `"); found {
			feature, _, _ = strings.Cut(feature, "`")
			out = append(out, table{"configuration.md", heading, below + feature + "."})
		}
	}
	return out
}

// meanings collects the cells of the first table below a heading that say what each key means, by the path of the key: those of the column "value" if
// another one follows, else the last ones.
func (tb table) meanings(t *testing.T, into map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, tb.page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut("\n"+string(text), "\n"+tb.heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", tb.page, tb.heading)
	}
	inside, column := false, -1
	for line := range strings.SplitSeq(section, "\n") {
		if !strings.HasPrefix(line, "|") {
			if inside {
				return
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !inside {
			if column = slices.Index(cells, "value"); column < 0 {
				column = len(cells) - 1
			}
		}
		inside = true
		if len(cells) <= column {
			continue // the line below the headings
		}
		for i, key := range strings.Split(cells[0], "`") {
			if i%2 == 1 {
				into[tb.below+key] = plain(cells[column])
			}
		}
	}
}

// plain returns Markdown without links and backquotes.
func plain(markdown string) string {
	var out strings.Builder
	for rest := markdown; rest != ""; {
		before, label, found := strings.Cut(rest, "[")
		out.WriteString(before)
		if !found {
			break
		}
		text, target, link := strings.Cut(label, "](")
		if !link {
			out.WriteString("[" + label)
			break
		}
		out.WriteString(text)
		_, rest, _ = strings.Cut(target, ")")
	}
	return strings.ReplaceAll(out.String(), "`", "")
}

// TestPublished compares docs/schemas with the reader's types and with the tables in docs/. It is not parallel, so that it has
// written the schemas before other tests read them.
func TestPublished(t *testing.T) {
	for _, k := range schema.Kinds() {
		about := map[string]string{}
		tables, ok := described[k.Name]
		if !ok {
			t.Errorf("%s: which table in docs/ has its keys?", k.Name)
		}
		for _, tb := range tables {
			tb.meanings(t, about)
		}
		want, err := k.Generate(func(path string) string { return about[path] })
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(published, k.FileName())
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: go test ./internal/settings/schema -run TestPublished -update", file)
		}
		if text, err := k.Text(); err != nil || !*update && !bytes.Equal(text, want) {
			t.Errorf("%s is not what aura prints: %v", file, err)
		}
		if tables == nil {
			continue
		}
		var content map[string]any
		if err := json.Unmarshal(want, &content); err != nil {
			t.Fatal(err)
		}
		if below, ok := content["additionalProperties"].(map[string]any); ok {
			content = below
		}
		undescribed(t, k.Name, content)
	}
	files, err := filepath.Glob(filepath.Join(published, "*.json"))
	if err != nil || len(files) != len(schema.Kinds()) {
		t.Errorf("%d files for %d kinds, %v", len(files), len(schema.Kinds()), err)
	}
}

// undescribed reports keys that contain no further keys and have no description.
func undescribed(t *testing.T, path string, content map[string]any) {
	t.Helper()
	properties, ok := content["properties"].(map[string]any)
	if !ok {
		if content["description"] == nil {
			t.Errorf("%s has no description: add it to the table in docs/", path)
		}
		return
	}
	for name, below := range properties {
		undescribed(t, path+"."+name, below.(map[string]any))
	}
}
