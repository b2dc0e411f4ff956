// Package strictyaml decodes YAML without guessing. Unknown keys, wrong types, duplicate keys, several documents,
// runaway aliases and oversized files are errors that name the file, the line and the key.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// MaxSize is the size of the largest accepted document, in bytes.
const MaxSize = 1 << 20

// maxProbes and maxProbeBytes limit the search for the faulty line, which parses every prefix of the document. Documents with
// more lines or bytes are not searched.
const (
	maxProbes     = 500
	maxProbeBytes = 64 << 10
)

// Error is an error at a line of a file. Line counts from 1. 0 means the whole file.
type Error struct {
	File string
	Line int
	Err  error
}

// Error renders FILE:LINE: text.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}

	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the error without its file and line.
func (e *Error) Unwrap() error { return e.Err }

// Decode reads the one YAML document in data into the value that into points to. The name file is used only in errors. An empty
// document leaves the value unchanged, and so does any error.
func Decode(file string, data []byte, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("decoding %s: the target must be a non-nil pointer, not %T", file, into)
	}

	if len(data) > MaxSize {
		return &Error{File: file, Err: fmt.Errorf("file has %d bytes, the limit is %d (1 MiB)", len(data), MaxSize)}
	}

	data = utf8Text(data)

	node, err := parse(data)
	if err == nil && node != nil {
		err = decode(node, target)
	}

	if err != nil {
		return locate(file, err)
	}

	return nil
}

// decode checks the whole tree before it writes to the target.
func decode(node *yaml.Node, target reflect.Value) error {
	c := checker{}
	if err := c.value(node, target.Type().Elem(), ""); err != nil {
		return err
	}

	fresh := reflect.New(target.Type().Elem())
	fresh.Elem().Set(target.Elem())

	if err := safely(func() error { return node.Decode(fresh.Interface()) }); err != nil {
		return fromYAML(err, node.Line)
	}

	target.Elem().Set(fresh.Elem())

	return nil
}

// parse returns the root value of the only document, or nil if there is no document.
func parse(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))

	var first, second yaml.Node

	err := safely(func() error { return decoder.Decode(&first) })
	if errors.Is(err, io.EOF) {
		return nil, nil
	}

	if err != nil {
		return nil, explained(fromYAML(err, faultLine(data)), data)
	}

	err = safely(func() error { return decoder.Decode(&second) })
	if err == nil {
		return nil, &Error{Line: second.Line, Err: errors.New("second YAML document found, a file holds only one")}
	}

	if !errors.Is(err, io.EOF) {
		return nil, explained(fromYAML(err, faultLine(data)), data)
	}

	if first.Kind != yaml.DocumentNode || len(first.Content) != 1 {
		return nil, nil
	}

	return first.Content[0], nil
}

// safely converts a panic of the YAML library to an error. A user's file must never end the process.
func safely(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed YAML: %v", r)
		}
	}()

	return work()
}

// faultLine returns the line after the longest prefix that parses. The YAML library often reports the start of the enclosing
// block instead. faultLine returns 0 if the document is too long to search.
func faultLine(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines) > maxProbes || len(data) > maxProbeBytes {
		return 0
	}

	end := len(data)

	for i, line := range slices.Backward(lines) {
		end -= len(line)

		var node yaml.Node

		err := safely(func() error { return yaml.Unmarshal(data[:end], &node) })
		if err == nil {
			return i + 1
		}
	}

	return 1
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)
})

// fromYAML removes the YAML library's prefix and places the error on line. If line is 0, it uses the line that the library
// reports.
func fromYAML(err error, line int) error {
	if _, placed := errors.AsType[*Error](err); placed {
		return err
	}

	text := err.Error()
	if !strings.HasPrefix(text, "yaml: ") {
		return &Error{Line: line, Err: err}
	}

	match := yamlLine().FindStringSubmatch(text)
	if n, convErr := strconv.Atoi(match[1]); convErr == nil && line == 0 {
		line = n
	}

	text, _, _ = strings.Cut(strings.TrimPrefix(text, match[0]), "\n")

	return &Error{Line: max(line, 1), Err: errors.New(text)}
}

// locate sets the file of an *Error.
func locate(file string, err error) error {
	if placed, ok := errors.AsType[*Error](err); ok {
		return &Error{File: file, Line: placed.Line, Err: placed.Err}
	}

	return &Error{File: file, Err: err}
}
