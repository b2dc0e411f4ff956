package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Difference is a field of a result that differs. Before and After are JSON; an empty string is a missing field.
type Difference struct {
	Field  string `json:"field"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Compare returns the fields in which two JSON documents differ, sorted by their paths. An empty path is the document itself.
func Compare(before, after json.RawMessage) ([]Difference, error) {
	a, err := parse(before)
	if err != nil {
		return nil, err
	}
	b, err := parse(after)
	if err != nil {
		return nil, err
	}
	var out []Difference
	compare("", a, b, &out)
	return out, nil
}

// missing is a field that is not there.
type missing struct{}

func parse(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return missing{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("comparing results: %w", err)
	}
	return tree, nil
}

func compare(path string, a, b any, out *[]Difference) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			compareObjects(path, x, y, out)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				compare(path+"["+strconv.Itoa(i)+"]", at(x, i), at(y, i), out)
			}
			return
		}
	}
	if was, is := text(a), text(b); was != is {
		*out = append(*out, Difference{Field: path, Before: was, After: is})
	}
}

func compareObjects(path string, a, b map[string]any, out *[]Difference) {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		inner := name
		if path != "" {
			inner = path + "." + name
		}
		compare(inner, field(a, name), field(b, name), out)
	}
}

func field(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	return missing{}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return missing{}
}

// text returns a value as JSON. Its keys are sorted, so equal values have equal texts.
func text(v any) string {
	if _, ok := v.(missing); ok {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}
