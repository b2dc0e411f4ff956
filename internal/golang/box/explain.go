package box

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
)

// explained returns an error of package json, which names the types of a model, with the names of the types of the source.
func explained(t *Type, err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	var path []string
	flat := false
	if e.Field != "" {
		for name := range strings.SplitSeq(e.Field, ".") {
			r := t.container()
			if r == nil {
				return err
			}
			f, ok := r.parts().modelled(name)
			if !ok {
				return err
			}
			if !flat {
				out.Struct = r.title()
			}
			// The fields of an embedded struct count as those of the struct around it.
			if flat, t = f.flat(), f.inside(); flat {
				name = f.name
			}
			path = append(path, name)
		}
		out.Field = strings.Join(path, ".")
	}
	for ; t != nil; t = t.parts().elem {
		if model(t, nil) != e.Type {
			continue
		}
		if t.kind != native {
			out.Type = &shown{e.Type, t}
		}
		break
	}
	return &out
}

// container returns the struct that a type consists of, or nil.
func (t *Type) container() *Type {
	for t != nil && t.parts().kind != record {
		t = t.parts().elem
	}
	return t
}

// modelled returns the field of a struct that has a name in an error of package json.
func (t *Type) modelled(name string) (field, bool) {
	for _, f := range t.fields {
		tagged, _, _ := strings.Cut(f.tag.Get("json"), ",")
		if f.flat() && name == f.member() || f.encoded() && (tagged == name || tagged == "" && f.name == name) {
			return f, true
		}
	}
	return field{}, false
}

// decodeError is an error of a value that is decoded after the rest, on its way to the value around it. path holds the fields that
// lead to it. known is set when the struct is known, and last if it is the one whose field was seen last. own is set if the
// value itself is of the wrong type.
type decodeError struct {
	*json.UnmarshalTypeError

	path             []string
	known, last, own bool
}

// decodedLater returns the error of a value that is decoded after the rest.
func decodedLater(err error, known bool) error {
	e, ok := err.(*json.UnmarshalTypeError) //nolint:errorlint // package json does not look into others either
	if !ok {
		return err
	}
	out := *e
	return &decodeError{UnmarshalTypeError: &out, known: known && e.Field != ""}
}

// located adds a field of a struct of type t to an error.
func located(t *Type, f field, err error) error {
	e, ok := err.(*decodeError) //nolint:errorlint // see decodedLater
	if !ok {
		return err
	}
	if name, _, _ := strings.Cut(f.tag.Get("json"), ","); name != "" {
		e.path = append(e.path, name)
	} else {
		e.path = append(e.path, f.name)
	}
	// The fields of an embedded struct count as those of the struct around it.
	if e.last = !e.known || e.last && f.flat(); e.last {
		e.Struct, e.known = t.title(), true
	}
	return e
}

// pointed names the type of a pointer in the error of what it points to, as package json does for pointers to values that decode themselves.
func pointed(t *Type, v reflect.Value, err error, m reflect.Type) error {
	for m.Kind() == reflect.Pointer {
		m = m.Elem()
	}
	if e, ok := err.(*decodeError); ok && e.own && m == laterType { //nolint:errorlint // see decodedLater
		e.Type = t.shown(v.Type())
	}
	return err
}

// complete returns an error with the whole path.
func complete(err error) error {
	e, ok := err.(*decodeError) //nolint:errorlint // see decodedLater
	if !ok {
		return err
	}
	slices.Reverse(e.path)
	if e.Field != "" {
		e.path = append(e.path, e.Field)
	}
	e.Field = strings.Join(e.path, ".")
	return e.UnmarshalTypeError
}

// methodError is the error of a method of a type by which a value encodes itself.
type methodError struct {
	t reflect.Type
	error
}

// Unwrap returns the method's error.
func (e *methodError) Unwrap() error { return e.error }

// unwrapped returns an error of package json, which names the types of mirrors and boxes, with the names of the types of the source.
func unwrapped(err error) error {
	for {
		e, ok := err.(*json.MarshalerError) //nolint:errorlint // package json returns it itself
		if !ok || e.Type.PkgPath() != reflect.TypeFor[Value]().PkgPath() {
			return err
		}
		if inside, ok := e.Err.(*methodError); ok { //nolint:errorlint // see marshaler
			out := *e
			out.Type, out.Err = inside.t, inside.error
			return &out
		}
		err = e.Err
	}
}

// title returns the name of a type without its package, and with its type arguments.
func (t *Type) title() string {
	if t.kind != defined {
		return t.short
	}
	return (&shown{t: t}).Name()
}
