package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Request returns the call as it was made: a shared.HookCall, ToolCall, PathsCall, CommandCall or EventCall.
func (c *Call) Request() (any, error) {
	out, err := c.request()
	if err != nil {
		return nil, fmt.Errorf("reading call %d (%s of plugin %q): %w", c.N, c.Point, c.Plugin, err)
	}
	return out, nil
}

func (c *Call) request() (any, error) {
	switch c.Point {
	case host.PointTool:
		call := shared.ToolCall{Tool: c.Name, Env: c.Env}
		err := errors.Join(c.context(reflect.ValueOf(&call.Context).Elem()), value(c.Args, &call.Args))
		return call, err
	case host.PointPaths:
		call := shared.PathsCall{Tool: c.Name}
		err := value(c.Args, &call.Args)
		return call, err
	case host.PointCommand:
		call := shared.CommandCall{Name: c.Name, Env: c.Env}
		err := errors.Join(c.context(reflect.ValueOf(&call.Context).Elem()), value(c.Args, &call.Args))
		return call, err
	case host.PointEvent:
		call := shared.EventCall{Name: c.Name, Sender: c.Sender}
		var payload any
		err := value(c.Args, &payload)
		if err == nil {
			call.Payload, err = shared.EncodePayload(payload)
		}
		return call, err
	}
	point, ok := hookpoint.Lookup(hookpoint.Name(c.Point))
	if !ok {
		return nil, fmt.Errorf("this aura has no hook point %q", c.Point)
	}
	in := reflect.New(point.Context).Elem()
	err := c.context(in)
	return shared.HookCall{Point: point.Name, Context: in.Interface(), Env: c.Env}, err
}

// value decodes a value that may be missing.
func value(raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	return shared.DecodeExact(raw, into)
}

// context sets v, a context, to the recorded one.
func (c *Call) context(v reflect.Value) error {
	if err := value(c.Context, v.Addr().Interface()); err != nil {
		return err
	}
	base := v
	if f := v.FieldByName("Context"); f.IsValid() {
		base = f
	}
	for name, numbers := range c.Lists {
		field := base.FieldByName(name)
		if !field.IsValid() {
			field = v.FieldByName(name)
		}
		if err := c.list(field, name, numbers); err != nil {
			return err
		}
	}
	return nil
}

// list sets a list of a context to its entries.
func (c *Call) list(field reflect.Value, name string, numbers ranges) error {
	switch {
	case !field.IsValid():
		return fmt.Errorf("the context has no list %q", name)
	case field.Type() != reflect.TypeFor[[]sdk.Turn]() && field.Type() != reflect.TypeFor[[]sdk.ToolCall]() && field.Type() != reflect.TypeFor[[]sdk.Message]():
		return fmt.Errorf("%q is no list of a context", name)
	}
	out := reflect.MakeSlice(field.Type(), 0, 0)
	for _, r := range numbers {
		for n := r[0]; n < r[1]; n++ {
			e := reflect.New(field.Type().Elem())
			if err := shared.DecodeExact((*c.entries)[n], e.Interface()); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			out = reflect.Append(out, e.Elem())
		}
	}
	field.Set(out)
	return nil
}

// Input returns the whole input as JSON in the form of shared.EncodeExact: the context of a hook, or the struct of package shared for
// another call.
func (c *Call) Input() (json.RawMessage, error) {
	request, err := c.Request()
	if err != nil {
		return nil, err
	}
	if hook, ok := request.(shared.HookCall); ok {
		request = hook.Context
	}
	return shared.EncodeExact(request)
}
