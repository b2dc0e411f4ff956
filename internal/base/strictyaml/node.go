package strictyaml

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// DecodeNode is like Decode, but decodes a tree that an earlier Decode or Frontmatter stored in a yaml.Node. The caller can
// therefore inspect or change the tree before it is checked against a type. Line numbers in errors refer to the tree.
func DecodeNode(file string, node *yaml.Node, into any) error {
	if node.IsZero() {
		return nil
	}

	if err := decode(node, reflect.ValueOf(into)); err != nil {
		return locate(file, err)
	}

	return nil
}
