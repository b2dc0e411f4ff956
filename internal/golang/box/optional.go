package box

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"reflect"
)

// The library asks some values for methods that their interfaces do not have. These types have them.
type (
	// timeout is a failure that tells whether time ran out, and temporary one that also tells whether to try again.
	timeout   struct{ failure }
	temporary struct{ timeout }
	// textual is a Value that encodes itself as a text, and textError a failure that does.
	textual   struct{ Value }
	textError struct{ failure }
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

// MarshalText calls the method MarshalText of the value.
func (t textual) MarshalText() ([]byte, error) { return t.marshalText() }

// MarshalText calls the method MarshalText of the value.
func (t textError) MarshalText() ([]byte, error) { return t.marshalText() }

// marshalText calls the method MarshalText. Package slog looks for nil pointers only if the method panics, and finds none in a box.
func (v Value) marshalText() (out []byte, err error) {
	defer v.ifNil(func() { out, err = []byte("<nil>"), nil })
	return v.method("MarshalText").(func() ([]byte, error))() //nolint:forcetypeassert // see hasText
}

// ifNil calls f if the value is a nil pointer and a method of it panicked. It must be deferred.
func (v Value) ifNil(f func()) {
	r := recover()
	if r == nil {
		return
	}
	if p := reflect.ValueOf(v.V); p.Kind() != reflect.Pointer || !p.IsNil() {
		panic(v.T.space.Recovered(r))
	}
	f()
}

// hasText reports whether values of a type encode themselves as texts.
func (t *Type) hasText() bool {
	signature := t.methods["MarshalText"].signature
	return signature == "func() ([]byte, error)" || signature == "func() ([]uint8, error)"
}

// withOptions returns an error with the methods that package os and net ask for.
func withOptions(f failure) any {
	if f.T.methods["Timeout"].signature != "func() bool" {
		if f.T.hasText() {
			return textError{f}
		}
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
	scanner     func(fmt.ScanState, rune) error
)

// Scan calls the function.
func (f scanner) Scan(state fmt.ScanState, verb rune) error { return f(state, verb) }

// Scanned returns an argument of a function that scans: a pointer, or the method of one that scans itself.
func (s *Space) Scanned(v any) any {
	b, ok := open(v).(boxed)
	if !ok {
		return v
	}
	if scan, ok := b.content().method("Scan").(func(fmt.ScanState, rune) error); ok {
		return scanner(scan)
	}
	return b.content().V
}

// WriteString calls the function.
func (w writeString) WriteString(s string) (int, error) { return w(s) }

// ReadFrom calls the function.
func (f readFrom) ReadFrom(r io.Reader) (int64, error) { return f(r) }

// WriteTo calls the function.
func (f writeTo) WriteTo(w io.Writer) (int64, error) { return f(w) }

// optional returns a reader, writer, file, file system or flag with the further methods that packages io, fs and flag ask for. wrapped gives the value the methods of the
// interface t.
func optional(b Value, wrapped any, t reflect.Type) any {
	switch t {
	case reflect.TypeFor[fs.FS]():
		return fileSystemMethods(b, wrapped)
	case reflect.TypeFor[fs.File]():
		return fileMethods(b, wrapped)
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
	case reflect.TypeFor[flag.Value]():
		if v, ok := wrapped.(flag.Value); ok {
			return ownFlag(b, v)
		}
	}
	return wrapped
}
