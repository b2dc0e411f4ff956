//go:build unix

package scripts

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() { commands["schema"] = checkSchema }

// schema FILE TYPE... checks that every line of a file matches docs/events.schema.json without unlisted fields, that the lines
// are numbered from 1 without gaps, and that there are events of the types.
func checkSchema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: schema FILE [TYPE...]")
	}
	schema := eventSchema(ts)
	seen, seq := map[any]bool{}, 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		ts.Check(err)
		if err := schema.Validate(v); err != nil {
			ts.Fatalf("%s: %v", line, err)
		}
		object, _ := v.(map[string]any)
		seen[object["type"]] = true
		if seq++; asText(object["seq"]) != strconv.Itoa(seq) {
			ts.Fatalf("line %d has another number: %s", seq, line)
		}
	}
	for _, kind := range args[1:] {
		if !seen[kind] {
			ts.Fatalf("there is no event of type %s", kind)
		}
	}
}

func eventSchema(ts *testscript.TestScript) *jsonschema.Schema {
	text, err := os.ReadFile(filepath.Join(harness.Repo(), "docs", "events.schema.json"))
	ts.Check(err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	ts.Check(err)
	closeObjects(doc)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("events.json", doc))
	schema, err := c.Compile("events.json")
	ts.Check(err)
	return schema
}

// closeObjects makes objects that list properties refuse other properties.
func closeObjects(v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	if _, lists := object["properties"].(map[string]any); lists {
		object["additionalProperties"] = false
	}
	for _, inner := range object {
		closeObjects(inner)
	}
}
