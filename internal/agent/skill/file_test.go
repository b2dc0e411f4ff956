package skill_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/skill"
)

// TestRules has a row for each rule of the Agent Skills specification.
func TestRules(t *testing.T) {
	t.Parallel()
	const rest = "\ndescription: d"
	for name, row := range map[string]struct {
		dir, keys string
		// faults holds LINE:TEXT of each fault. unusable is part of the error, empty if the skill can be used.
		faults   []string
		unusable string
	}{
		"minimal": {"a", "name: a" + rest, nil, ""},
		"all keys": {"a", "name: a" + rest + "\nlicense: MIT\ncompatibility: needs git\nmetadata:\n  author: me\n  version: \"1.0\"\n" +
			"allowed-tools: Bash(git:*) Read", nil, ""},
		"name: digits and hyphens":   {"a-1-b", "name: a-1-b" + rest, nil, ""},
		"name: letters of a script":  {"überblick", "name: überblick" + rest, nil, ""},
		"name: 64":                   {strings.Repeat("a", 64), "name: " + strings.Repeat("a", 64) + rest, nil, ""},
		"name: 65":                   {"a", "name: " + strings.Repeat("a", 65) + rest, []string{`2:key "name": it has 65 characters; at most 64`}, ""},
		"name: missing":              {"a", "description: d", []string{`1:key "name": missing`}, ""},
		"name: empty":                {"a", "name: ''" + rest, []string{`2:key "name": it is empty`}, ""},
		"name: upper case":           {"a", "name: PDF" + rest, []string{`2:key "name": "PDF" contains something other`}, ""},
		"name: a space":              {"a", "name: a b" + rest, []string{`2:key "name": "a b" contains something other`}, ""},
		"name: an underscore":        {"a", "name: a_b" + rest, []string{`2:key "name": "a_b" contains something other`}, ""},
		"name: first a hyphen":       {"a", "name: -pdf" + rest, []string{`2:key "name": "-pdf" begins or ends`}, ""},
		"name: last a hyphen":        {"a", "name: pdf-" + rest, []string{`2:key "name": "pdf-" begins or ends`}, ""},
		"name: two hyphens":          {"a", "name: p--f" + rest, []string{`2:key "name": "p--f" contains two hyphens`}, ""},
		"name: not the directory's":  {"b", "name: a" + rest, []string{`2:key "name": "a" is not the name of the directory, "b"`}, ""},
		"name: a number":             {"1", "name: 1" + rest, []string{`2:key "name": it is not text`}, ""},
		"name: neither":              {"A B", "name: A" + rest, []string{`2:key "name": "A" contains`}, "SKILL.md:2: neither its name"},
		"description: missing":       {"a", "name: a", nil, `SKILL.md:1: the key "description" is missing`},
		"description: empty":         {"a", "name: a\ndescription: ' '", nil, `SKILL.md:3: the key "description" has no text`},
		"description: 1024":          {"a", "name: a\ndescription: " + strings.Repeat("ä", 1024), nil, ""},
		"description: 1025":          {"a", "name: a\ndescription: " + strings.Repeat("ä", 1025), []string{`3:key "description": it has 1025 characters`}, ""},
		"description: a list":        {"a", "name: a\ndescription: [a]", []string{`3:key "description": it is not text`}, `the key "description" has no text`},
		"license: a number":          {"a", "name: a" + rest + "\nlicense: 2", []string{`4:key "license": it is not text`}, ""},
		"compatibility: 500":         {"a", "name: a" + rest + "\ncompatibility: " + strings.Repeat("c", 500), nil, ""},
		"compatibility: 501":         {"a", "name: a" + rest + "\ncompatibility: " + strings.Repeat("c", 501), []string{`4:key "compatibility": it has 501 characters`}, ""},
		"compatibility: empty":       {"a", "name: a" + rest + "\ncompatibility: ''", []string{`4:key "compatibility": it has 0 characters`}, ""},
		"compatibility: a list":      {"a", "name: a" + rest + "\ncompatibility: [c]", []string{`4:key "compatibility": it is not text`}, ""},
		"metadata: text":             {"a", "name: a" + rest + "\nmetadata: x", []string{`4:key "metadata": it is not a mapping`}, ""},
		"metadata: a number":         {"a", "name: a" + rest + "\nmetadata:\n  version: 1.0", []string{`5:key "metadata.version": it is not text`}, ""},
		"metadata: a mapping":        {"a", "name: a" + rest + "\nmetadata:\n  x: {y: z}", []string{`5:key "metadata.x": it is not text`}, ""},
		"allowed-tools: a list":      {"a", "name: a" + rest + "\nallowed-tools: [Read]", []string{`4:key "allowed-tools": it is a list`}, ""},
		"unknown keys":               {"a", "name: a\nversion: 1" + rest + "\nmodel: x", []string{`3:unknown key "version"`, `5:unknown key "model"`}, ""},
		"a colon that is not quoted": {"a", "name: a\ndescription: Use it when: it's late", []string{`3:invalid YAML: put a value that contains a colon`}, ""},
		"invalid YAML":               {"a", "name: [", nil, "SKILL.md:2: "},
		"a key twice":                {"a", "name: a\nname: b" + rest, nil, `SKILL.md:3: duplicate key "name"`},
		"no mapping":                 {"a", "- name", nil, "SKILL.md:1: it does not begin with keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, faults, err := skill.Parse(filepath.Join(row.dir, skill.FileName), []byte("---\n"+row.keys+"\n---\n\nDo it.\n"))
			if (err == nil) != (row.unusable == "") || err != nil && !strings.Contains(err.Error(), row.unusable) {
				t.Errorf("got error %v, want %q", err, row.unusable)
			}
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprintf("%d:%s", f.Line, f))
			}
			if !slices.EqualFunc(got, row.faults, strings.HasPrefix) {
				t.Errorf("got faults %q, want %q", got, row.faults)
			}
			if err == nil && (file.Body != "Do it." || len(skill.NameFaults(file.Name)) > 0 || len([]rune(file.Description)) > skill.MaxDescription) {
				t.Errorf("got %+v", file)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	file, _, err := skill.Parse("a/SKILL.md", []byte("---\nname: Bad Name\ndescription: Use when: now\nlicense: MIT\ncompatibility: git\n"+
		"metadata: {author: me, n: 1, more: {x: y}}\nallowed-tools: Bash(git add:*), Read  Edit\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	if file.Name != "a" || file.Description != "Use when: now" || file.License != "MIT" || file.Compatibility != "git" || file.Line != 2 || file.Body != "" {
		t.Errorf("got %+v", file)
	}
	if want := map[string]string{"author": "me", "n": "1"}; !maps.Equal(file.Metadata, want) {
		t.Errorf("got metadata %v", file.Metadata)
	}
	if want := []string{"Bash(git add:*)", "Read", "Edit"}; !slices.Equal(file.AllowedTools, want) {
		t.Errorf("got tools %q", file.AllowedTools)
	}
	if _, _, err := skill.Parse("a/SKILL.md", []byte("Do it.\n")); err == nil || !strings.Contains(err.Error(), "does not begin with keys") {
		t.Errorf("without keys: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "---\n---\n", "---\nname: a\ndescription: b\n---\nc", "---\nname: &a [*a]\n---\n", "---\ndescription: a: b\n---\n",
		"---\nmetadata: {a: [1]}\nallowed-tools: [[x]]\n---\n", "---\n<<: {name: x}\ndescription: d\n---\n",
	} {
		f.Add("a", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, dir string, data []byte) {
		file, faults, err := skill.Parse(filepath.Join(dir, skill.FileName), data)
		if err == nil && (len(skill.NameFaults(file.Name)) > 0 || file.Description == "" || len([]rune(file.Description)) > skill.MaxDescription) {
			t.Errorf("got %+v", file)
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.String() == "" {
				t.Errorf("got fault %+v", fault)
			}
		}
	})
}
