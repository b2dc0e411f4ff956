package strictyaml

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// DecodeNode is Decode for a tree that an earlier Decode or Frontmatter put into a yaml.Node, so that a caller can look
// at it, or change values in it, before it is held against a type. Lines in errors are those of the tree.
func DecodeNode(file string, node *yaml.Node, into any) error {
	if node.IsZero() {
		return nil
	}

	if err := decode(node, reflect.ValueOf(into)); err != nil {
		return locate(file, err)
	}

	return nil
}
