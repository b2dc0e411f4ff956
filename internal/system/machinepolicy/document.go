package machinepolicy

import (
	"reflect"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// document is one file of a policy.
type document struct {
	fileContent

	file string
	data []byte
}

// text is a value with its line.
type text = strictyaml.At[string]

// fileContent is what a file of a policy contains. Table says what each key means.
type fileContent struct {
	Version text                        `yaml:"version"`
	Audit   strictyaml.At[auditContent] `yaml:"audit"`
	URL     text                        `yaml:"url"`
	Key     text                        `yaml:"key"`
}

// FileType returns the type into which a file of a policy is decoded, for its schema.
func FileType() reflect.Type { return reflect.TypeFor[fileContent]() }

// decode reads a document strictly and checks each value on its own.
func decode(file string, data []byte) (document, error) {
	d := document{file: file, data: data}
	if err := strictyaml.Decode(file, data, &d.fileContent); err != nil {
		return d, err
	}
	return d, d.check()
}

// fault returns an error at a line of the document.
func (d *document) fault(line int, err error) error {
	return &strictyaml.Error{File: d.file, Line: line, Err: err}
}

// rule returns a rule of the document.
func (d *document) rule(key string, line int, text string) Rule {
	return Rule{Key: key, File: d.file, Line: line, Text: text}
}
