package box

import (
	"fmt"
	"iter"
	"reflect"
)

// ReflectedMethod stands for reflect.Method.
type ReflectedMethod struct {
	Name, PkgPath string
	Type          reflect.Type
	Func          Reflected
	Index         int
}

// IsExported is the method of reflect.Method.
func (m ReflectedMethod) IsExported() bool { return m.PkgPath == "" }

// NumMethod is the method of reflect.Value.
func (r Reflected) NumMethod() int { return r.Type().NumMethod() }

// Method is the method of reflect.Value.
func (r Reflected) Method(i int) Reflected {
	if r.t == nil {
		return Reflected{v: r.v.Method(i), t: nil, private: r.private}
	}
	return r.MethodByName(r.t.exported()[i])
}

// MethodByName is the method of reflect.Value.
func (r Reflected) MethodByName(name string) Reflected {
	if r.Kind() == reflect.Interface && !r.v.IsNil() {
		if _, ok := r.Type().MethodByName(name); !ok && r.t == nil {
			return Reflected{}
		}
		return r.Elem().MethodByName(name)
	}
	if r.t == nil {
		m := r.v.MethodByName(name)
		return Reflected{v: m, t: nil, private: r.private}
	}
	m, ok := r.t.allMethods()[name]
	if !ok || !visible(name) {
		return Reflected{}
	}
	return Reflected{v: reflect.ValueOf(m.bind(r.concrete().Interface())), t: r.t.signatureOf(m), private: r.private}
}

// Methods is the method of reflect.Value.
func (r Reflected) Methods() iter.Seq2[ReflectedMethod, Reflected] {
	return func(yield func(ReflectedMethod, Reflected) bool) {
		for i := range r.NumMethod() {
			if !yield(methodOf(r.Type(), i), r.Method(i)) {
				return
			}
		}
	}
}

// Call is the method of reflect.Value.
func (r Reflected) Call(in []Reflected) []Reflected { return r.call(in, false) }

// CallSlice is the method of reflect.Value.
func (r Reflected) CallSlice(in []Reflected) []Reflected { return r.call(in, true) }

// call calls a function. One of the source has a list for a variadic parameter.
func (r Reflected) call(in []Reflected, whole bool) []Reflected {
	f := r.concrete()
	if f.Kind() != reflect.Func {
		panic(&reflect.ValueError{Method: "reflect.Value.Call", Kind: r.Kind()})
	}
	if f.IsNil() {
		panic("reflect.Value.Call: call of nil function")
	}
	t := f.Type()
	list := t.IsVariadic() || r.t != nil && r.t.base().variadic
	fixed := t.NumIn()
	if list && !whole {
		fixed--
	}
	switch {
	case len(in) < fixed:
		panic("reflect: Call with too few input arguments")
	case len(in) > fixed && (!list || whole):
		panic("reflect: Call with too many input arguments")
	}
	var args []reflect.Value
	for i := range fixed {
		args = append(args, in[i].into(t.In(i), r.parameter(i), "reflect: Call"))
	}
	if list && !whole {
		rest := reflect.MakeSlice(t.In(fixed), 0, len(in)-fixed)
		var elem *Type
		if p := r.parameter(fixed); p != nil {
			elem = p.base().elem.real()
		}
		for _, x := range in[fixed:] {
			rest = reflect.Append(rest, x.into(t.In(fixed).Elem(), elem, "reflect: Call"))
		}
		args = append(args, rest)
	}
	var results []reflect.Value
	if t.IsVariadic() {
		results = f.CallSlice(args)
	} else {
		results = f.Call(args)
	}
	out := make([]Reflected, len(results))
	for i, x := range results {
		out[i] = Reflected{v: x, t: r.resultType(i)}
	}
	return out
}

func (r Reflected) parameter(i int) *Type {
	if r.t != nil {
		if b := r.t.base(); i < len(b.in) {
			return b.in[i].real()
		}
	}
	return nil
}

func (r Reflected) resultType(i int) *Type {
	if r.t != nil {
		if b := r.t.base(); i < len(b.out) {
			return b.out[i].real()
		}
	}
	return nil
}

// ReflectMakeFunc is reflect.MakeFunc.
func (s *Space) ReflectMakeFunc(t reflect.Type, f func([]Reflected) []Reflected) Reflected {
	own, raw := ownType(t)
	r := Reflected{t: own}
	if own != nil && own.base().variadic {
		panic(fmt.Sprintf("reflect.MakeFunc: the interpreter cannot make a function of the variadic type %s", own))
	}
	r.v = reflect.MakeFunc(raw, func(in []reflect.Value) []reflect.Value {
		args := make([]Reflected, len(in))
		for i, x := range in {
			args[i] = Reflected{v: x, t: r.parameter(i)}
		}
		results := f(args)
		out := make([]reflect.Value, len(results))
		for i, x := range results {
			out[i] = x.into(raw.Out(i), r.resultType(i), "reflect: function created by MakeFunc")
		}
		return out
	})
	return r
}

// TypeMethod is the method Method of reflect.Type.
func (*Space) TypeMethod(t reflect.Type, i int) ReflectedMethod { return methodOf(t, i) }

func methodOf(t reflect.Type, i int) ReflectedMethod {
	own, _ := ownType(t)
	if own == nil {
		m := t.Method(i)
		return ReflectedMethod{m.Name, m.PkgPath, m.Type, Reflected{v: m.Func}, m.Index}
	}
	name := own.exported()[i]
	out := ReflectedMethod{Name: name, Index: i}
	if own.kind == iface {
		return out
	}
	m := own.allMethods()[name]
	whole := own.whole(m)
	out.Type = whole.asReflect()
	out.Func = Reflected{t: whole, v: reflect.MakeFunc(whole.raw, func(args []reflect.Value) []reflect.Value {
		f := reflect.ValueOf(m.bind(args[0].Interface()))
		if f.Type().IsVariadic() {
			return f.CallSlice(args[1:])
		}
		return f.Call(args[1:])
	})}
	return out
}

// FoundMethod is the result of the method MethodByName of reflect.Type.
func (*Space) FoundMethod(t reflect.Type, name string) (ReflectedMethod, bool) {
	own, _ := ownType(t)
	if own == nil {
		m, ok := t.MethodByName(name)
		return ReflectedMethod{m.Name, m.PkgPath, m.Type, Reflected{v: m.Func}, m.Index}, ok
	}
	for i, known := range own.exported() {
		if known == name {
			return methodOf(t, i), true
		}
	}
	return ReflectedMethod{}, false
}
