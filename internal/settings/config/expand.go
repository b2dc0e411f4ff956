package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

var (
	reference     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\$\{|\$\{[^{}\s]*\}?`) })
	referenceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`) })
)

// expand replaces ${NAME} with the variable's value, and $${ with a literal ${. It does not expand the inserted values again.
func (e environment) expand(text string) (string, error) {
	var fault error
	out := reference().ReplaceAllStringFunc(text, func(match string) string {
		if match == "$${" {
			return "${"
		}
		name := referenceName().FindStringSubmatch(match)
		if name == nil {
			fault = fmt.Errorf("%q is not a variable such as ${NAME}; write $${ for a literal ${", match)
			return match
		}
		value, set := Lookup(e, name[1])
		if !set {
			fault = fmt.Errorf("the variable %s is not set: set it in the environment or in an --env-file, or write $${ for a literal ${", name[1])
		}
		return value
	})
	return out, fault
}

// Reference is a location at which a value contains ${NAME}.
type Reference struct {
	// Name is the name of the variable.
	Name string
	// Written is the whole value as written.
	Written string
	// Plain is the whole value with its variables inserted, if that is a number, a boolean or a duration. Otherwise, and for
	// tokens, it is empty.
	Plain string
	Place
}

// expand records the variables that a value refers to, and inserts their values. If the configuration is only shown, a value
// stays as written, unless it expands to just a number, a boolean or a duration, because the file could not be decoded otherwise.
func (l *loader) expand(s Source, line int, text string) (string, error) {
	out, err := l.env.expand(text)
	for _, match := range reference().FindAllString(text, -1) {
		if name := referenceName().FindStringSubmatch(match); name != nil {
			l.references = append(l.references, Reference{Name: name[1], Written: text, Place: Place{Source: s, Line: line}})
		}
	}
	if l.text && out != text && !isPlain(out) {
		return text, nil
	}
	return out, err
}

// notePlain completes the references that expand recorded last, which are those of one value.
func (l *loader) notePlain(written, value string) {
	for i := len(l.references) - 1; i >= 0 && l.references[i].Written == written && isPlain(value); i-- {
		l.references[i].Plain = value
	}
}

// isPlain reports whether a value is a number, a boolean or a duration, and therefore reveals nothing.
func isPlain(text string) bool {
	_, notNumber := strconv.ParseFloat(text, 64)
	_, notBool := strconv.ParseBool(text)
	_, notDuration := time.ParseDuration(text)
	return notNumber == nil || notBool == nil || notDuration == nil
}

// expandTree replaces variables in all text values below a node. It does not change keys.
func (l *loader) expandTree(s Source, n *yaml.Node, key string) error {
	if s.Home.Of != "" {
		return nil // a portable plugin reads no variables of the user
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() != "!!str" {
			return nil
		}
		value, err := l.expand(s, n.Line, n.Value)
		if err != nil {
			return &strictyaml.Error{File: s.File, Line: n.Line, Err: fmt.Errorf("key %q: %w", key, err)}
		}
		if value != n.Value {
			l.notePlain(n.Value, value)
			// Remove the quotes, which no longer mean that the value is text: inside braces, a variable must be quoted.
			if strings.Contains(key+".", pluginConfig) && n.Style == 0 && referenceName().MatchString(n.Value) {
				n.Tag = tagOf(value)
			}
			n.Value, n.Style = value, 0
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if err := l.expandTree(s, item, fmt.Sprintf("%s[%d]", key, i)); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := l.expandTree(s, n.Content[i+1], joined(key, n.Content[i].Value)); err != nil {
				return err
			}
		}
	default:
		// The target of an alias is expanded where the target is written.
	}
	return nil
}

// pluginConfig is the part of a key that holds the configuration of plugins. Its values have no types but those that they are written
// with: a variable without quotes is a number or a boolean if its value is one.
const pluginConfig = pluginsKey + ".config."

// decimal matches a number as people and programs write it. Numbers with a leading zero or a plus sign are telephone numbers and the like.
var decimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) })

// tagOf returns the YAML tag of a variable's value: that of a number or a boolean, or else that of a text. A whole number that int cannot
// hold is a text, so that it keeps its digits.
func tagOf(value string) string {
	if parts := decimal().FindStringSubmatch(value); parts != nil {
		if _, err := strconv.Atoi(value); err == nil {
			return "!!int"
		}
		if _, err := strconv.ParseFloat(value, 64); err == nil && parts[1]+parts[2] != "" {
			return "!!float"
		}
	}
	if value == "true" || value == "false" {
		return "!!bool"
	}
	return "!!str"
}

func joined(key, below string) string {
	if key == "" {
		return below
	}
	return key + "." + below
}

// expandEntities replaces variables in the values of all entities of a file, except for the keys in verbatim.
func (l *loader) expandEntities(d document, verbatim ...string) error {
	if d.root == nil || d.root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if err := l.expandEntity(d, d.root.Content[i+1], d.root.Content[i].Value, verbatim); err != nil {
			return err
		}
	}
	return nil
}

// expandEntity also handles mappings, and lists of mappings, that are merged with <<.
func (l *loader) expandEntity(d document, n *yaml.Node, key string, verbatim []string) error {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := l.expandEntity(d, item, key, verbatim); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
	default:
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		var err error
		switch {
		case name.ShortTag() == mergeTag:
			err = l.expandEntity(d, value, key, verbatim)
		case !slices.Contains(verbatim, name.Value):
			err = l.expandTree(d.Source, value, joined(key, name.Value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
