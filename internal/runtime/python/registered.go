package python

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Registrations holds the names under which the source of an extension registers handlers, tools and commands.
type Registrations struct{ Events, Tools, Commands []string }

// mostFiles is how many files of an extension are read for its registrations.
const mostFiles = 500

// Registered reads from its source what an extension registers. It runs nothing, so it finds only names that are written as literals, and
// none of an installed package. A file that cannot be read has none.
func Registered(p manifest.Plugin) Registrations {
	file, _, err := source(p)
	if err != nil || file == "" {
		return Registrations{}
	}
	list := []string{file}
	if filepath.Base(file) == initFile {
		list = modules(filepath.Dir(file))
	}
	var out Registrations
	for _, file := range list {
		if text, err := files.Read(file, files.MaxText); err == nil {
			out.add(tokens(string(text)))
		}
	}
	return out
}

// modules returns the Python files in a directory.
func modules(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read has no registrations
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "__pycache__"):
			return filepath.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".py"):
			out = append(out, path)
		}
		if len(out) == mostFiles {
			return filepath.SkipAll
		}
		return nil
	})
	return out
}

// add adds what the tokens of a file register: @api.on("…"), api.tool("…"), ToolSpec("…") and api.command("…"). api.events.on is about messages.
func (r *Registrations) add(list []token) {
	for i, t := range list {
		if t.kind != name || i+1 >= len(list) || list[i+1].text != "(" {
			continue
		}
		method := i >= 2 && list[i-1].text == "." && list[i-2].text != "events"
		switch found := firstName(list[i+2:]); {
		case found == "":
		case t.text == "on" && method && i >= 3 && list[i-3].text == "@":
			r.Events = append(r.Events, found)
		case t.text == "tool" && method, t.text == "ToolSpec":
			r.Tools = append(r.Tools, found)
		case t.text == "command" && method:
			r.Commands = append(r.Commands, found)
		}
	}
}

// firstName returns the literal that a call has as its first argument, or as the one called name; "" if there is none. list begins after the
// call's parenthesis.
func firstName(list []token) string {
	depth := 0
	for i, t := range list {
		ends := i+1 < len(list) && (list[i+1].text == "," || list[i+1].text == ")")
		named := i >= 2 && list[i-1].text == "=" && list[i-2].text == "name"
		switch {
		case depth == 0 && t.kind == literal && ends && (i == 0 || named):
			return t.text
		case t.kind != punctuation:
		case slices.Contains([]string{"(", "[", "{"}, t.text):
			depth++
		case slices.Contains([]string{")", "]", "}"}, t.text):
			if depth--; depth < 0 {
				return ""
			}
		}
	}
	return ""
}
