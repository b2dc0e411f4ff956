package box

import "log/slog"

// failure is a Value whose type is an error, and failures one whose method Unwrap returns a list.
type (
	failure  struct{ Value }
	failures struct{ Value }
	// logged is a Value that package slog asks for what to log.
	logged struct{ Value }
)

// LogValue calls the method LogValue of the value.
func (l logged) LogValue() slog.Value {
	return l.method("LogValue").(func() slog.Value)() //nolint:forcetypeassert // see Box
}

func (f failure) Error() string { return f.method("Error").(func() string)() } //nolint:forcetypeassert // see Box

// Is calls the method Is of the value.
func (f failure) Is(target error) bool { return f.is(target) }

// Unwrap calls the method Unwrap of the value.
func (f failure) Unwrap() error {
	if unwrap, ok := f.method("Unwrap").(func() error); ok {
		return unwrap()
	}
	return nil
}

// As calls the method As of the value.
func (f failure) As(target any) bool { return f.as(target) }

func (f failures) Error() string { return f.method("Error").(func() string)() } //nolint:forcetypeassert // see Box

// Is calls the method Is of the value.
func (f failures) Is(target error) bool { return f.is(target) }

// Unwrap calls the method Unwrap of the value.
func (f failures) Unwrap() []error {
	if unwrap, ok := f.method("Unwrap").(func() []error); ok {
		return unwrap()
	}
	return nil
}

// As calls the method As of the value.
func (f failures) As(target any) bool { return f.as(target) }

func (v Value) is(target error) bool {
	is, ok := v.method("Is").(func(error) bool)
	return ok && is(target)
}

func (v Value) as(target any) bool {
	as, ok := v.method("As").(func(any) bool)
	return ok && as(target)
}
