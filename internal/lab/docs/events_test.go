package docs

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

const eventsPage = "docs/json-events.md"

// events lists all events. TestEventsAreComplete compares the list with the source.
var events = []event.Event{
	event.Session{},
	event.Message{},
	event.Injection{},
	event.Request{},
	event.Delta{},
	event.Approval{},
	event.ToolCall{},
	event.Progress{},
	event.ToolResult{},
	event.Network{},
	event.Waiting{},
	event.Notice{},
	event.PluginError{},
	event.PluginChange{},
	event.PluginCall{},
	event.PluginState{},
	event.PluginLog{},
	event.ServerLog{},
	event.Command{},
	event.Compaction{},
	event.AgentSwitch{},
	event.Error{},
	event.Done{},
	event.Health{},
}

func TestEventsAreComplete(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, e := range events {
		listed = append(listed, reflect.TypeOf(e).Name())
	}
	slices.Sort(listed)
	if declared := declaredEvents(t); !slices.Equal(listed, declared) {
		t.Errorf("the list of this test is %v, package event declares %v", listed, declared)
	}
}

// declaredEvents returns the types of package event that have a method Type.
func declaredEvents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repo, "internal", "agent", "conversation", "event", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Type" {
				continue
			}
			if receiver, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, receiver.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestEventFields compares the tables of the page with the structs: each field in its order, and whether the field may be
// missing.
func TestEventFields(t *testing.T) {
	t.Parallel()
	page := text(t, eventsPage)
	stamp := append([]string{"type"}, fieldsOf(reflect.TypeFor[event.Stamp]())...)
	if got := tablesOf(beginning(page)); !reflect.DeepEqual(got, [][]string{stamp}) {
		t.Errorf("the beginning of the page has %v, the code %v", got, stamp)
	}
	for _, e := range events {
		tables := tablesOf(section(t, page, "## "+e.Type()))
		want := [][]string{fieldsOf(reflect.TypeOf(e))}
		if _, ok := e.(event.Done); ok {
			want = append(want, fieldsOf(reflect.TypeFor[event.Stats]()), fieldsOf(reflect.TypeFor[event.ModelUse]()))
		}
		if !reflect.DeepEqual(tables, want) {
			t.Errorf("%s: the page has %v, the code %v", e.Type(), tables, want)
		}
	}
	for _, m := range heading.FindAllStringSubmatch(page, -1)[1:] {
		if !slices.ContainsFunc(events, func(e event.Event) bool { return e.Type() == m[1] }) {
			t.Errorf("the page has a section %q, which is no event", m[1])
		}
	}
}

// beginning returns the text before the first event.
func beginning(page string) string {
	before, _, _ := strings.Cut(page, "\n## ")
	return before
}

// TestPluginCallFields compares the names of changes and outcomes on the page with the code.
func TestPluginCallFields(t *testing.T) {
	t.Parallel()
	about := section(t, text(t, eventsPage), "## "+event.PluginCall{}.Type())
	_, list, _ := strings.Cut(about, "`fields` lists what the plugin changed: ")
	list, _, _ = strings.Cut(list, ". It does not")
	same(t, "changes of a plugin call", quotedWords(list), pipeline.FieldNames())
	_, list, _ = strings.Cut(about, "the effect of the call: ")
	list, _, _ = strings.Cut(list, " |")
	same(t, "outcomes of a plugin call", quotedWords(list), []string{
		string(event.OutcomeNothing), string(event.OutcomeInjected), string(event.OutcomeBlocked), string(event.OutcomeChanged),
		string(event.OutcomeError), string(event.OutcomeTimeout),
	})
}

// quotedWords returns the words between backquotes.
func quotedWords(text string) []string {
	var words []string
	for i, word := range strings.Split(text, "`") {
		if i%2 == 1 {
			words = append(words, word)
		}
	}
	return words
}

const ifSet = " if set"

// fieldsOf returns the JSON names of a struct's fields.
func fieldsOf(t reflect.Type) []string {
	var out []string
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if strings.Contains(options, "omitempty") {
			name += ifSet
		}
		out = append(out, name)
	}
	return out
}

// tablesOf returns the first two columns of the tables in a text that start with a field.
func tablesOf(text string) [][]string {
	var out [][]string
	for _, rows := range tables(text) {
		var fields []string
		for _, row := range rows {
			field := unquoted(row[0])
			if row[1] != "" {
				field += " " + row[1]
			}
			fields = append(fields, field)
		}
		out = append(out, fields)
	}
	return out
}

// TestEventExamples decodes the examples like a program that knows all fields.
func TestEventExamples(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, b := range read(t, eventsPage) {
		if !b.has("event") {
			continue
		}
		for line := range strings.Lines(b.text) {
			shown[checkEvent(t, b, strings.TrimSpace(line))] = true
		}
	}
	for _, e := range events {
		if !shown[e.Type()] {
			t.Errorf("no example of %s", e.Type())
		}
	}
}

// checkEvent checks that an example is byte for byte what aura would write, and returns its type.
func checkEvent(t *testing.T, b block, line string) string {
	t.Helper()
	var kind struct{ Type string }
	if err := json.Unmarshal([]byte(line), &kind); err != nil {
		t.Errorf("%s: %v", b.where(), err)
		return ""
	}
	i := slices.IndexFunc(events, func(e event.Event) bool { return e.Type() == kind.Type })
	if i < 0 {
		t.Errorf("%s: no event is of type %q", b.where(), kind.Type)
		return ""
	}
	value := reflect.New(reflect.TypeOf(events[i]))
	if err := json.NewDecoder(bytes.NewReader([]byte(line))).Decode(value.Interface()); err != nil {
		t.Errorf("%s: %v", b.where(), err)
		return ""
	}
	var stamp event.Stamp
	if err := json.Unmarshal([]byte(line), &stamp); err != nil || stamp.Version != event.Version {
		t.Errorf("%s: it is of version %d, not %d (%v)", b.where(), stamp.Version, event.Version, err)
	}
	e, _ := reflect.TypeAssert[event.Event](value.Elem())
	if again, err := event.Encode(e, stamp); err != nil || string(again) != line {
		t.Errorf("%s: the page has\n%s\naura would write\n%s (%v)", b.where(), line, again, err)
	}
	return kind.Type
}
