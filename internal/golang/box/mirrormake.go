package box

import (
	"reflect"
	"slices"
	"unsafe"
)

// made returns a value of a type.
func made(t reflect.Type, f func(raw reflect.Type) reflect.Value) Reflected {
	own, raw := ownType(t)
	return Reflected{v: f(raw), t: own}
}

// settable returns a place with a value, so that a place of type any can hold it.
func reflectZero(t reflect.Type) Reflected { return made(t, reflect.Zero) }

func (s *Space) reflectNew(t reflect.Type) Reflected {
	own, raw := ownType(t)
	if own != nil {
		own = own.pointerTo()
	}
	return Reflected{v: reflect.New(raw), t: own}
}

func (s *Space) reflectNewAt(t reflect.Type, p unsafe.Pointer) Reflected {
	own, raw := ownType(t)
	if own != nil {
		own = own.pointerTo()
	}
	return Reflected{v: reflect.NewAt(raw, p), t: own}
}

func reflectMakeSlice(t reflect.Type, n, c int) Reflected {
	return made(t, func(raw reflect.Type) reflect.Value { return reflect.MakeSlice(raw, n, c) })
}

func reflectMakeMap(t reflect.Type) Reflected { return made(t, reflect.MakeMap) }

func reflectMakeMapWithSize(t reflect.Type, n int) Reflected {
	return made(t, func(raw reflect.Type) reflect.Value { return reflect.MakeMapWithSize(raw, n) })
}

func reflectMakeChan(t reflect.Type, n int) Reflected {
	return made(t, func(raw reflect.Type) reflect.Value { return reflect.MakeChan(raw, n) })
}

func reflectIndirect(r Reflected) Reflected {
	if r.Kind() != reflect.Pointer {
		return r
	}
	return r.Elem()
}

func reflectAppend(r Reflected, values ...Reflected) Reflected {
	v := r.concrete()
	var elem *Type
	if b := r.base(); b != nil && b.elem != nil {
		elem = b.elem.real()
	}
	for _, x := range values {
		v = reflect.Append(v, x.into(v.Type().Elem(), elem, "reflect.Append"))
	}
	return Reflected{v: v, t: r.t}
}

func reflectAppendSlice(r, s Reflected) Reflected {
	return Reflected{v: reflect.AppendSlice(r.concrete(), s.concrete()), t: r.t}
}

func reflectCopy(to, from Reflected) int { return reflect.Copy(to.concrete(), from.concrete()) }

func (s *Space) reflectPointerTo(t reflect.Type) reflect.Type {
	if own, _ := ownType(t); own != nil {
		return own.pointerTo().asReflect()
	}
	return reflect.PointerTo(t)
}

func (s *Space) reflectSliceOf(t reflect.Type) reflect.Type {
	if own, _ := ownType(t); own != nil {
		return own.sliceOf().asReflect()
	}
	return reflect.SliceOf(t)
}

func reflectArrayOf(n int, t reflect.Type) reflect.Type {
	if own, _ := ownType(t); own != nil && n >= 0 {
		return own.arrayOf(n).asReflect()
	}
	return reflect.ArrayOf(n, t)
}

func (s *Space) reflectMapOf(key, elem reflect.Type) reflect.Type {
	k, _ := ownType(key)
	e, _ := ownType(elem)
	if k == nil && e == nil {
		return reflect.MapOf(key, elem)
	}
	k, e = s.typeOf(key), s.typeOf(elem)
	return s.derived(derivation{kind: mapping, elem: e, key: k}, "map["+k.name+"]"+e.name).asReflect()
}

func reflectSwapper(list any) func(i, j int) { return reflect.Swapper(Plain(list)) }

// Convert is the method of reflect.Value.
func (r Reflected) Convert(t reflect.Type) Reflected {
	if !convertible(r.Type(), t) {
		panic("reflect.Value.Convert: value of type " + r.Type().String() + " cannot be converted to type " + t.String())
	}
	own, raw := ownType(t)
	if t.Kind() == reflect.Interface {
		place := reflect.New(raw).Elem()
		place.Set(r.into(raw, own.real(), "reflect.Value.Convert"))
		return Reflected{v: place, t: own, private: r.private}
	}
	v := r.concrete().Convert(raw)
	return Reflected{v: v, t: own, private: r.private}
}

// CanConvert is the method of reflect.Value.
func (r Reflected) CanConvert(t reflect.Type) bool {
	if !convertible(r.Type(), t) {
		return false
	}
	_, raw := ownType(t)
	return t.Kind() == reflect.Interface || r.concrete().CanConvert(raw)
}

// visibleFields is reflect.VisibleFields.
func visibleFields(t reflect.Type) []reflect.StructField {
	if _, ok := t.(*shown); !ok {
		return reflect.VisibleFields(t)
	}
	var out []reflect.StructField
	var walk func(u reflect.Type, index []int)
	walk = func(u reflect.Type, index []int) {
		for i := range u.NumField() {
			f := u.Field(i)
			f.Index = append(slices.Clip(index), i)
			if found, ok := t.FieldByName(f.Name); !ok || len(found.Index) != len(f.Index) {
				continue
			}
			out = append(out, f)
			in := f.Type
			if in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			if f.Anonymous && in.Kind() == reflect.Struct && len(index) < maxData {
				walk(in, f.Index)
			}
		}
	}
	walk(t, nil)
	return out
}

// Implements is the method of reflect.Type. Like the two below, it is for two types of which either may be of the source.
func (s *Space) Implements(t, u reflect.Type) bool { return implements(t, u) }

// AssignableTo is the method of reflect.Type.
func (s *Space) AssignableTo(t, u reflect.Type) bool { return assignable(t, u) }

// ConvertibleTo is the method of reflect.Type.
func (s *Space) ConvertibleTo(t, u reflect.Type) bool { return convertible(t, u) }

// Reflect returns the symbols of package reflect that differ for lowered source.
func (s *Space) Reflect() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Value": reflect.ValueOf((*Reflected)(nil)), "MapIter": reflect.ValueOf((*ReflectedIter)(nil)), "Method": reflect.ValueOf((*ReflectedMethod)(nil)),
		"ValueOf": reflect.ValueOf(s.ReflectValueOf), "TypeOf": reflect.ValueOf(s.TypeOf), "Zero": reflect.ValueOf(reflectZero),
		"New": reflect.ValueOf(s.reflectNew), "NewAt": reflect.ValueOf(s.reflectNewAt), "MakeSlice": reflect.ValueOf(reflectMakeSlice),
		"MakeMap": reflect.ValueOf(reflectMakeMap), "MakeMapWithSize": reflect.ValueOf(reflectMakeMapWithSize), "MakeChan": reflect.ValueOf(reflectMakeChan),
		"MakeFunc": reflect.ValueOf(s.ReflectMakeFunc), "Indirect": reflect.ValueOf(reflectIndirect), "Append": reflect.ValueOf(reflectAppend),
		"AppendSlice": reflect.ValueOf(reflectAppendSlice), "Copy": reflect.ValueOf(reflectCopy), "PointerTo": reflect.ValueOf(s.reflectPointerTo),
		"PtrTo": reflect.ValueOf(s.reflectPointerTo), "SliceOf": reflect.ValueOf(s.reflectSliceOf), "MapOf": reflect.ValueOf(s.reflectMapOf),
		"ArrayOf": reflect.ValueOf(reflectArrayOf),
		"ChanOf":  reflect.ValueOf(s.reflectChanOf), "FuncOf": reflect.ValueOf(s.reflectFuncOf), "StructOf": reflect.ValueOf(s.reflectStructOf),
		"DeepEqual": reflect.ValueOf(s.DeepEqual), "Swapper": reflect.ValueOf(reflectSwapper), "VisibleFields": reflect.ValueOf(visibleFields),
	}
}
