package placement

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"gopkg.in/yaml.v3"
)

// field is a key of a YAML mapping with its value. Why becomes a comment above it.
type field struct {
	key   string
	value any
	why   string
}

// fields is a YAML mapping whose keys keep their order. A field without a value is left out.
type fields []field

// items is a YAML sequence.
type items []any

// lines converts texts to a sequence.
func lines(texts []string) items {
	out := make(items, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// document writes YAML after a comment.
func document(comment string, root fields) ([]byte, error) {
	node, err := encode(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(comment)
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(node); err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return out.Bytes(), nil
}

// encode converts a value to a YAML node.
func encode(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case fields:
		return encodeFields(v)
	case items:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			inner, err := encode(item)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, inner)
		}
		return n, nil
	case string:
		return text(v), nil
	case int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(v)}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	default:
		return nil, fmt.Errorf("writing YAML: a value has the type %T", value)
	}
}

func encodeFields(list fields) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range list {
		if f.value == nil {
			continue
		}
		value, err := encode(f.value)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, text(f.key), value)
		n.Content[len(n.Content)-2].HeadComment = f.why
	}
	return n, nil
}

// ambiguous matches texts that some readers of YAML take for numbers, truth values or nothing.
var ambiguous = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^([.+-]?[0-9].*|[.+-]?[.]?(inf|nan)|y|yes|n|no|on|off|true|false|null|~|)$`)
})

// text returns a text as a node. It quotes what an older version of YAML, which Kubernetes still reads, takes for something else. The
// YAML library quotes what the current version requires.
func text(v string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(v)
	if ambiguous().MatchString(v) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
