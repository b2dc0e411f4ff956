package plugintest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// expected returns a result as a test has it, in the form in which a call returns it: as exact JSON of the point's type, with all fields.
func expected(at plugincall.Point, want any) ([]byte, error) {
	if text, ok := want.(string); ok && at.Kind == host.PointCommand {
		want = map[string]any{"Output": text}
	}
	document, err := shared.EncodeExact(want)
	if err != nil {
		return nil, err
	}
	typed := reflect.New(resultType(at))
	if err := shared.DecodeExact(document, typed.Interface()); err != nil {
		return nil, err
	}
	return shared.EncodeExact(typed.Elem().Interface())
}

// resultType returns the type of a point's result.
func resultType(at plugincall.Point) reflect.Type {
	switch at.Kind {
	case host.PointTool:
		return reflect.TypeFor[string]()
	case host.PointCommand:
		return reflect.TypeFor[sdk.CommandResult]()
	case host.PointPaths:
		return reflect.TypeFor[sdk.ToolPaths]()
	case host.PointEvent:
		return reflect.TypeFor[any]()
	default:
		return hookpoint.Of(hookpoint.Name(at.Name)).Result
	}
}

// differences returns the differences between two results as JSON, one per field.
func differences(want, got []byte) ([]string, error) {
	var w, g any
	if err := unmarshal(want, &w); err != nil {
		return nil, err
	}
	if err := unmarshal(got, &g); err != nil {
		return nil, err
	}
	return diff("", w, g), nil
}

// unmarshal reads a result. The fields of an embedded sdk.Result become fields of the result, as they are for Go.
func unmarshal(document []byte, into *any) error {
	if len(document) == 0 {
		return nil // an event has no result
	}
	if err := json.Unmarshal(document, into); err != nil {
		return fmt.Errorf("reading a result: %w", err)
	}
	outer, _ := (*into).(map[string]any)
	if inner, ok := outer["Result"].(map[string]any); ok {
		delete(outer, "Result")
		maps.Copy(outer, inner)
	}
	return nil
}

// diff compares two trees. An empty list or mapping equals none: plugins return either.
func diff(path string, want, got any) []string {
	if empty(want) && empty(got) {
		return nil
	}
	w, isMap := want.(map[string]any)
	g, both := got.(map[string]any)
	if isMap && both {
		var out []string
		keys := maps.Clone(w)
		maps.Copy(keys, g)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			out = append(out, diff(join(path, key), w[key], g[key])...)
		}
		return out
	}
	wl, isList := want.([]any)
	gl, bothLists := got.([]any)
	if isList && bothLists && len(wl) == len(gl) {
		var out []string
		for i := range wl {
			out = append(out, diff(path+"["+strconv.Itoa(i)+"]", wl[i], gl[i])...)
		}
		return out
	}
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%sgot %s, want %s", prefix(path), show(got), show(want))}
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

// mismatches compares the texts of a result with regular expressions.
func mismatches(path string, want any, got any) []string {
	if patterns, ok := want.(map[string]any); ok {
		fields, _ := got.(map[string]any)
		var out []string
		for _, key := range slices.Sorted(maps.Keys(patterns)) {
			if _, known := fields[key]; !known {
				out = append(out, fmt.Sprintf("%sthe result has no such field: %s", prefix(join(path, key)), show(got)))
				continue
			}
			out = append(out, mismatches(join(path, key), patterns[key], fields[key])...)
		}
		return out
	}
	text, ok := got.(string)
	if !ok {
		text = show(got)
	}
	pattern, _ := want.(string)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return []string{prefix(path) + err.Error()}
	}
	if re.MatchString(text) {
		return nil
	}
	return []string{fmt.Sprintf("%sgot %s, want a match of %s", prefix(path), show(got), pattern)}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// show returns a value as JSON.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
