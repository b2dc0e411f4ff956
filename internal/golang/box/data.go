package box

import (
	"fmt"
	html "html/template"
	"reflect"
	plain "text/template"
	"text/template/parse"
)

// DeepEqual is reflect.DeepEqual.
func (s *Space) DeepEqual(a, b any) bool {
	x, ok := open(a).(boxed)
	y, ok2 := open(b).(boxed)
	if !ok || !ok2 {
		return ok == ok2 && reflect.DeepEqual(a, b)
	}
	return x.content().T == y.content().T && reflect.DeepEqual(x.content().V, y.content().V)
}

// maxData limits how deep the data of a template is followed.
const maxData = 64

// Data returns a value as a template must receive it. Structs get fields with the names of the exported fields and of those
// methods without parameters that the template mentions; the methods are called now.
func (s *Space) Data(template, v any) any {
	d := data{names: map[string]bool{}}
	d.mentioned(template)
	return d.any(v, 0)
}

type data struct{ names map[string]bool }

// mentioned collects the names of fields and methods in a template and in those that belong to it.
func (d data) mentioned(template any) {
	var trees []*parse.Tree
	switch t := template.(type) {
	case *plain.Template:
		for _, t := range t.Templates() {
			trees = append(trees, t.Tree)
		}
		trees = append(trees, t.Tree)
	case *html.Template:
		for _, t := range t.Templates() {
			trees = append(trees, t.Tree)
		}
		trees = append(trees, t.Tree)
	}
	for _, t := range trees {
		if t != nil && t.Root != nil {
			d.visit(reflect.ValueOf(t.Root), 0)
		}
	}
}

// visit looks through the nodes of a template.
func (d data) visit(v reflect.Value, depth int) {
	if depth > 1000 || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		d.visit(v.Elem(), depth+1)
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*parse.Tree]() {
			return
		}
		d.visit(v.Elem(), depth+1)
	case reflect.Slice:
		for i := range v.Len() {
			d.visit(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if names, ok := reflect.TypeAssert[[]string](v.Field(i)); ok {
				for _, name := range names {
					d.names[name] = true
				}
				continue
			}
			d.visit(v.Field(i), depth+1)
		}
	default:
	}
}

func (d data) any(v any, depth int) any {
	if depth > maxData {
		panic(fmt.Sprintf("the data of a template is nested more than %d deep, or refers to itself", maxData))
	}
	v = open(v)
	switch v := v.(type) {
	case boxed:
		return d.value(v.content().T, reflect.ValueOf(v.content().V), depth+1)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = d.any(x, depth+1)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = d.any(x, depth+1)
		}
		return out
	}
	return v
}

func (d data) value(t *Type, v reflect.Value, depth int) any {
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		return d.any(v.Elem().Interface(), depth+1)
	}
	if depth > maxData {
		return d.any(nil, depth)
	}
	b := t.base()
	switch b.kind {
	case pointer:
		if v.IsNil() {
			return nil
		}
		if b.elem.base().kind == record {
			return d.record(t, b.elem.base(), v, v.Elem(), depth)
		}
		return d.value(b.elem, v.Elem(), depth+1)
	case record:
		return d.record(t, b, v, v, depth)
	case slice, array:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = d.value(b.elem, v.Index(i), depth+1)
		}
		return out
	case mapping:
		key := v.Type().Key()
		out := reflect.MakeMap(reflect.MapOf(key, anyType))
		for each := v.MapRange(); each.Next(); {
			elem := reflect.New(anyType).Elem()
			if x := d.value(b.elem, each.Value(), depth+1); x != nil {
				elem.Set(reflect.ValueOf(x))
			}
			out.SetMapIndex(each.Key(), elem)
		}
		return out.Interface()
	}
	if t.kind == defined && len(t.methods) > 0 {
		return Value{t, v.Interface()}
	}
	return v.Interface()
}

// record returns a struct with the exported fields of v and the results of the methods of whole.
func (d data) record(t, b *Type, whole, v reflect.Value, depth int) any {
	var fields []reflect.StructField
	var values []reflect.Value
	known := map[string]bool{}
	add := func(name string, x any) {
		if known[name] {
			return
		}
		known[name] = true
		fields = append(fields, reflect.StructField{Name: name, Type: anyType})
		value := reflect.New(anyType).Elem()
		if x != nil {
			value.Set(reflect.ValueOf(x))
		}
		values = append(values, value)
	}
	d.methods(t, whole, depth, add)
	var promote func(b *Type, v reflect.Value)
	promote = func(b *Type, v reflect.Value) {
		var inner []func()
		for i, f := range b.fields {
			x := reach(v.Field(i))
			if f.exported {
				add(f.name, d.value(f.typ, x, depth+1))
			}
			if in, ok, _ := embedded(f, x); f.embedded && ok {
				inner = append(inner, func() { promote(in.typ.base(), in.value) })
			}
		}
		for _, each := range inner {
			each()
		}
	}
	promote(b, v)
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i, x := range values {
		out.Field(i).Set(x)
	}
	return out.Interface()
}

// methods adds the results of the methods that the template mentions.
func (d data) methods(t *Type, v reflect.Value, depth int, add func(string, any)) {
	if t.pointer != nil && v.CanAddr() {
		t, v = t.pointer, v.Addr()
	}
	for name := range t.methods {
		if !d.names[name] {
			continue
		}
		m := reflect.ValueOf((Value{t, v.Interface()}).method(name))
		if m.Type().NumIn() > 0 || m.Type().NumOut() == 0 || m.Type().NumOut() > 2 {
			continue
		}
		// A method that fails is left out: the template fails only if it uses the value.
		result, err := access{space: t.space}.call(name, m, false, nil)
		if err != nil {
			continue
		}
		add(name, d.any(result.Interface(), depth+1))
	}
}
