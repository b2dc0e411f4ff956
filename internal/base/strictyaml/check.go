package strictyaml

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

const (
	// maxDepth limits nesting, and thereby aliases that contain themselves.
	maxDepth = 100
	// maxAliased limits how many nodes of one document may be reached through aliases.
	maxAliased = 10_000
)

var (
	nodeType        = reflect.TypeFor[yaml.Node]()
	timeType        = reflect.TypeFor[time.Time]()
	durationType    = reflect.TypeFor[time.Duration]()
	unmarshalerType = reflect.TypeFor[yaml.Unmarshaler]()
	textType        = reflect.TypeFor[encoding.TextUnmarshaler]()
	anyType         = reflect.TypeFor[any]()
)

// checker compares a tree with the type into which the tree is decoded. Every error that it returns is an *Error with a line.
type checker struct {
	depth   int // nesting of the current node
	inAlias int // number of aliases that enclose the current node
	aliased int // nodes reached through aliases so far
}

func fault(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Err: fmt.Errorf(format, args...)}
}

// value checks n against t. path is the dotted key of n, empty at the root.
func (c *checker) value(n *yaml.Node, t reflect.Type, path string) error {
	c.depth++
	defer func() { c.depth-- }()

	if c.depth > maxDepth {
		return fault(n, "%snested more than %d levels deep", keyed(path), maxDepth)
	}

	if c.inAlias > 0 {
		if c.aliased++; c.aliased > maxAliased {
			return fault(n, "%saliases expand to more than %d values", keyed(path), maxAliased)
		}
	}

	if n.Kind == yaml.AliasNode {
		c.inAlias++
		defer func() { c.inAlias-- }()

		return c.value(n.Alias, t, path)
	}

	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}

	return c.typed(n, t, path)
}

// typed checks a node that is neither an alias nor null against a type that is not a pointer.
func (c *checker) typed(n *yaml.Node, t reflect.Type, path string) error {
	pointer := reflect.PointerTo(t)

	switch {
	case t == nodeType:
		return c.value(n, anyType, path)
	case pointer.Implements(placedType):
		inner, _ := reflect.TypeAssert[placed](reflect.New(t))

		return c.value(n, inner.valueType(), path)
	case pointer.Implements(unmarshalerType):
		if err := c.value(n, anyType, path); err != nil {
			return err
		}

		return attempt(n, t, path)
	case t == timeType, pointer.Implements(textType):
		return attempt(n, t, path)
	}

	switch t.Kind() {
	case reflect.Struct:
		return c.structure(n, t, path)
	case reflect.Map:
		return c.mapping(n, t, path)
	case reflect.Slice, reflect.Array:
		return c.sequence(n, t, path)
	case reflect.Interface:
		return c.free(n, path)
	default:
		return scalar(n, t, path)
	}
}

func (c *checker) structure(n *yaml.Node, t reflect.Type, path string) error {
	known := fields(t, yamlTag)

	return c.pairs(n, path, func(key, value *yaml.Node) error {
		field, ok := known.fields[key.Value]
		if !ok && known.rest == nil {
			return unknown(key, value, path, known.names)
		}

		if !ok {
			field.Type = known.rest
		}

		if err := c.value(value, field.Type, join(path, key.Value)); err != nil {
			return err
		}

		return field.bounds.check(value, join(path, key.Value))
	})
}

func (c *checker) mapping(n *yaml.Node, t reflect.Type, path string) error {
	return c.pairs(n, path, func(key, value *yaml.Node) error {
		if t.Key().Kind() != reflect.String {
			if err := c.value(key, t.Key(), path); err != nil {
				return err
			}
		}

		elem := t.Elem()
		// In a map of strings, such as environment variables, scalars are used as text: PORT: 8080 is valid.
		if elem.Kind() == reflect.String && value.Kind == yaml.ScalarNode {
			return nil
		}

		return c.value(value, elem, join(path, key.Value))
	})
}

// pairs calls each for every key of a mapping, including keys merged with <<, and refuses duplicates.
func (c *checker) pairs(n *yaml.Node, path string, each func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return mismatch(n, path, wantMapping)
	}

	seen := make(map[string]int, len(n.Content)/2)

	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}

		if key.Kind != yaml.ScalarNode {
			return fault(n.Content[i], "%sa key must be plain text", keyed(path))
		}

		if line, ok := seen[key.Value]; ok {
			return fault(n.Content[i], "duplicate key %q, first set on line %d", join(path, key.Value), line)
		}

		seen[key.Value] = n.Content[i].Line

		if key.ShortTag() == "!!merge" {
			if err := c.merged(value, path, each); err != nil {
				return err
			}

			continue
		}

		if err := each(key, value); err != nil {
			return err
		}
	}

	return nil
}

// merged checks the value of a << key: a mapping, or a list of mappings.
func (c *checker) merged(value *yaml.Node, path string, each func(key, value *yaml.Node) error) error {
	c.depth++
	c.inAlias++

	defer func() { c.depth--; c.inAlias-- }()

	for value.Kind == yaml.AliasNode {
		value = value.Alias
	}

	if c.aliased++; c.aliased > maxAliased || c.depth > maxDepth {
		return fault(value, "%smerged keys expand without end", keyed(path))
	}

	if value.Kind != yaml.SequenceNode {
		return c.pairs(value, path, each)
	}

	for _, item := range value.Content {
		if err := c.merged(item, path, each); err != nil {
			return err
		}
	}

	return nil
}

func (c *checker) sequence(n *yaml.Node, t reflect.Type, path string) error {
	if n.Kind != yaml.SequenceNode {
		return mismatch(n, path, wantList)
	}

	if t.Kind() == reflect.Array && len(n.Content) != t.Len() {
		return fault(n, "%sexpected %d items, got %d", keyed(path), t.Len(), len(n.Content))
	}

	for i, item := range n.Content {
		if err := c.value(item, t.Elem(), path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}

	return nil
}

// free checks a value of any type. Its keys must be text, so that every mapping in it decodes to map[string]any.
func (c *checker) free(n *yaml.Node, path string) error {
	switch n.Kind {
	case yaml.MappingNode:
		return c.pairs(n, path, func(key, value *yaml.Node) error {
			if key.ShortTag() != "!!str" {
				return fault(key, "key %q is %s, not text: quote it", join(path, key.Value), describe(key))
			}

			return c.value(value, anyType, join(path, key.Value))
		})
	case yaml.SequenceNode:
		return c.sequence(n, reflect.SliceOf(anyType), path)
	default:
		return attempt(n, anyType, path)
	}
}

// retag gives a value that replaced a variable the type that it would have if it had been written in the file: 30 becomes a
// number, true becomes a boolean. After parsing, such a value is unquoted text.
func retag(n *yaml.Node) {
	written := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if n.Style == 0 && n.Tag == "!!str" && written.ShortTag() != "!!null" {
		n.Tag = written.ShortTag()
	}
}

// scalar refuses values that the YAML library would convert silently: 1.5 to 1, 42 to "42", "yes" in quotes to true.
func scalar(n *yaml.Node, t reflect.Type, path string) error {
	if n.Kind != yaml.ScalarNode {
		return mismatch(n, path, wanted(t))
	}

	var fits bool

	if t.Kind() != reflect.String && t != durationType {
		retag(n)
	}

	tag := n.ShortTag()

	switch kind := t.Kind(); {
	case t == durationType, kind == reflect.String:
		fits = tag == "!!str"
	case kind == reflect.Bool:
		fits = tag == "!!bool" || n.Style == 0
	case kind == reflect.Float32, kind == reflect.Float64:
		fits = tag == "!!int" || tag == "!!float"
	default:
		fits = tag == "!!int"
	}

	if !fits || safely(func() error { return n.Decode(reflect.New(t).Interface()) }) != nil {
		return mismatch(n, path, wanted(t))
	}

	if t.Kind() == reflect.String && curly(n) {
		return fault(n, "%scurly quotes are no quotes in YAML: write \" or '", keyed(path))
	}

	return nil
}

// attempt decodes n into a temporary value of a type that implements its own decoding.
func attempt(n *yaml.Node, t reflect.Type, path string) error {
	err := safely(func() error { return n.Decode(reflect.New(t).Interface()) })
	if err == nil {
		return nil
	}

	var inner *Error
	if !errors.As(fromYAML(err, 0), &inner) {
		return fault(n, "%s%w", keyed(path), err)
	}

	return &Error{Line: max(inner.Line, n.Line), Err: fmt.Errorf("%s%w", keyed(path), inner.Err)}
}

func unknown(key, value *yaml.Node, path string, names []string) error {
	where := ""
	if path != "" {
		where = fmt.Sprintf(" in %q", path)
	}

	if hint := keyHint(path, key, value); hint != "" {
		return fault(key, "unknown key %q%s; %s", key.Value, where, hint)
	}

	known := "none"
	if len(names) > 0 {
		known = strings.Join(slices.Sorted(slices.Values(names)), ", ")
	}

	return fault(key, "unknown key %q%s; known keys: %s", key.Value, where, known)
}
