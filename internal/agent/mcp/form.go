package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// form is what a server asks for: values of simple types.
type form struct {
	fields []field
}

// field is one value of a form.
type field struct {
	name, kind string
	label      string
	options    []Option
	// several reports whether the value is a list of options.
	several  bool
	initial  string
	required bool
	// format is a key of formats, or one that is not checked.
	format string
	schema *tool.Schema
}

// property is the schema of a value, as the protocol permits it.
type property struct {
	Type        string     `json:"type"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Format      string     `json:"format"`
	Default     any        `json:"default"`
	Enum        []string   `json:"enum"`
	EnumNames   []string   `json:"enumNames"`
	OneOf       []constant `json:"oneOf"`
	AnyOf       []constant `json:"anyOf"`
	Items       *property  `json:"items"`
}

type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// readForm reads the schema of a form. The required values come first, in the order of the schema.
func readForm(schema any) (form, error) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return form{}, fmt.Errorf("reading the form: %w", err)
	}
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return form{}, fmt.Errorf("reading the form: %w", err)
	}
	if n := len(object.Properties); n > limit.MCPQuestions {
		return form{}, fmt.Errorf("its form has %d fields, and at most %d can be asked for", n, limit.MCPQuestions)
	}
	names := slices.Clone(object.Required)
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var out form
	for _, name := range names {
		f, err := readField(name, object.Properties[name])
		if err != nil {
			return form{}, err
		}
		f.required = slices.Contains(object.Required, name)
		out.fields = append(out.fields, f)
	}
	return out, nil
}

func readField(name string, raw json.RawMessage) (field, error) {
	var p property
	if err := json.Unmarshal(raw, &p); err != nil {
		return field{}, fmt.Errorf("reading field %q of the form: %w", name, err)
	}
	object, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]json.RawMessage{name: raw}})
	if err != nil {
		return field{}, fmt.Errorf("reading field %q of the form: %w", name, err)
	}
	schema, err := tool.Compile(object)
	if err != nil {
		return field{}, fmt.Errorf("reading field %q of the form: %w", name, err)
	}
	f := field{name: name, kind: p.Type, label: name, options: p.options(), format: p.Format, schema: schema}
	if p.Title != "" {
		f.label = p.Title
	}
	if p.Description != "" {
		f.label += ": " + p.Description
	}
	f.label = shortened(f.label)
	switch p.Type {
	case "boolean":
		f.options = []Option{{Value: "true", Title: "yes"}, {Value: "false", Title: "no"}}
	case "array":
		if p.Items == nil {
			return field{}, fmt.Errorf("field %q of the form is a list of nothing", name)
		}
		f.several, f.options = true, p.Items.options()
	case "string", "number", "integer":
	default:
		return field{}, fmt.Errorf("field %q of the form has the type %q, which a user cannot type", name, p.Type)
	}
	if p.Default != nil {
		f.initial = textOf(p.Default)
	}
	if len(f.options) > limit.MCPOptions {
		return field{}, fmt.Errorf("field %q of the form has %d values, and at most %d can be shown", name, len(f.options), limit.MCPOptions)
	}
	return f, nil
}

// options returns the values to choose from.
func (p property) options() []Option {
	var out []Option
	for i, value := range p.Enum {
		title := value
		if i < len(p.EnumNames) {
			title = p.EnumNames[i]
		}
		out = append(out, Option{Value: value, Title: title})
	}
	for _, c := range slices.Concat(p.OneOf, p.AnyOf) {
		title := c.Title
		if title == "" {
			title = c.Const
		}
		out = append(out, Option{Value: c.Const, Title: title})
	}
	return out
}

// textOf returns a value as a user would type it.
func textOf(value any) string {
	if list, ok := value.([]any); ok {
		var out []string
		for _, v := range list {
			out = append(out, fmt.Sprint(v))
		}
		return strings.Join(out, ", ")
	}
	if n, ok := value.(float64); ok {
		return number(n)
	}
	return fmt.Sprint(value)
}

// fill asks for the values one after the other. A form without fields asks for a yes.
func (f form) fill(ctx context.Context, ask Ask, about Inquiry) (*sdk.ElicitResult, error) {
	content := map[string]any{}
	if len(f.fields) == 0 {
		about.Field, about.Options = "Continue?", []Option{{Value: "true", Title: "yes"}}
		_, ok, err := ask(ctx, about)
		return answered(ok, err, content), nil
	}
	for i, field := range f.fields {
		q := about
		q.Field, q.Default, q.Optional, q.Check = field.label, field.initial, !field.required, field.check
		if len(f.fields) > 1 {
			q.Field = fmt.Sprintf("(%d of %d) %s", i+1, len(f.fields), field.label)
		}
		if q.Options = field.options; field.several {
			q.Options, q.Field = nil, q.Field+field.listed()
		}
		text, ok, err := ask(ctx, q)
		if err != nil || !ok {
			return answered(ok, err, nil), nil
		}
		if text == "" && q.Optional {
			continue
		}
		if content[field.name], err = field.value(text); err != nil {
			return answered(false, nil, nil), nil //nolint:nilerr // the front end did not check the text
		}
	}
	return answered(true, nil, content), nil
}

// listed shows the values of a list.
func (f field) listed() string {
	var out []string
	for _, o := range f.options {
		if o.Title != o.Value {
			o.Value += " for " + o.Title
		}
		out = append(out, o.Value)
	}
	return " (any of " + strings.Join(out, ", ") + ", separated by commas)"
}

// check returns why a text is not a value of the field.
func (f field) check(text string) error {
	if text == "" && !f.required {
		return nil
	}
	_, err := f.value(text)
	return err
}

// value converts what the user typed, and checks it against the schema.
func (f field) value(text string) (any, error) {
	var value any = text
	var err error
	switch f.kind {
	case "boolean":
		value, err = strconv.ParseBool(text)
	case "integer", "number":
		value, err = strconv.ParseFloat(text, 64)
		if err != nil {
			err = errors.New("it is not a number")
		}
	case "array":
		value = split(text)
	default:
		if text == "" && f.required {
			err = errors.New("a value is needed")
		} else if wrong := formats[f.format]; wrong != nil {
			err = wrong(text)
		}
	}
	if err != nil {
		return nil, err
	}
	err = f.schema.Validate(map[string]any{f.name: value})
	if wrong, ok := errors.AsType[*tool.ArgumentsError](err); ok {
		err = errors.New(strings.Join(wrong.Problems, "; "))
	}
	return value, err
}

func split(text string) []any {
	out := []any{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
