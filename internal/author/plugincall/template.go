package plugincall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Template returns an input for a point of the plugin as indented JSON, with all fields. It can be used as it is. Lists have one entry
// each, which shows the fields of an entry. The arguments of a tool are those of its schema.
func (p *Plugin) Template(at Point) ([]byte, error) {
	exports := p.Exports()
	if err := exported(exports, at); err != nil {
		return nil, fmt.Errorf("making an input for %s of plugin %q: %w", at, p.plugin.Name(), err)
	}
	base := p.Base()
	base.Iteration, base.MaxSteps = 1, 50
	var input any
	switch at.Kind {
	case host.PointTool:
		input = ToolInput{Context: base, Args: sampleArgs(exports.Tool(at.Name))}
	case host.PointPaths:
		input = PathsInput{Args: sampleArgs(exports.Tool(at.Name))}
	case host.PointCommand:
		input = CommandInput{Context: base}
	case host.PointEvent:
		input = EventInput{}
	default:
		input = hookInput(at, base).Interface()
	}
	v := reflect.New(reflect.TypeOf(input)).Elem()
	v.Set(reflect.ValueOf(input))
	fill(v)
	text, err := shared.EncodeExact(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("making an input for %s of plugin %q: %w", at, p.plugin.Name(), err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, fmt.Errorf("making an input for %s of plugin %q: %w", at, p.plugin.Name(), err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// fill replaces nil maps with empty ones and nil lists with ones that show their entries.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for f, field := range v.Fields() {
			if f.IsExported() {
				fill(field)
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			return
		}
		n := 0
		if v.Type().Elem().Kind() == reflect.Struct {
			n = 1
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		if n == 1 {
			fill(v.Index(0))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	default:
	}
}

// sampleArgs returns a value for each argument of a tool.
func sampleArgs(t *shared.ToolExport) map[string]any {
	out := map[string]any{}
	for name, p := range t.Schema.Parameters.Properties {
		out[name] = sample(p)
	}
	if len(t.Parameters) == 0 {
		return out
	}
	var schema struct {
		Properties map[string]struct {
			Type any
			Enum []any
		}
	}
	if json.Unmarshal(t.Parameters, &schema) != nil {
		return out // the arguments of this tool cannot be guessed; its schema says more than a property's type
	}
	for name, p := range schema.Properties {
		kind, _ := p.Type.(string)
		out[name] = sample(sdk.ToolProperty{Type: kind, Enum: p.Enum})
	}
	return out
}

func sample(p sdk.ToolProperty) any {
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch p.Type {
	case "integer":
		return 0
	case "number":
		return 0.0
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	default:
		return ""
	}
}
