package box

import (
	"errors"
	"fmt"
	"reflect"
)

// index is the function index of templates. An element that a map does not have is the zero value of the map's own type.
func (a access) index(item any, keys ...any) (any, error) {
	t, v := dynamic(nil, reflect.ValueOf(&item).Elem())
	if !v.IsValid() {
		return nil, errors.New("index of untyped nil")
	}
	for _, key := range keys {
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			if t != nil {
				t = t.base().elem
			}
			t, v = dynamic(t, v.Elem())
		}
		var err error
		switch v.Kind() {
		case reflect.Pointer, reflect.Invalid:
			return nil, errors.New("index of nil pointer")
		case reflect.Array, reflect.Slice, reflect.String:
			v, err = element(v, reflect.ValueOf(Plain(key)))
		case reflect.Map:
			v, err = a.entry(t.base(), v, key)
		default:
			err = fmt.Errorf("can't index item of type %s", typeName(t, v))
		}
		if err != nil {
			return nil, err
		}
		if t != nil {
			t = t.base().elem
		}
		t, v = dynamic(t, v)
	}
	return view(t, v, false, 0), nil
}

// element returns an element of a list.
func element(v, index reflect.Value) (reflect.Value, error) {
	var i int
	switch {
	case index.CanInt():
		i = int(index.Int())
	case index.CanUint():
		i = int(index.Uint()) //nolint:gosec // one that is too large becomes negative
	case !index.IsValid():
		return v, errors.New("cannot index slice/array with nil")
	default:
		return v, fmt.Errorf("cannot index slice/array with type %s", index.Type())
	}
	if i < 0 || i > v.Len() {
		return v, fmt.Errorf("index out of range: %d", i)
	}
	return v.Index(i), nil
}

// entry returns an element of a map of type b.
func (a access) entry(b *Type, v reflect.Value, key any) (reflect.Value, error) {
	want, name := v.Type().Key(), v.Type().Key().String()
	fits := key == nil || want == anyType || reflect.TypeOf(Plain(key)).AssignableTo(want)
	if b != nil && b.key.kind == defined {
		inside, ok := open(key).(boxed)
		fits, name = ok && inside.content().T == b.key, b.key.name
	}
	if numbers := number(reflect.ValueOf(Plain(key))) && number(reflect.Zero(want)); !fits && !numbers {
		return v, fmt.Errorf("value has type %s; should be %s", nameOf(open(key)), name)
	}
	k, err := a.argument(key, v.Type().Key())
	if err != nil {
		return v, err
	}
	if x := v.MapIndex(k); x.IsValid() {
		return x, nil
	}
	return reflect.Zero(v.Type().Elem()), nil
}

func number(v reflect.Value) bool { return v.CanInt() || v.CanUint() }
