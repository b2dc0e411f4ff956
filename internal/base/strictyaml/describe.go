package strictyaml

import (
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"
)

// maxQuoted limits how much of a wrong value an error repeats, in runes.
const maxQuoted = 40

func mismatch(n *yaml.Node, path, want string) error {
	hint := ""

	switch {
	case valueHint(path, n, want) != "":
		hint = "; " + valueHint(path, n, want)
	case want == wantText && n.Kind == yaml.ScalarNode:
		hint = " (put it in quotes)"
	case want == wantList && n.Kind == yaml.ScalarNode:
		hint = " (put it in brackets)"
	}

	return fault(n, "%sexpected %s, got %s%s", keyed(path), want, describe(n), hint)
}

const (
	wantText    = "text"
	wantList    = "a list"
	wantMapping = "a mapping of keys"
)

func wanted(t reflect.Type) string {
	switch kind := t.Kind(); {
	case t == durationType:
		return "a duration such as 10s"
	case kind == reflect.String:
		return wantText
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Float32, kind == reflect.Float64:
		return "a number"
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return "a whole number that is not negative"
	default:
		return "a whole number"
	}
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}

	text := []rune(n.Value)
	if len(text) > maxQuoted {
		text = append(text[:maxQuoted], '…')
	}

	kinds := map[string]string{
		"!!str": "text", "!!int": "the number", "!!float": "the number", "!!bool": "the truth value",
		"!!timestamp": "the time",
	}

	kind, ok := kinds[n.ShortTag()]
	if !ok {
		kind = "a value tagged " + n.ShortTag()
	}

	return fmt.Sprintf("%s %q", kind, string(text))
}

// keyed returns the beginning of a message about the value at path.
func keyed(path string) string {
	if path == "" {
		return ""
	}

	return fmt.Sprintf("key %q: ", path)
}

func join(path, key string) string {
	if path == "" {
		return key
	}

	return path + "." + key
}
