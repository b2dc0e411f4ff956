package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// parseLines reads JSON lines: a task per line. The first line may be a header instead.
func parseLines(path string, data []byte) (document, error) {
	var d document
	first := true
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		node, err := nodeOf(line, number)
		if err != nil {
			return d, &strictyaml.Error{File: path, Line: number, Err: err}
		}
		if first && !hasKey(node, "prompts") && !hasKey(node, "id") {
			var h header
			if err := strictyaml.DecodeNode(path, node, &h); err != nil {
				return d, err
			}
			d = document{Batch: h.Batch, Defaults: h.Defaults, Env: h.Env, Trust: h.Trust, Limits: h.Limits}
			first = false
			continue
		}
		first = false
		var t taskLine
		if err := strictyaml.DecodeNode(path, node, &t); err != nil {
			return d, err
		}
		d.Tasks = append(d.Tasks, strictyaml.At[taskLine]{Line: number, Value: t})
	}
	return d, nil
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// nodeOf returns a JSON object as a tree of YAML nodes, so that both formats are checked by the same rules. YAML's own reader does not
// understand all escapes of JSON.
func nodeOf(line []byte, number int) (*yaml.Node, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	n, err := value(decoder, number, 0)
	if err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if n.Kind != yaml.MappingNode {
		return nil, errors.New("not a JSON object")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON object: a line has one")
	}
	return n, nil
}

// maxDepth is how deep a value may be nested. A task needs three levels.
const maxDepth = 10

func value(d *json.Decoder, line, depth int) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	scalar := func(tag, text string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text, Line: line}, nil
	}
	switch v := token.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: line}
		if v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for d.More() {
			child, err := value(d, line, depth+1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		_, err := d.Token()
		return n, err
	case string:
		return scalar("!!str", v)
	case json.Number:
		if slices.Contains([]byte(v), '.') || slices.Contains([]byte(v), 'e') {
			return scalar("!!float", v.String())
		}
		return scalar("!!int", v.String())
	case bool:
		return scalar("!!bool", fmt.Sprint(v))
	default:
		return scalar("!!null", "null")
	}
}
