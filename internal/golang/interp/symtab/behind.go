package symtab

import (
	"bufio"
	"encoding"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
)

// Behind returns the types that the interpreter looks for behind the arguments of a function, or behind a wrapper: the function has parameters
// of type any and treats arguments with certain methods in a special way. For a wrapper the types are wrappers with more methods, the one with
// the most first.
func Behind(path, name string) []reflect.Type {
	switch path + "." + name {
	case "fmt.Errorf", "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln",
		"log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		return []reflect.Type{reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer]()}
	case "fmt.Scan", "fmt.Scanf", "fmt.Scanln":
		return []reflect.Type{reflect.TypeFor[fmt.Scanner]()}
	case "encoding/json.Marshal":
		return []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
	case "encoding/json.Unmarshal":
		return []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
	case "encoding/xml.Marshal":
		return []reflect.Type{reflect.TypeFor[xml.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
	case "encoding/xml.Unmarshal":
		return []reflect.Type{reflect.TypeFor[xml.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
	case "io._Reader":
		return []reflect.Type{reflect.TypeFor[readerWriterTo]()}
	case "io._Writer":
		return []reflect.Type{reflect.TypeFor[writerReaderFrom]()}
	case "net/http._ResponseWriter":
		return []reflect.Type{reflect.TypeFor[responseHijacker]()}
	default:
		return nil
	}
}

// readerWriterTo is a reader from which io.Copy lets the reader itself copy.
type readerWriterTo struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (r readerWriterTo) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r readerWriterTo) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }

// writerReaderFrom is a writer to which io.Copy lets the writer itself copy.
type writerReaderFrom struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w writerReaderFrom) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w writerReaderFrom) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

// responseHijacker is a response whose connection the handler may take over.
type responseHijacker struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WHijack      func() (net.Conn, *bufio.ReadWriter, error)
}

func (r responseHijacker) Header() http.Header                          { return r.WHeader() }
func (r responseHijacker) Write(p []byte) (int, error)                  { return r.WWrite(p) }
func (r responseHijacker) WriteHeader(status int)                       { r.WWriteHeader(status) }
func (r responseHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return r.WHijack() }
