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

// Bounds of a schema. Those that people write stay far below.
const (
	maxSchemaBytes = 1 << 20
	maxSchemaNodes = 20_000
	maxSchemaDepth = 200
)

// node is one schema with those inside it and those that it refers to. Nodes may form a ring.
type node struct {
	// never is the schema false, which nothing fits.
	never bool
	types []string
	facts []fact

	properties map[string]*node
	patterns   []patterned
	// additional is for the other properties, unevaluated for those that no schema about the same object knows.
	additional, unevaluated, names *node

	required  []string
	dependent map[string][]string
	implied   map[string]*node

	// prefix is for the first elements, items for the others.
	prefix          []*node
	items, contains *node
	// most is -1 if any number of elements may fit contains.
	least, most int

	// ref is a schema elsewhere that counts as well.
	ref             *node
	all, some, one  []*node
	not             *node
	when, then, els *node
}

// patterned is a schema for all properties whose names match.
type patterned struct {
	name   *pattern
	schema *node
}

// object is a schema as it is written. Two of them are the same only if they stand at the same place.
type object = map[string]any

func identity(o object) uintptr { return reflect.ValueOf(o).Pointer() }

// compiler makes nodes of a document.
type compiler struct {
	nodes map[uintptr]*node
	// owners are the innermost schemas with an $id around each object, to which its references are relative.
	owners map[uintptr]object
	// ids are the objects by their $id, anchors those by their owner and name.
	ids     map[string]object
	anchors map[anchor]object
	// instructions are those of all patterns so far.
	instructions int
	// alone means that nothing beside $ref counts, as up to draft 7.
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

// index finds the names by which references may call a place.
func (c *compiler) index(value any, owner object, depth int) error {
	if depth > 2*maxSchemaDepth { // each schema is in a list or a map
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

// compile makes the node of a schema, once.
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

// refer finds what a reference calls.
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

// follow goes where a JSON pointer points.
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
