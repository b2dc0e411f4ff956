package strictyaml_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

type limits struct {
	Memory int     `yaml:"memory"`
	Share  float64 `yaml:"share"`
}

type base struct {
	Description string `yaml:"description"`
}

type sample struct {
	base `yaml:",inline"`

	Name    string                `yaml:"name"`
	Enabled bool                  `yaml:"enabled"`
	Maybe   *bool                 `yaml:"maybe"`
	Limits  limits                `yaml:"limits"`
	Env     []string              `yaml:"env"`
	Vars    map[string]string     `yaml:"vars"`
	Config  map[string]any        `yaml:"config"`
	Wait    time.Duration         `yaml:"wait"`
	Grade   grade                 `yaml:"grade"`
	Placed  strictyaml.At[limits] `yaml:"placed"`
	Hidden  string                `yaml:"-"`
}

var errGrade = errors.New("a grade is a or b")

type grade string

func (g *grade) UnmarshalYAML(n *yaml.Node) error {
	if n.Value != "a" && n.Value != "b" {
		return fmt.Errorf("reading %q: %w", n.Value, errGrade)
	}

	*g = grade(n.Value)

	return nil
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, give string
		want       []string // all must occur in the error; the first is the beginning of the error
	}{
		{"unknown key", "name: x\ndescr: y\n", []string{
			`f.yaml:2: unknown key "descr"; known keys: config, description, enabled, env`,
		}},
		{"hidden field is unknown", "Hidden: y\n", []string{`f.yaml:1: unknown key "Hidden"`}},
		{"nested unknown key", "limits:\n  memry: 3\n", []string{
			`f.yaml:2: unknown key "memry" in "limits"; known keys: memory, share`,
		}},
		{"unknown key inside At", "placed:\n  memry: 3\n", []string{`f.yaml:2: unknown key "memry" in "placed"`}},
		{"unknown key through merge", "limits:\n  <<: {memry: 3}\n", []string{`f.yaml:2: unknown key "memry"`}},
		{"text for number", "limits:\n  memory: lots\n", []string{
			`f.yaml:2: key "limits.memory": expected a whole number, got text "lots"`,
		}},
		{"fraction for whole number", "limits: {memory: 1.5}", []string{`f.yaml:1: key "limits.memory": expected a whole`}},
		{"number too large", "limits: {memory: 99999999999999999999}", []string{`f.yaml:1: key "limits.memory"`}},
		{"text for fraction", "limits: {share: half}", []string{`f.yaml:1: key "limits.share": expected a number`}},
		{"number for text", "name: 42", []string{`f.yaml:1: key "name": expected text, got the number "42" (put it in`}},
		{"bool for text", "\nname: true", []string{`f.yaml:2: key "name": expected text, got the truth value "true"`}},
		{"list for text", "name: [a]", []string{`f.yaml:1: key "name": expected text, got a list`}},
		{"text for bool", "enabled: \"yes\"", []string{`f.yaml:1: key "enabled": expected true or false`}},
		{"word for bool", "enabled: maybe", []string{`f.yaml:1: key "enabled": expected true or false, got text "maybe"`}},
		{"number for optional bool", "maybe: 3", []string{`f.yaml:1: key "maybe": expected true or false`}},
		{"text for list", "env: HOME", []string{`f.yaml:1: key "env": expected a list, got text "HOME" (put it in brackets)`}},
		{"number in list", "env:\n  - A\n  - 7\n", []string{`f.yaml:3: key "env[1]": expected text`}},
		{"text for mapping", "limits: big", []string{`f.yaml:1: key "limits": expected a mapping of keys`}},
		{"list at the root", "- a\n", []string{`f.yaml:1: expected a mapping of keys, got a list`}},
		{"list for a text value", "vars: {A: [1]}", []string{`f.yaml:1: key "vars.A": expected text, got a list`}},
		{"number for duration", "wait: 10", []string{`f.yaml:1: key "wait": expected a duration such as 10s`}},
		{"word for duration", "wait: soon", []string{`f.yaml:1: key "wait": expected a duration such as 10s`}},
		{"own type", "name: x\ngrade: c", []string{`f.yaml:2: key "grade": reading "c": a grade is a or b`}},
		{"duplicate key", "name: a\nenabled: true\nname: b\n", []string{
			`f.yaml:3: duplicate key "name", first set on line 1`,
		}},
		{"duplicate key in free form", "config:\n  a: {b: 1, b: 2}\n", []string{`f.yaml:2: duplicate key "config.a.b"`}},
		{"key that is no text in free form", "config:\n  a: {1: x}\n", []string{`f.yaml:2: key "config.a.1" is the number`}},
		{"list as key", "config:\n  ? [a]\n  : x\n", []string{`f.yaml:2: key "config": a key must be plain text`}},
		{"two documents", "name: a\n---\nname: b\n", []string{`f.yaml:2: second YAML document`}},
		{"broken second document", "name: a\n---\n\tname: b\n", []string{`f.yaml:3: `}},
		{"broken indentation", "name: a\n enabled: true\n", []string{`f.yaml:2: `}},
		{"tab", "limits:\n\tmemory: 1\n", []string{`f.yaml:2: `}},
		{"unclosed quote", "name: a\ndescription: \"x\nenabled: true\n", []string{`f.yaml:2: `}},
		{"unclosed list", "name: a\nwait: 1s\nenv: [A,\n", []string{`f.yaml:3: `}},
		{"unknown anchor", "name: a\ndescription: *nope\n", []string{`f.yaml:2: unknown anchor 'nope' referenced`}},
		{"anchor within itself", "config: &a\n  b: *a\n", []string{`f.yaml:`, "levels deep"}},
		{"merge within itself", "config: &a\n  <<: *a\n", []string{`f.yaml:`, "without end"}},
		{"bomb", bomb(12), []string{`f.yaml:`, `aliases expand to more than 10000 values`}},
		{"bomb behind an unmarshaler", strings.ReplaceAll(bomb(12), "config:", "grade:"), []string{`f.yaml:`, `expand to more`}},
		{"nesting", "config: {a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", []string{
			`f.yaml:1: `, "nested more than 100 levels deep",
		}},
		{"size", "name: " + strings.Repeat("x", strictyaml.MaxSize), []string{
			`f.yaml: file has 1048582 bytes, the limit is 1048576 (1 MiB)`,
		}},
		{"long value is cut", "enabled: " + strings.Repeat("é", 200), []string{
			`f.yaml:1: key "enabled": expected true or false, got text "` + strings.Repeat("é", 40) + `…"`,
		}},
		{"not UTF-8", "name: \xff\xfe\n", []string{`f.yaml:1: `}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got := sample{Name: "before"}

			err := strictyaml.Decode("f.yaml", []byte(tt.give), &got)
			if err == nil {
				t.Fatalf("no error, got %+v", got)
			}

			if !strings.HasPrefix(err.Error(), tt.want[0]) {
				t.Errorf("got  %s\nwant %s…", err, tt.want[0])
			}

			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %s\nwithout %s", err, want)
				}
			}

			if !reflect.DeepEqual(got, sample{Name: "before"}) {
				t.Errorf("the target was changed: %+v", got)
			}
		})
	}
}

// bomb returns a document in which each level refers to the level below it ten times.
func bomb(levels int) string {
	var b strings.Builder

	b.WriteString("config:\n  l0: &l0 [x]\n")

	for i := 1; i < levels; i++ {
		ref := fmt.Sprintf("*l%d", i-1)
		fmt.Fprintf(&b, "  l%d: &l%d [%s]\n", i, i, strings.Join([]string{ref, ref, ref, ref, ref, ref, ref, ref, ref}, ", "))
	}

	return b.String()
}

func TestDecode(t *testing.T) {
	t.Parallel()

	yes := true

	tests := []struct {
		name, give string
		want       sample
	}{
		{"empty", "", sample{Name: "before"}},
		{"comments only", "# nothing\n\n", sample{Name: "before"}},
		{"document mark only", "---\n", sample{Name: "before"}},
		{"byte order mark", "\xef\xbb\xbfname: x\n", sample{Name: "x"}},
		{"windows lines", "name: x\r\nenabled: true\r\n", sample{Name: "x", Enabled: true}},
		{"inlined field", "description: d", sample{base: base{Description: "d"}, Name: "before"}},
		{"empty value leaves the default", "name:\nenv:\n", sample{Name: "before"}},
		{"quoted number is text", "name: '42'", sample{Name: "42"}},
		{"optional bool", "maybe: true", sample{Name: "before", Maybe: &yes}},
		{"duration", "wait: 1m30s", sample{Name: "before", Wait: 90 * time.Second}},
		{"whole number for fraction", "limits: {share: 2}", sample{Name: "before", Limits: limits{Share: 2}}},
		{"own type", "grade: b", sample{Name: "before", Grade: "b"}},
		{"line of a value", "name: x\nplaced:\n  memory: 4\n", sample{
			Name: "x", Placed: strictyaml.At[limits]{Value: limits{Memory: 4}, Line: 3},
		}},
		{"map of text takes scalars as written", "vars: {PORT: 8080, ON: true, V: 1.10}", sample{
			Name: "before", Vars: map[string]string{"PORT": "8080", "ON": "true", "V": "1.10"},
		}},
		{"free form keeps int, float, bool and text apart", "config: {i: 3, f: 1.5, b: true, s: '3', n: {x: [1]}}", sample{
			Name: "before",
			Config: map[string]any{
				"i": 3, "f": 1.5, "b": true, "s": "3", "n": map[string]any{"x": []any{1}},
			},
		}},
		{"anchors and merge", "config:\n  a: &a {x: 1, y: 2}\n  b: {<<: *a, y: 3}\n", sample{
			Name:   "before",
			Config: map[string]any{"a": map[string]any{"x": 1, "y": 2}, "b": map[string]any{"x": 1, "y": 3}},
		}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got := sample{Name: "before"}
			if err := strictyaml.Decode("f.yaml", []byte(tt.give), &got); err != nil {
				t.Fatal(err)
			}

			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestDecodeKeepsTheCause(t *testing.T) {
	t.Parallel()

	err := strictyaml.Decode("f.yaml", []byte("\ngrade: z"), &sample{})
	if !errors.Is(err, errGrade) {
		t.Errorf("the cause is lost: %v", err)
	}

	var placed *strictyaml.Error
	if !errors.As(err, &placed) || placed.File != "f.yaml" || placed.Line != 2 {
		t.Errorf("the place is lost: %+v", placed)
	}
}

func TestDecodeTarget(t *testing.T) {
	t.Parallel()

	for _, into := range []any{nil, sample{}, (*sample)(nil)} {
		if err := strictyaml.Decode("f.yaml", nil, into); err == nil {
			t.Errorf("%T was accepted as a target", into)
		}
	}

	got := map[string]limits{}
	if err := strictyaml.Decode("f.yaml", []byte("a: {memory: 1}\nb: {memory: 2}\n"), &got); err != nil {
		t.Fatal(err)
	}

	if want := (map[string]limits{"a": {Memory: 1}, "b": {Memory: 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestFrontmatter(t *testing.T) {
	t.Parallel()

	tests := []struct{ name, give, body, title, err string }{
		{"block and body", "---\nname: x\n---\n\nHello\n", "\nHello\n", "x", ""},
		{"no block", "Hello\n---\nname: x\n---\n", "Hello\n---\nname: x\n---\n", "before", ""},
		{"empty file", "", "", "before", ""},
		{"empty block", "---\n---\nHello", "Hello", "before", ""},
		{"no body", "---\nname: x\n---", "", "x", ""},
		{"windows lines", "---\r\nname: x\r\n---\r\nHello\r\n", "Hello\r\n", "x", ""},
		{"byte order mark", "\xef\xbb\xbf---\nname: x\n---\nHello", "Hello", "x", ""},
		{"rule in the body stays", "---\nname: x\n---\na\n---\nb\n", "a\n---\nb\n", "x", ""},
		{"longer rule is no fence", "----\nname: x\n", "----\nname: x\n", "before", ""},
		{"never closed", "---\nname: x\n", "", "", "f.md:1: frontmatter opened"},
		{"only a fence", "---", "", "", "f.md:1: frontmatter opened"},
		{"line of the file", "---\nname: x\nnam: y\n---\n", "", "", `f.md:3: unknown key "nam"`},
		{"line of a syntax error", "---\nname: x\n  a: b\n---\n", "", "", "f.md:3: "},
		{"too large", "---\n---\n" + strings.Repeat("x", strictyaml.MaxSize), "", "", "f.md: file has"},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got := sample{Name: "before"}

			body, err := strictyaml.Frontmatter("f.md", []byte(tt.give), &got)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Fatalf("got %v, want %s…", err, tt.err)
				}

				return
			}

			if err != nil || body != tt.body || got.Name != tt.title {
				t.Errorf("got body %q, name %q, error %v", body, got.Name, err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "name: x", "a: &a [*a]", "config: {<<: {a: 1}}", "---\n---\n", "? [a]\n: b", "name: !!binary x", bomb(4),
		"placed: {memory: 1}", "grade: c", "\t", "name: |\n  a\n", "limits: *x", "config: {d: 2024-01-01, e: .inf}",
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		var into sample
		if err := strictyaml.Decode("f.yaml", data, &into); err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("the error names no file: %v", err)
		}

		var free any
		if err := strictyaml.Decode("f.yaml", data, &free); err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("the error names no file: %v", err)
		}
	})
}
