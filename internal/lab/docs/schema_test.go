package docs

import (
	"bytes"
	"encoding/json"
	stdflag "flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

const schemaFile = "docs/events.schema.json"

var update = stdflag.Bool("update", false, "write "+schemaFile+" anew")

type object = map[string]any

// TestEventSchema compares the schema with the structs that it is generated from, and with the page, which describes the
// fields.
//
// The test is not parallel, so that it writes the schema before other tests read it.
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
		t.Errorf("%s is out of date: go test ./internal/lab/docs -run TestEventSchema -update", schemaFile)
	}
}

// eventSchema returns the schema of all events. It allows fields that are not listed, because fields may be added later.
func eventSchema(t *testing.T) object {
	t.Helper()
	page := text(t, eventsPage)
	stamp := stampSchema(meanings(beginning(page)))
	defs, refs := object{}, []object{}
	for _, e := range events {
		about := section(t, page, "## "+e.Type())
		def := structSchema(reflect.TypeOf(e), meanings(about))
		def["description"] = sentence(about)
		properties := def["properties"].(object)
		maps.Copy(properties, stamp["properties"].(object))
		properties["type"] = object{"const": e.Type()}
		def["required"] = slices.Concat([]string{"type"}, stamp["required"].([]string), def["required"].([]string))
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

// stampSchema returns the schema of the fields that every line has. Lines of another version have another schema.
func stampSchema(about map[string]string) object {
	stamp := structSchema(reflect.TypeFor[event.Stamp](), about)
	properties := stamp["properties"].(object)
	properties["v"] = object{"const": event.Version, "description": about["v"]}
	properties["seq"].(object)["minimum"] = 1
	return stamp
}

// meanings returns the last column of the tables in a section, by field.
func meanings(about string) map[string]string {
	out := map[string]string{}
	for _, rows := range tables(about) {
		for _, row := range rows {
			out[unquoted(row[0])] = plainText(row[len(row)-1])
		}
	}
	return out
}

// sentence returns the first paragraph of a section.
func sentence(about string) string {
	paragraph, _, _ := strings.Cut(strings.TrimSpace(about), "\n\n")
	return plainText(strings.ReplaceAll(paragraph, "\n", " "))
}

var regexpLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// plainText returns Markdown without links and backquotes.
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
	case reflect.Pointer:
		return typeSchema(t.Elem(), about)
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

var someStamp = event.Stamp{Version: event.Version, Seq: 1, Time: time.Unix(1, 0)}

// TestEventsFitTheSchema validates each event with all fields set and with as few fields as possible. For this test the schema
// is strict: an unknown field is an error.
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
			line, err := event.Encode(value, someStamp)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(schema, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	const stamp = `"v":1,"seq":1,"time":"2026-03-01T09:30:00.000Z"`
	for about, line := range map[string]string{
		"an unknown event": `{"type":"surprise",` + stamp + `}`, "a field too many": `{"type":"delta",` + stamp + `,"speed":3}`,
		"a field missing": `{"type":"notice",` + stamp + `}`, "a wrong type": `{"type":"notice",` + stamp + `,"text":3}`,
		"no type": `{` + stamp + `,"text":"x"}`, "no object": `[]`, "no stamp": `{"type":"delta"}`,
		"another version": `{"type":"delta","v":2,"seq":1,"time":"2026-03-01T09:30:00.000Z"}`,
		"no number":       `{"type":"delta","v":1,"time":"2026-03-01T09:30:00.000Z"}`,
		"number 0":        `{"type":"delta","v":1,"seq":0,"time":"2026-03-01T09:30:00.000Z"}`,
		"no time":         `{"type":"delta","v":1,"seq":1}`,
		"a wrong time":    `{"type":"delta","v":1,"seq":1,"time":"today"}`,
	} {
		if validate(schema, []byte(line)) == nil {
			t.Errorf("%s is accepted: %s", about, line)
		}
	}
}

// fillIn sets all fields of a value to nonzero values.
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
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(v.Elem())
	case reflect.Float64:
		v.SetFloat(0.25)
	default:
		v.SetInt(7)
	}
}

// strictSchema returns the schema in docs/, changed so that it allows no unknown fields.
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

// closed makes an object and the objects in it refuse fields that are not listed.
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
