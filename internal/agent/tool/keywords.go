package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// reader compiles the keywords of one schema. It keeps the first error, with its keyword.
type reader struct {
	*compiler

	written object
	depth   int
	err     error
}

func (r *reader) fail(keyword string, err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%s: %w", keyword, err)
	}
}

func (r *reader) fill(n *node) {
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := r.written[keyword].(string); ok && n.ref == nil {
			n.ref = r.reference(keyword, ref)
		}
	}
	if n.ref != nil && r.alone {
		return
	}
	n.types = r.types()
	n.facts = r.facts()
	r.fillObject(n)
	r.fillArray(n)
	n.all, n.some, n.one = r.list("allOf"), r.list("anyOf"), r.list("oneOf")
	n.not, n.when, n.then, n.els = r.one("not"), r.one("if"), r.one("then"), r.one("else")
}

func (r *reader) fillObject(n *node) {
	n.properties, n.required = r.named("properties"), r.strings("required", r.written["required"])
	for name, schema := range r.named("patternProperties") {
		matching, err := r.pattern(name)
		r.fail("patternProperties", err)
		n.patterns = append(n.patterns, patterned{matching, schema})
	}
	n.additional, n.unevaluated, n.names = r.one("additionalProperties"), r.one("unevaluatedProperties"), r.one("propertyNames")
	n.implied, n.dependent = r.named("dependentSchemas"), map[string][]string{}
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		for name, value := range r.fields(keyword) {
			if _, ok := value.([]any); ok || keyword == "dependentRequired" {
				n.dependent[name] = r.strings(keyword, value)
				continue
			}
			if n.implied == nil {
				n.implied = map[string]*node{}
			}
			n.implied[name] = r.schema(keyword, value)
		}
	}
}

func (r *reader) fillArray(n *node) {
	n.prefix, n.contains = r.list("prefixItems"), r.one("contains")
	if _, ok := r.written["items"].([]any); ok { // as in drafts up to 2019-09
		n.prefix, n.items = r.list("items"), r.one("additionalItems")
	} else {
		n.items = r.one("items")
	}
	for keyword, place := range map[string]*int{"minContains": &n.least, "maxContains": &n.most} {
		if value, ok := r.written[keyword]; ok {
			count, ok := number(value)
			if !ok || count < 0 {
				r.fail(keyword, errors.New("it is no count"))
			}
			*place = int(min(count, maxSchemaBytes))
		}
	}
}

func (r *reader) reference(keyword, ref string) *node {
	value, err := r.refer(r.written, ref)
	if err != nil {
		r.fail(keyword, err)
		return nil
	}
	return r.schema(keyword, value)
}

func (r *reader) schema(keyword string, value any) *node {
	n, err := r.compile(value, r.depth+1)
	r.fail(keyword, err)
	return n
}

// one compiles the schema of a keyword. It returns nil if the keyword is absent.
func (r *reader) one(keyword string) *node {
	value, ok := r.written[keyword]
	if !ok {
		return nil
	}
	return r.schema(keyword, value)
}

func (r *reader) list(keyword string) []*node {
	value, ok := r.written[keyword]
	if !ok {
		return nil
	}
	values, ok := value.([]any)
	if !ok {
		r.fail(keyword, errors.New("it is no list"))
	}
	var out []*node
	for _, v := range values {
		out = append(out, r.schema(keyword, v))
	}
	return out
}

// fields returns the object of a keyword. It returns nil if the keyword is absent.
func (r *reader) fields(keyword string) object {
	value, ok := r.written[keyword]
	if !ok {
		return nil
	}
	fields, ok := value.(object)
	if !ok {
		r.fail(keyword, errors.New("it is no object"))
	}
	return fields
}

func (r *reader) named(keyword string) map[string]*node {
	fields := r.fields(keyword)
	if fields == nil {
		return nil
	}
	out := make(map[string]*node, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out[name] = r.schema(keyword+" "+name, fields[name])
	}
	return out
}

func (r *reader) strings(keyword string, value any) []string {
	if value == nil {
		return nil
	}
	values, ok := value.([]any)
	if !ok {
		r.fail(keyword, errors.New("it is no list of names"))
	}
	var out []string
	for _, v := range values {
		name, ok := v.(string)
		if !ok {
			r.fail(keyword, fmt.Errorf("%v is no name", v))
		}
		out = append(out, name)
	}
	return out
}

var typeNames = []string{"null", "boolean", "string", "number", "integer", "array", "object"}

func (r *reader) types() []string {
	value, ok := r.written["type"]
	if !ok {
		return nil
	}
	if name, ok := value.(string); ok {
		value = []any{name}
	}
	out := r.strings("type", value)
	for _, name := range out {
		if !slices.Contains(typeNames, name) {
			r.fail("type", fmt.Errorf("%q is none; there are %q", name, typeNames))
		}
	}
	if len(out) == 0 {
		r.fail("type", errors.New("it names none"))
	}
	return out
}

// number returns a value of the schema or of the arguments as a number.
func number(value any) (float64, bool) {
	if n, ok := value.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	return measured(value)
}
