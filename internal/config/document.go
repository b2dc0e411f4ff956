package config

import (
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/strict"
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
}

// open reads a YAML file, or the frontmatter of a Markdown file. Variables are not expanded yet.
func (s Source) open() (document, error) {
	data, err := os.ReadFile(s.File)
	if err != nil {
		return document{}, fmt.Errorf("reading %s: %w", s.File, err)
	}
	d := document{Source: s, root: &yaml.Node{}}
	if strings.HasSuffix(s.File, ".md") {
		d.body, err = strict.Frontmatter(s.File, data, d.root)
	} else {
		err = strict.Decode(s.File, data, d.root)
	}
	return d, err
}

// decode expands variables and reads the document into a value.
func (l *loader) decode(d document, into any) error {
	if err := l.env.expandTree(d.File, d.root, ""); err != nil {
		return err
	}
	return strict.DecodeNode(d.File, d.root, into)
}

// find returns the value at a path of keys. Where it is not written out, it is the nearest value around it.
func (d document) find(path ...string) *yaml.Node {
	n := d.root
next:
	for _, key := range path {
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if n.Content[i].Value == key {
				n = n.Content[i+1]
				continue next
			}
		}
		break
	}
	return n
}

// fault is an error about the value at a path of keys.
func (d document) fault(path []string, format string, args ...any) error {
	return &strict.Error{
		File: d.File, Line: max(d.find(path...).Line, 1),
		Err: fmt.Errorf("key %q: %w", strings.Join(path, "."), fmt.Errorf(format, args...)),
	}
}
