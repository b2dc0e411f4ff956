package box

import (
	"encoding/json"
	"errors"
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
			f, label, ok := r.base().modelled(name)
			if !ok {
				return err
			}
			if !flat {
				out.Struct = r.short
			}
			// The fields of an embedded struct count as those of the struct around it.
			flat, t, path = label != name, f.typ, append(path, label)
		}
		out.Field = strings.Join(path, ".")
	}
	for ; t != nil; t = t.base().elem {
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
	for t != nil && t.base().kind != record {
		t = t.base().elem
	}
	return t
}

// modelled returns the field of a struct that has a name in an error of package json, and the name that Go would use.
func (t *Type) modelled(name string) (f field, label string, ok bool) {
	for i, f := range t.fields {
		tagged, _, _ := strings.Cut(f.tag.Get("json"), ",")
		if f.embedded && tagged == "" && name == memberName("E", i) {
			return f, f.name, true
		}
		if f.encoded() && (tagged == name || tagged == "" && f.name == name) {
			return f, name, true
		}
	}
	return field{}, "", false
}
