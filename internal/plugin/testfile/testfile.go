// Package testfile reads the files in which a plugin's author writes tests of the plugin: YAML in the plugin's testdata.
package testfile

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// document is a file as written.
type document struct {
	Tests []test `yaml:"tests" check:"required"`
}

type test struct {
	Name   strictyaml.At[string] `yaml:"name" check:"required"`
	Config map[string]any        `yaml:"config"`
	Env    map[string]string     `yaml:"env"`
	Files  map[string]string     `yaml:"files"`
	Calls  []call                `yaml:"calls" check:"required"`
}

type call struct {
	Point   strictyaml.At[point] `yaml:"point" check:"required"`
	Context fields               `yaml:"context"`
	Args    any                  `yaml:"args"`
	Result  any                  `yaml:"result"`
	Match   any                  `yaml:"match"`
	Error   *string              `yaml:"error"`
	Called  *bool                `yaml:"called"`
}

// point is the text of a point.
type point string

// YAMLSchema implements strictyaml.Described.
func (point) YAMLSchema() map[string]any {
	alternatives := []string{"(tool|command|paths|event):.+"}
	for _, p := range hookpoint.All() {
		alternatives = append(alternatives, string(p.Name))
	}
	return map[string]any{"type": "string", "pattern": "^(" + strings.Join(alternatives, "|") + ")$"}
}

// fields holds fields of a context, by their Go names.
type fields map[string]any

// YAMLSchema implements strictyaml.Described. The point decides which of the fields exist.
func (fields) YAMLSchema() map[string]any {
	known := map[string]any{}
	for _, name := range fieldNames() {
		known[name] = map[string]any{}
	}
	return map[string]any{"type": "object", "properties": known, "additionalProperties": false}
}

// fieldNames returns the names of the fields that a context has at some point, sorted.
func fieldNames() []string {
	var out []string
	for _, p := range hookpoint.All() {
		for _, f := range reflect.VisibleFields(p.Context) {
			out = append(out, f.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FileType returns the type that a file is decoded into.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// Test is one test: calls of one child, in order.
type Test struct {
	Name string
	// File and Line are where the test begins.
	File string
	Line int
	// Config is added to the plugin's configuration. Env holds the variables of the environment; there are no others. Files holds the
	// files in the working directory, by slash-separated relative paths.
	Config map[string]any
	Env    map[string]string
	Files  map[string]string
	Calls  []Call
}

// Call is one call and what is expected of it.
type Call struct {
	Line  int
	Point string
	// Context holds fields of the context. Args holds the arguments of a tool (a mapping) or of a command (a text).
	Context map[string]any
	Args    any
	// Result is the whole expected result, if HasResult is set. Match holds regular expressions for the texts of a result, in the
	// structure of the result; nil for none.
	Result    any
	HasResult bool
	Match     any
	// Error is a part of the expected error; nil if the call must succeed.
	Error *string
	// Called is false if the plugin's condition or its once setting must prevent the call.
	Called bool
}

// Parse reads a file. The name file is used for errors, which have the line.
func Parse(file string, data []byte) ([]Test, error) {
	var d document
	if err := strictyaml.Decode(file, data, &d); err != nil {
		return nil, err
	}
	if len(d.Tests) == 0 {
		return nil, &strictyaml.Error{File: file, Err: errors.New("there are no tests: list them below the key tests")}
	}
	var out []Test
	var faults []error
	seen := map[string]bool{}
	for _, t := range d.Tests {
		at := func(line int, err error) {
			if err != nil {
				faults = append(faults, &strictyaml.Error{File: file, Line: line, Err: err})
			}
		}
		switch {
		case t.Name.Value == "":
			at(t.Name.Line, errors.New("a test has no name: set name"))
		case len(t.Calls) == 0:
			at(t.Name.Line, fmt.Errorf("test %q makes no calls: list them below calls", t.Name.Value))
		case seen[t.Name.Value]:
			at(t.Name.Line, fmt.Errorf("two tests are named %q", t.Name.Value))
		}
		seen[t.Name.Value] = true
		for name := range t.Files {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				at(t.Name.Line, fmt.Errorf("key %q: %q leads out of the working directory", "files", name))
			}
		}
		made := Test{Name: t.Name.Value, File: file, Line: t.Name.Line, Config: t.Config, Env: t.Env, Files: t.Files}
		for _, c := range t.Calls {
			at(cmp.Or(c.Point.Line, t.Name.Line), c.check())
			made.Calls = append(made.Calls, Call{
				Line: c.Point.Line, Point: string(c.Point.Value), Context: timeless(map[string]any(c.Context)).(map[string]any), //nolint:forcetypeassert // a map stays one
				Args: timeless(c.Args), Result: timeless(c.Result), HasResult: c.Result != nil, Match: c.Match, Error: c.Error, Called: c.Called == nil || *c.Called,
			})
		}
		out = append(out, made)
	}
	return out, errors.Join(faults...)
}

// check returns an error if a field of the context is unknown, or if expectations contradict each other.
func (c call) check() error {
	known := fieldNames()
	for name := range c.Context {
		if !slices.Contains(known, name) {
			return fmt.Errorf("key %q: no context has a field %q%s", "context", name, nearest.Hint(name, known))
		}
	}
	switch expects := c.Result != nil || c.Match != nil; {
	case c.Point.Value == "":
		return errors.New("a call has no point: set point to the name of a hook, to tool:NAME or to command:NAME")
	case c.Called != nil && !*c.Called && (expects || c.Error != nil):
		return errors.New("a call that is not made has no result and no error: remove result, match and error, or called")
	case c.Error != nil && expects:
		return errors.New("a call has a result or an error, not both: remove result and match, or error")
	case c.Result != nil && c.Match != nil:
		return errors.New("result is the whole result, so match adds nothing: remove one of them")
	default:
		return patterns(c.Match)
	}
}

// patterns returns an error if a text of a tree is no regular expression.
func patterns(tree any) error {
	switch v := tree.(type) {
	case nil:
		return nil
	case string:
		if _, err := regexp.Compile(v); err != nil {
			return fmt.Errorf("key %q: %w", "match", err)
		}
		return nil
	case map[string]any:
		for _, inner := range v {
			if err := patterns(inner); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("key %q: write a regular expression, or a mapping of fields to them; %v is neither", "match", tree)
	}
}

// timeless returns a tree in which times are texts. YAML reads an unquoted date as a time; a context has times as texts.
func timeless(tree any) any {
	switch v := tree.(type) {
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case fields: // the YAML library gives the mappings within a mapping the type of the outermost one
		return timeless(map[string]any(v))
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[key] = timeless(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = timeless(inner)
		}
		return out
	default:
		return tree
	}
}
