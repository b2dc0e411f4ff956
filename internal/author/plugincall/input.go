package plugincall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// The input of a hook is the context type of its point. Other points have these inputs.
type (
	// ToolInput is the input of a tool.
	ToolInput struct {
		Context sdk.Context
		Args    map[string]any
	}
	// CommandInput is the input of a slash command.
	CommandInput struct {
		Context sdk.Context
		Args    string
	}
	// PathsInput is the input of the function that reports which files a call of a tool would touch.
	PathsInput struct {
		Args map[string]any
	}
	// EventInput is an event that another plugin emitted.
	EventInput struct {
		Sender  string
		Payload any
	}
)

// decode returns the call that an input describes. Fields that the input does not contain are those of base.
func decode(p Point, input []byte, base sdk.Context) (any, error) {
	if err := valid(input); err != nil {
		return nil, fmt.Errorf("reading the input of %s: %w", p, err)
	}
	call, err := decodeInto(p, input, base)
	if err != nil {
		return nil, fmt.Errorf("reading the input of %s: %w", p, err)
	}
	return call, nil
}

func decodeInto(p Point, input []byte, base sdk.Context) (any, error) {
	switch p.Kind {
	case host.PointTool:
		in := ToolInput{Context: base}
		err := shared.DecodeExact(input, &in)
		return shared.ToolCall{Tool: p.Name, Context: in.Context, Args: in.Args}, err
	case host.PointCommand:
		in := CommandInput{Context: base}
		err := shared.DecodeExact(input, &in)
		return shared.CommandCall{Name: p.Name, Context: in.Context, Args: in.Args}, err
	case host.PointPaths:
		in := PathsInput{}
		err := shared.DecodeExact(input, &in)
		return shared.PathsCall{Tool: p.Name, Args: in.Args}, err
	case host.PointEvent:
		in := EventInput{}
		if err := shared.DecodeExact(input, &in); err != nil {
			return nil, err
		}
		payload, err := shared.EncodePayload(in.Payload)
		return shared.EventCall{Name: p.Name, Sender: in.Sender, Payload: payload}, err
	default:
		in := hookInput(p, base)
		err := shared.DecodeExact(input, in.Addr().Interface())
		return shared.HookCall{Point: hookpoint.Name(p.Name), Context: in.Interface()}, err
	}
}

// InputOf returns the input of a call, which is a call of package shared, and the point that it is for. Variables of a task are left out.
func InputOf(call any) (Point, []byte, error) {
	var at Point
	var in any
	switch c := call.(type) {
	case shared.HookCall:
		at, in = Point{Name: string(c.Point)}, c.Context
	case shared.ToolCall:
		at, in = Point{host.PointTool, c.Tool}, ToolInput{Context: c.Context, Args: c.Args}
	case shared.CommandCall:
		at, in = Point{host.PointCommand, c.Name}, CommandInput{Context: c.Context, Args: c.Args}
	case shared.PathsCall:
		at, in = Point{host.PointPaths, c.Tool}, PathsInput{Args: c.Args}
	default:
		return at, nil, fmt.Errorf("a %T cannot be made from an input", call)
	}
	input, err := shared.EncodeExact(in)
	return at, input, err
}

// hookInput returns a context of a hook point that embeds base.
func hookInput(p Point, base sdk.Context) reflect.Value {
	in := reflect.New(hookpoint.Of(hookpoint.Name(p.Name)).Context).Elem()
	in.FieldByName("Context").Set(reflect.ValueOf(base))
	return in
}

// valid returns an error, with the line, unless the input is one JSON object.
func valid(input []byte) error {
	d := json.NewDecoder(bytes.NewReader(input))
	var object map[string]json.RawMessage
	err := d.Decode(&object)
	if err == nil && d.More() {
		err = errors.New("there is text after the JSON object")
	}
	if err == nil && object == nil {
		err = errors.New("null is no JSON object")
	}
	if err == nil {
		return nil
	}
	line := 1 + bytes.Count(input[:min(int(d.InputOffset()), len(input))], []byte("\n"))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line = 1 + bytes.Count(input[:min(int(syntax.Offset), len(input))], []byte("\n"))
	}
	return fmt.Errorf("line %d: %w", line, err)
}
