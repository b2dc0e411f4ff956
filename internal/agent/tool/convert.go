package tool

import (
	"slices"
	"strings"
)

// Convert converts texts, such as those of a command line, to arguments of the types in the schema: "3" to a number, "[1,2]" to
// an array. A text that cannot be converted stays a string, and Validate reports it.
func (s *Schema) Convert(texts map[string]string) map[string]any {
	out := make(map[string]any, len(texts))
	for name, text := range texts {
		out[name] = converted(text, s.root.typesOf(name))
	}
	return out
}

// typesOf returns the types that a property may have. It is empty if the schema does not restrict them.
func (n *node) typesOf(name string) []string {
	c := collector{done: map[*node]bool{}}
	for _, schema := range c.properties(n, name) {
		c.types(schema)
	}
	return c.found
}

// collector collects the types from a schema and the schemas combined with it. It visits each schema once, because schemas may
// form cycles.
type collector struct {
	done  map[*node]bool
	found []string
}

// alongside returns the other schemas that apply to the same value.
func (n *node) alongside() []*node {
	out := slices.Concat(n.all, n.some, n.one)
	if n.ref != nil {
		out = append(out, n.ref)
	}
	return out
}

func (c *collector) properties(n *node, name string) []*node {
	if c.done[n] {
		return nil
	}
	c.done[n] = true
	out := new(review).about(n, name)
	for _, other := range n.alongside() {
		out = append(out, c.properties(other, name)...)
	}
	if len(out) == 0 && n.additional != nil {
		out = append(out, n.additional)
	}
	return out
}

func (c *collector) types(n *node) {
	c.found = append(c.found, n.types...)
	if c.done[n] {
		return
	}
	c.done[n] = true
	for _, other := range n.alongside() {
		c.types(other)
	}
}

// converted returns the text as a value of one of the types, or else as a string.
func converted(text string, types []string) any {
	var value any
	err := parseJSON([]byte(text), &value)
	if err == nil {
		value, err = numbers(value)
	}
	if err != nil {
		return text
	}
	_, kind := known(value)
	wanted := slices.Contains(types, kind) || kind == "number" && slices.Contains(types, "integer")
	if wanted && kind != "string" {
		return value
	}
	// The schema does not restrict the type, so a text that looks like an array or an object becomes one.
	if len(types) == 0 && strings.ContainsAny(text[:1], "[{") {
		return value
	}
	return text
}
