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

type (
	// text is a value with its line, flag the same for true or false, and texts a list.
	text  = strictyaml.At[string]
	flag  = strictyaml.At[bool]
	texts = strictyaml.At[[]text]
)

// fileContent is what a file of a policy contains. Table says what each key means.
type fileContent struct {
	Version   text                           `yaml:"version"`
	Sources   texts                          `yaml:"sources"`
	Signers   texts                          `yaml:"signers"`
	Plugins   pluginsContent                 `yaml:"plugins"`
	Hooks     flag                           `yaml:"hooks"`
	MCP       strictyaml.At[[]serverEntry]   `yaml:"mcp"`
	Providers strictyaml.At[[]providerEntry] `yaml:"providers"`
	Models    texts                          `yaml:"models"`
	Sandbox   sandboxContent                 `yaml:"sandbox"`
	Modes     texts                          `yaml:"modes"`
	Approvals text                           `yaml:"approvals"`
	Record    flag                           `yaml:"record"`
	Telemetry texts                          `yaml:"telemetry"`
	Sessions  text                           `yaml:"sessions"`
	Audit     strictyaml.At[auditContent]    `yaml:"audit"`
	URL       text                           `yaml:"url"`
	Key       text                           `yaml:"key"`
}

type pluginsContent struct {
	Required  strictyaml.At[[]pluginEntry] `yaml:"required"`
	Forbidden strictyaml.At[[]pluginEntry] `yaml:"forbidden"`
	Unsafe    flag                         `yaml:"unsafe"`
	Native    flag                         `yaml:"native"`
	Python    flag                         `yaml:"python"`
}

type sandboxContent struct {
	Required flag                          `yaml:"required"`
	Network  strictyaml.At[networkContent] `yaml:"network"`
	Hidden   texts                         `yaml:"hidden"`
}

// networkContent has the only hosts that can be reached, and those of them that cannot.
type networkContent struct {
	Allow []text `yaml:"allow"`
	Deny  []text `yaml:"deny"`
}

// pluginEntry names a plugin. Hash may be empty.
type pluginEntry struct {
	Name   text `check:"required" yaml:"name"`
	Origin text `check:"required" yaml:"origin"`
	Hash   text `yaml:"hash"`
}

// serverEntry names an MCP server, and either its command line or its address. Env names the variables that it may be given.
type serverEntry struct {
	Name    text   `check:"required" yaml:"name"`
	Command text   `yaml:"command"`
	URL     text   `yaml:"url"`
	Env     []text `yaml:"env"`
}

// providerEntry names a type of provider and its address.
type providerEntry struct {
	Type text `check:"required" yaml:"type"`
	URL  text `yaml:"url"`
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
