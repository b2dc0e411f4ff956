package box

import (
	"io"
	"reflect"
)

// The library asks some values for methods that their interfaces do not have. These types have them.
type (
	// timeout is a failure that tells whether time ran out, and temporary one that also tells whether to try again.
	timeout   struct{ failure }
	temporary struct{ timeout }
	// The first field of the others is the box, as in the interpreter's own types for interfaces.
	stringWriter struct {
		IValue any
		io.Writer
		writeString
	}
	readerFrom struct {
		IValue any
		io.Writer
		readFrom
	}
	fullWriter struct {
		IValue any
		io.Writer
		writeString
		readFrom
	}
	writerTo struct {
		IValue any
		io.Reader
		writeTo
	}
)

// Timeout calls the method Timeout of the value.
func (t timeout) Timeout() bool { return t.method("Timeout").(func() bool)() } //nolint:forcetypeassert // see withOptions

// Temporary calls the method Temporary of the value.
func (t temporary) Temporary() bool { return t.method("Temporary").(func() bool)() } //nolint:forcetypeassert // see withOptions

// withOptions returns an error with the methods that package os and net ask for.
func withOptions(f failure) any {
	if f.T.methods["Timeout"].signature != "func() bool" {
		return f
	}
	if f.T.methods["Temporary"].signature != "func() bool" {
		return timeout{f}
	}
	return temporary{timeout{f}}
}

type (
	writeString func(string) (int, error)
	readFrom    func(io.Reader) (int64, error)
	writeTo     func(io.Writer) (int64, error)
)

// WriteString calls the function.
func (w writeString) WriteString(s string) (int, error) { return w(s) }

// ReadFrom calls the function.
func (f readFrom) ReadFrom(r io.Reader) (int64, error) { return f(r) }

// WriteTo calls the function.
func (f writeTo) WriteTo(w io.Writer) (int64, error) { return f(w) }

// optional returns a reader or writer with the further methods that package io asks for. wrapped gives the value the methods of the
// interface t.
func optional(b Value, wrapped any, t reflect.Type) any {
	switch t {
	case reflect.TypeFor[io.Writer]():
		text, isText := b.method("WriteString").(func(string) (int, error))
		from, isFrom := b.method("ReadFrom").(func(io.Reader) (int64, error))
		w, ok := wrapped.(io.Writer)
		switch {
		case !ok:
		case isText && isFrom:
			return fullWriter{open(wrapped), w, text, from}
		case isText:
			return stringWriter{open(wrapped), w, text}
		case isFrom:
			return readerFrom{open(wrapped), w, from}
		}
	case reflect.TypeFor[io.Reader]():
		to, isTo := b.method("WriteTo").(func(io.Writer) (int64, error))
		if r, ok := wrapped.(io.Reader); ok && isTo {
			return writerTo{open(wrapped), r, to}
		}
	}
	return wrapped
}
