package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// foreignCommands is the folder of commands in a directory of another agent. Its folders are read too, to this depth.
const (
	foreignCommands     = "commands"
	foreignCommandDepth = 3
)

// readForeignCommands adds the commands in a directory of another agent. A file that cannot be used is left out with a notice.
func (l *loader) readForeignCommands(home Home, merged map[string]Command) {
	dir := foreignDir{home: home, top: filepath.Join(home.Dir, foreignCommands)}
	paths, err := dir.markdown(dir.top, foreignCommandDepth)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.notices = append(l.notices, fmt.Sprintf("the commands in %s are left out: %v", dir.top, files.Cause(err)))
		return
	}
	read := map[string]string{}
	var unknown []string
	for _, path := range paths {
		c := Command{Source: Source{File: path, Home: home}}
		data, err := dir.read(path)
		var keys []string
		if err == nil {
			keys, err = c.parseForeign(path, data)
		}
		if earlier, ok := read[c.Name]; ok && err == nil {
			err = fmt.Errorf("%s has the same name, %q", earlier, c.Name)
		}
		if err != nil {
			l.notices = append(l.notices, fmt.Sprintf("the command in %s is left out: %v", path, files.Cause(err)))
			continue
		}
		if len(keys) > 0 {
			unknown = append(unknown, fmt.Sprintf("%s (%s)", c.Name, strings.Join(keys, ", ")))
		}
		read[c.Name] = path
		l.seen.addPlace("command", c.Name, Place{Source: c.Source, Line: 1})
		merged[c.Name] = c
	}
	if len(unknown) > 0 {
		l.notices = append(l.notices, fmt.Sprintf("commands in %s have keys that aura does not know: %s", dir.top, firstOf(unknown)))
	}
}

// markdown returns the Markdown files in a folder and in its folders.
func (d foreignDir) markdown(dir string, depth int) ([]string, error) {
	entries, err := d.entries(dir)
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir() && depth > 1:
			// A folder that cannot be read has no commands that could be named.
			below, _ := d.markdown(path, depth-1)
			out = append(out, below...)
		case slices.Contains(markdownFiles, filepath.Ext(e.Name())):
			out = append(out, path)
		}
		if len(out) > limit.ConfigFiles {
			return nil, fmt.Errorf("it contains more than %d files", limit.ConfigFiles)
		}
	}
	return out, err
}

// parseForeign reads a command of another agent, and returns the keys that aura does not know.
func (c *Command) parseForeign(path string, data []byte) (unknown []string, err error) {
	var root yaml.Node
	body, err := strictyaml.Frontmatter(path, quoteHints(data), &root)
	if err != nil {
		if at, ok := errors.AsType[*strictyaml.Error](err); ok {
			err = fmt.Errorf("line %d: %w", at.Line, at.Err)
		}
		return nil, err
	}
	c.Body = strings.TrimSpace(body)
	c.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(root.Content); i += 2 {
			key, value := root.Content[i].Value, root.Content[i+1]
			into, ok := map[string]any{
				"description": &c.Description, "argument-hint": &c.ArgumentHint, "allowed-tools": &c.AllowedTools, "model": &c.Model,
			}[key]
			if !ok {
				unknown = append(unknown, key)
				continue
			}
			if err := value.Decode(into); err != nil {
				return nil, fmt.Errorf("key %q: it is not a text", key)
			}
		}
	}
	switch {
	case !isCommandName(c.Name):
		return nil, fmt.Errorf("%q cannot be typed as a command: use letters, digits and - _ : . without a slash", c.Name)
	case c.Body == "":
		return nil, errors.New("it has no text for the model")
	}
	return unknown, nil
}

// quoteHints puts hints in quotes. Other agents accept [FILE] [WHOM], which is no valid YAML, or a list.
func quoteHints(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		if i > 0 && strings.TrimSpace(string(line)) == "---" {
			break
		}
		value, ok := bytes.CutPrefix(line, []byte("argument-hint:"))
		if value = bytes.TrimSpace(value); ok && len(value) > 0 && bytes.ContainsAny(value[:1], "[<{|>&*") {
			lines[i] = fmt.Appendf(nil, "argument-hint: '%s'", bytes.ReplaceAll(value, []byte("'"), []byte("''")))
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// entries returns the entries of a folder.
func (d foreignDir) entries(dir string) (entries []fs.DirEntry, err error) {
	err = d.below(dir, func(root *os.Root, name string) (err error) {
		if root == nil {
			entries, err = files.ReadDir(dir, limit.ConfigFiles+1)
		} else {
			entries, err = files.ReadDirBelow(root, name, limit.ConfigFiles+1)
		}
		return err
	})
	return entries, err
}
