package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Limits of a schema. Schemas written by people are far below them.
const (
	maxSchemaBytes = 1 << 20
	maxSchemaNodes = 20_000
	maxSchemaDepth = 200
)

// node is a compiled schema, with the schemas inside it and those that it refers to. Nodes may form cycles.
type node struct {
	// never represents the schema false, which no value matches.
	never bool
	types []string
	facts []fact

	properties map[string]*node
	patterns   []patterned
	// additional applies to the other properties. unevaluated applies to the properties that no schema for the same object
	// evaluates.
	additional, unevaluated, names *node

	required  []string
	dependent map[string][]string
	implied   map[string]*node

	// prefix applies to the first elements, items to the others.
	prefix          []*node
	items, contains *node
	// most is -1 if the number of elements that match contains is not limited.
	least, most int

	// ref is a referenced schema, which applies as well.
	ref             *node
	all, some, one  []*node
	not             *node
	when, then, els *node
}

// patterned is a schema for all properties whose names match a pattern.
type patterned struct {
	name   *pattern
	schema *node
}

// object is the source of a schema. Two objects are identical only if they are at the same place in the document.
type object = map[string]any

func identity(o object) uintptr { return reflect.ValueOf(o).Pointer() }

// compiler compiles the schemas of a document to nodes.
type compiler struct {
	nodes map[uintptr]*node
	// owners maps each object to the innermost enclosing schema with an $id. References are relative to that schema.
	owners map[uintptr]object
	// ids maps each $id to its object. anchors maps each owner and anchor name to its object.
	ids     map[string]object
	anchors map[anchor]object
	// instructions is the total number of instructions of all patterns so far.
	instructions int
	// alone means that keywords beside $ref are ignored, as up to draft 7.
	alone bool
}

type anchor struct {
	owner uintptr
	name  string
}

func compile(raw json.RawMessage) (*node, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxSchemaBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its end")
	}
	c := &compiler{nodes: map[uintptr]*node{}, owners: map[uintptr]object{}, ids: map[string]object{}, anchors: map[anchor]object{}}
	if root, ok := document.(object); ok {
		draft, _ := root["$schema"].(string)
		c.alone = slices.ContainsFunc([]string{"draft-03", "draft-04", "draft-06", "draft-07"}, func(old string) bool {
			return strings.Contains(draft, old)
		})
		if err := c.index(root, root, 0); err != nil {
			return nil, err
		}
	}
	return c.compile(document, 0)
}

// index collects the names that references can use.
func (c *compiler) index(value any, owner object, depth int) error {
	if depth > 2*maxSchemaDepth { // each schema is inside an array or an object
		return fmt.Errorf("it is nested more than %d deep", maxSchemaDepth)
	}
	var inside []any
	switch value := value.(type) {
	case object:
		if id, ok := value["$id"].(string); ok {
			owner = value
			c.ids[strings.TrimSuffix(id, "#")] = value
		}
		c.owners[identity(value)] = owner
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := value[keyword].(string); ok {
				c.anchors[anchor{identity(owner), name}] = value
			}
		}
		for _, v := range value {
			inside = append(inside, v)
		}
	case []any:
		inside = value
	}
	for _, v := range inside {
		if err := c.index(v, owner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// compile returns the node of a schema. It compiles each schema once.
func (c *compiler) compile(value any, depth int) (*node, error) {
	if truth, ok := value.(bool); ok {
		return &node{never: !truth}, nil
	}
	written, ok := value.(object)
	if !ok {
		return nil, errors.New("it is neither an object nor true nor false")
	}
	if known, ok := c.nodes[identity(written)]; ok {
		return known, nil
	}
	if len(c.nodes) >= maxSchemaNodes || depth > maxSchemaDepth {
		return nil, fmt.Errorf("it has more than %d parts or is nested more than %d deep", maxSchemaNodes, maxSchemaDepth)
	}
	n := &node{least: 1, most: -1}
	c.nodes[identity(written)] = n
	r := reader{compiler: c, written: written, depth: depth}
	r.fill(n)
	return n, r.err
}

// refer resolves a reference.
func (c *compiler) refer(from object, ref string) (any, error) {
	base, fragment, _ := strings.Cut(ref, "#")
	owner := c.owners[identity(from)]
	if base != "" {
		var ok bool
		if owner, ok = c.ids[base]; !ok {
			return nil, fmt.Errorf("loading %s: a tool's schema must be complete in itself", ref)
		}
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		if found, ok := c.anchors[anchor{identity(owner), fragment}]; ok {
			return found, nil
		}
		return nil, fmt.Errorf("%q leads nowhere", ref)
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", ref, err)
	}
	found, ok := follow(owner, fragment)
	if !ok {
		return nil, fmt.Errorf("%q leads nowhere", ref)
	}
	return found, nil
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// follow resolves a JSON pointer.
func follow(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		switch inside := value.(type) {
		case object:
			var ok bool
			if value, ok = inside[unescape.Replace(step)]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inside) {
				return nil, false
			}
			value = inside[i]
		default:
			return nil, false
		}
	}
	return value, true
}
