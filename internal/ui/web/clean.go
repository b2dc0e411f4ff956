package web

import (
	"html/template"
	"reflect"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/redact"
)

// ready is HTML that this package made of cleaned text.
type ready = template.HTML

// cleaned removes secrets and control characters from every string of a value that a page shows: a pointer to a struct. Each page calls it
// for its whole model, so that no field is forgotten. HTML that is ready stays as it is.
func cleaned[T any](secrets *redact.Redactor, model *T) *T {
	sweep(reflect.ValueOf(model).Elem(), func(text string) string { return plaintext.Show(secrets.String(text)) })
	return model
}

func sweep(v reflect.Value, clean func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[ready]() && v.CanSet() {
			v.SetString(clean(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			sweep(v.Elem(), clean)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				sweep(v.Field(i), clean)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			sweep(v.Index(i), clean)
		}
	default: // no other kind that a model uses holds text
	}
}
