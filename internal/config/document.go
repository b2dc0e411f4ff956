package config

import (
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/strictyaml"
)

// Source says where an entity is declared.
type Source struct {
	// File is absolute.
	File string
	Home Home
}

// document is a file that has been read and parsed.
type document struct {
	Source

	root *yaml.Node
	// body is what follows the frontmatter of a Markdown file.
	body string
	// bodyLine is the line of the file that the body's first text is on.
	bodyLine int
}

// open reads a YAML file, or the frontmatter of a Markdown file. Variables are not expanded yet.
func (s Source) open() (document, error) {
	data, err := files.Read(s.File, files.MaxText)
	if err != nil {
		return document{}, fmt.Errorf("reading %s: %w", s.File, err)
	}
	d := document{Source: s, root: &yaml.Node{}}
	if strings.HasSuffix(s.File, ".md") {
		d.body, err = strictyaml.Frontmatter(s.File, data, d.root)
		d.bodyLine = lineOf(string(data), strings.TrimSpace(d.body))
	} else {
		err = strictyaml.Decode(s.File, data, d.root)
	}
	return d, err
}

// lineOf is the line of a file that its last part begins on.
func lineOf(file, part string) int {
	before := strings.LastIndex(file, part)
	return 1 + strings.Count(file[:max(before, 0)], "\n")
}

// decode expands variables and reads the document into a value.
func (l *loader) decode(d document, into any) error {
	if err := l.expandTree(d.Source, d.root, ""); err != nil {
		return err
	}
	return strictyaml.DecodeNode(d.File, d.root, into)
}

// find returns the value at a path of keys. Where it is not written out, it is the nearest value around it.
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

// get returns the value at a path of keys; nil if it is not set.
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

// line is where the value at a path of keys is written, or the nearest value around it.
func (d document) line(path ...string) int { return max(d.find(path...).Line, 1) }

// fault is an error about the value at a path of keys.
func (d document) fault(path []string, format string, args ...any) error {
	return d.faultAt(d.line(path...), path, format, args...)
}

func (d document) faultAt(line int, path []string, format string, args ...any) error {
	return &strictyaml.Error{
		File: d.File, Line: line, Err: fmt.Errorf("key %q: %w", strings.Join(path, "."), fmt.Errorf(format, args...)),
	}
}

const timeoutKey = "timeout"

// checkTimeout refuses a timeout that is written and not positive.
func (d document) checkTimeout(name string, timeout time.Duration) error {
	return d.checkPositive(timeout, name, timeoutKey)
}

// checkPositive refuses a duration that is written at a path and not positive: readers differ on whether 0 is no time or no bound.
func (d document) checkPositive(duration time.Duration, path ...string) error {
	if duration > 0 || d.get(path...) == nil {
		return nil
	}
	return d.fault(path, "%s is not positive: write a duration such as 30s, or leave the key out for the default", duration)
}

// named is the error for a Markdown file that does not name what it declares; nil if it does.
func (d document) named(what, name string) error {
	if strings.TrimSpace(name) != "" {
		return nil
	}
	return d.fault([]string{"name"}, "missing: %s needs a name in the frontmatter between two lines of ---", what)
}

// empty is the error for a Markdown file without a text where the text is what matters.
func (d document) empty(what, name string) error {
	return &strictyaml.Error{File: d.File, Line: d.line("name"), Err: fmt.Errorf("%s %q has no text: write it below the frontmatter", what, name)}
}
