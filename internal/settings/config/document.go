package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// Source is the file and the home that declare an entity.
type Source struct {
	// File is absolute, except in HomeBuiltin, where it is the name of that kind.
	File string
	Home Home
}

// document is a file that was read and parsed.
type document struct {
	Source

	root *yaml.Node
	// above is the path of keys to root, if root is a part of the file.
	above []string
	// body is the text after the frontmatter of a Markdown file.
	body string
	// bodyLine is the line of the file on which the text of the body begins.
	bodyLine int
}

// open reads a YAML file, or the frontmatter of a Markdown file. It does not expand variables.
func (s Source) open() (document, error) {
	data, err := files.Read(s.File, files.MaxText)
	if err != nil {
		return document{}, fmt.Errorf("reading %s: %w", s.File, err)
	}
	return s.parse(data)
}

// parse parses the content of a file.
func (s Source) parse(data []byte) (document, error) {
	d := document{Source: s, root: &yaml.Node{}}
	var err error
	if strings.HasSuffix(s.File, ".md") {
		d.body, err = strictyaml.Frontmatter(s.File, data, d.root)
		d.body = s.Home.variables.text(d.body)
		d.bodyLine = lineOf(string(data), strings.TrimSpace(d.body))
	} else {
		err = strictyaml.Decode(s.File, data, d.root)
	}
	return d, err
}

// lineOf returns the line of a file on which its last part begins.
func lineOf(file, part string) int {
	before := strings.LastIndex(file, part)
	return 1 + strings.Count(file[:max(before, 0)], "\n")
}

// decode expands variables and decodes the document into a value.
func (l *loader) decode(d document, into any) error {
	if err := l.expandTree(d.Source, d.root, ""); err != nil {
		return err
	}
	return strictyaml.DecodeNode(d.File, d.root, into)
}

// find returns the value at a path of keys. If the value is missing, it returns the nearest enclosing value.
func (d document) find(path ...string) *yaml.Node {
	n := d.root
	if n == nil {
		return &yaml.Node{}
	}
	for _, key := range path {
		inner := value(n, key)
		if inner == nil {
			break
		}
		n = inner
	}
	return n
}

// get returns the value at a path of keys, or nil if it is not set.
func (d document) get(path ...string) *yaml.Node {
	n := d.root
	for _, key := range path {
		if n = value(n, key); n == nil {
			return nil
		}
	}
	if n == nil || n.ShortTag() == nullTag {
		return nil
	}
	return n
}

// line returns the line of the value at a path of keys, or of the nearest enclosing value.
func (d document) line(path ...string) int { return max(d.find(path...).Line, 1) }

// fault returns an error about the value at a path of keys.
func (d document) fault(path []string, format string, args ...any) error {
	return d.faultAt(d.line(path...), path, format, args...)
}

func (d document) faultAt(line int, path []string, format string, args ...any) error {
	return &strictyaml.Error{
		File: d.File, Line: line, Err: fmt.Errorf("key %q: %w", strings.Join(slices.Concat(d.above, path), "."), fmt.Errorf(format, args...)),
	}
}

const timeoutKey = "timeout"

// checkTimeout refuses a timeout that is set but not positive.
func (d document) checkTimeout(name string, timeout time.Duration) error {
	return d.checkPositive(timeout, name, timeoutKey)
}

// checkPositive refuses a duration that is set at a path but not positive. Users disagree on whether 0 means no time or no limit.
func (d document) checkPositive(duration time.Duration, path ...string) error {
	if duration > 0 || d.get(path...) == nil {
		return nil
	}
	return d.fault(path, "%s is not positive: write a duration such as 30s, or leave the key out for the default", duration)
}

// named returns an error if a Markdown file does not name the entity that it declares.
func (d document) named(what, name string) error {
	if strings.TrimSpace(name) != "" {
		return nil
	}
	return d.fault([]string{"name"}, "missing: %s needs a name in the frontmatter between two lines of ---", what)
}

// empty returns the error for a Markdown file that has no text although its kind requires one.
func (d document) empty(what, name string) error {
	return &strictyaml.Error{File: d.File, Line: d.line("name"), Err: fmt.Errorf("%s %q has no text: write it below the frontmatter", what, name)}
}
