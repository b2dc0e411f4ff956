package box

import (
	"log/slog"
	"reflect"
)

// LogJSON returns options for a JSON handler of package slog. It writes the texts of errors, unless they encode themselves as all
// boxes do.
func (s *Space) LogJSON(o *slog.HandlerOptions) *slog.HandlerOptions {
	return replacing(o, func(b boxed) any {
		err, ok := b.(error)
		if _, encodes := b.content().T.methods["MarshalJSON"]; !ok || encodes {
			return b
		}
		return onlyError{b.content(), err}
	})
}

// LogText returns options for a text handler of package slog, which writes bytes as a text.
func (s *Space) LogText(o *slog.HandlerOptions) *slog.HandlerOptions {
	return replacing(o, func(b boxed) any {
		c := b.content()
		if t := reflect.TypeOf(c.V); !c.T.hasText() && t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return c.V
		}
		return b
	})
}

// replacing returns options that replace boxes after the plugin's own function did.
func replacing(o *slog.HandlerOptions, replace func(boxed) any) *slog.HandlerOptions {
	var out slog.HandlerOptions
	if o != nil {
		out = *o
	}
	first := out.ReplaceAttr
	out.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if first != nil {
			a = first(groups, a)
			a.Value = a.Value.Resolve()
		}
		if a.Value.Kind() != slog.KindAny {
			return a
		}
		if b, ok := open(a.Value.Any()).(boxed); ok {
			a.Value = slog.AnyValue(replace(b))
		}
		return a
	}
	return &out
}

// onlyError is an error without the methods of a box.
type onlyError struct {
	v   Value
	err error
}

func (e onlyError) Error() (text string) {
	defer e.v.ifNil(func() { text = "<nil>" })
	return e.err.Error()
}
