package docs

import (
	"bytes"
	"encoding/json"
	stdflag "flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idelchi/aura/internal/conversation/event"
)

const schemaFile = "docs/events.schema.json"

var update = stdflag.Bool("update", false, "write "+schemaFile+" anew")

type object = map[string]any

// TestEventSchema compares the schema with the structs, from which it is made, and with the page, which says what they mean.
//
// It is not parallel, so that it has written the schema before others read it.
func TestEventSchema(t *testing.T) {
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(eventSchema(t)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(repo, schemaFile)
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is out of date: go test ./internal/docs -run TestEventSchema -update", schemaFile)
	}
}

// eventSchema describes each event. Fields that are not listed are allowed, since some may be added.
func eventSchema(t *testing.T) object {
	t.Helper()
	page := text(t, eventsPage)
	defs, refs := object{}, []object{}
	for _, e := range events {
		about := section(t, page, "## "+e.Type())
		def := structSchema(reflect.TypeOf(e), meanings(about))
		def["description"] = sentence(about)
		def["properties"].(object)["type"] = object{"const": e.Type()}
		def["required"] = append([]string{"type"}, def["required"].([]string)...)
		defs[e.Type()] = def
		refs = append(refs, object{"$ref": "#/$defs/" + e.Type()})
	}
	return object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Events of aura run --json",
		"description": "One line of standard output. Fields and events that are not listed may be added.",
		"oneOf":       refs, "$defs": defs,
	}
}

// meanings are the last column of the tables in a section, by field.
func meanings(about string) map[string]string {
	out := map[string]string{}
	for _, rows := range tables(about) {
		for _, row := range rows {
			out[unquoted(row[0])] = plainText(row[len(row)-1])
		}
	}
	return out
}

// sentence is the first paragraph of a section.
func sentence(about string) string {
	paragraph, _, _ := strings.Cut(strings.TrimSpace(about), "\n\n")
	return plainText(strings.ReplaceAll(paragraph, "\n", " "))
}

var regexpLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// plainText is Markdown without links and backquotes.
func plainText(markdown string) string {
	bare := regexpLink.ReplaceAllString(markdown, "$1")
	return strings.ReplaceAll(bare, "`", "")
}

func structSchema(t reflect.Type, about map[string]string) object {
	properties, required := object{}, []string{}
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		property := typeSchema(field.Type, about)
		if about[name] != "" {
			property["description"] = about[name]
		}
		properties[name] = property
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func typeSchema(t reflect.Type, about map[string]string) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": typeSchema(t.Elem(), about)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": typeSchema(t.Elem(), about)}
	case reflect.Struct:
		return structSchema(t, about)
	default:
		return object{"type": "integer"}
	}
}

// TestEventsFitTheSchema validates a value of each event with all fields set and one with as few as there can be. The schema is
// made strict for it: a field that it does not have is an error.
func TestEventsFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := strictSchema(t)
	for _, e := range events {
		full := reflect.New(reflect.TypeOf(e)).Elem()
		fillIn(full)
		bare := reflect.New(reflect.TypeOf(e)).Elem()
		if s, ok := reflect.TypeAssert[event.Session](bare); ok {
			s.Tools = []string{} // never nil
			bare = reflect.ValueOf(s)
		}
		for _, v := range []reflect.Value{full, bare} {
			value, _ := reflect.TypeAssert[event.Event](v)
			line, err := event.Encode(value)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(schema, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	for about, line := range map[string]string{
		"an unknown event": `{"type":"surprise"}`, "a field too many": `{"type":"delta","speed":3}`, "a field missing": `{"type":"notice"}`,
		"a wrong type": `{"type":"notice","text":3}`, "no type": `{"text":"x"}`, "no object": `[]`,
	} {
		if validate(schema, []byte(line)) == nil {
			t.Errorf("%s is accepted: %s", about, line)
		}
	}
}

// fillIn sets all fields of a value to something.
func fillIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
			return
		}
		for field, value := range v.Fields() {
			if field.Tag.Get("json") != "-" {
				fillIn(value)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(json.RawMessage(`{"a":[1]}`)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillIn(v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fillIn(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(7)
	}
}

// strictSchema is the schema as it lies in docs/, with no room for fields that it does not have.
func strictSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text(t, schemaFile)))
	if err != nil {
		t.Fatal(err)
	}
	for _, def := range doc.(object)["$defs"].(object) {
		closed(def.(object))
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("events.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("events.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// closed makes an object refuse what it does not list, and the objects in it too.
func closed(def object) {
	properties, ok := def["properties"].(object)
	if !ok {
		return
	}
	def["additionalProperties"] = false
	for _, p := range properties {
		closed(p.(object))
	}
}

func validate(schema *jsonschema.Schema, line []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
