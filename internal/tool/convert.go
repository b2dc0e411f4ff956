package tool

import (
	"slices"
	"strings"
)

// Convert makes arguments of texts, such as those of a command line, by the types that the schema names for them: a number of
// "3", a list of "[1,2]". A text that cannot be what it should stays a text, and Validate will say so.
func (s *Schema) Convert(texts map[string]string) map[string]any {
	out := make(map[string]any, len(texts))
	for name, text := range texts {
		out[name] = converted(text, s.root.typesOf(name))
	}
	return out
}

// typesOf are the types that a property may have; none if nothing says.
func (n *node) typesOf(name string) []string {
	c := collector{done: map[*node]bool{}}
	for _, schema := range c.properties(n, name) {
		c.types(schema)
	}
	return c.found
}

// collector gathers what schemas say, those that count as well included. Each is asked once, since they may form a ring.
type collector struct {
	done  map[*node]bool
	found []string
}

// alongside are the schemas that are about the same value.
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

// converted is a text as the first of the types that it can be. A string is what it is if nothing else fits.
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
	// Nobody says what it is, so what looks like a list or an object is one.
	if len(types) == 0 && strings.ContainsAny(text[:1], "[{") {
		return value
	}
	return text
}
