// Package hidden decides which files confined processes must not read, and finds them in a working directory.
//
// Rules decide about one path. A Finder looks through directories, remembers them, and looks again only at what changed.
package hidden

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/gitignore"
)

// byDefault is the name of the files that are hidden without a setting.
const byDefault = "secrets.env"

// Rules say which files are hidden. They must not be changed or copied after the first use; several goroutines may use them.
type Rules struct {
	// Dir is the working directory, without links. Patterns are relative to it and hide nothing outside of it.
	Dir string `json:"dir"`
	// Layers holds the patterns of the settings. A file is hidden if one of the layers hides it.
	Layers []Layer `json:"layers,omitempty"`
	// Files lists files that are hidden by default wherever they are located.
	Files []File `json:"files,omitempty"`
	// Only is set if nothing is hidden by default.
	Only bool `json:"only,omitempty"`

	once     sync.Once
	compiled []gitignore.Rules
}

// Layer holds the patterns of one file of settings, in the syntax of .gitignore. A pattern with ! cancels those before it in the same layer.
type Layer struct {
	Source   string   `json:"source"`
	Patterns []string `json:"patterns"`
	// Own is set if the file belongs to the user: its patterns with ! also exempt files from what is hidden by default.
	Own bool `json:"own,omitempty"`
	// Everywhere is set if the patterns also hide files of other directories that are granted; see In.
	Everywhere bool `json:"everywhere,omitempty"`
}

// File is a hidden file and the reason, in words.
type File struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Reason says why a file is hidden.
type Reason struct {
	// Text is a clause such as: the pattern ".env*" of sandbox.hidden (FILE) hides it.
	Text string
	// Explicit is set if a setting names the file. Anchored is set if the file is hidden because of the directory that it is in.
	Explicit, Anchored bool
}

// Explicit reports whether a setting hides files.
func (r *Rules) Explicit() bool { return len(r.Layers) > 0 }

// In returns the rules for a directory outside of the working directory: those of the layers that count everywhere, relative to that directory. They
// are nil if there are none.
func (r *Rules) In(dir string) *Rules {
	if r == nil || within(r.Dir, dir) {
		return nil
	}
	out := &Rules{Dir: dir, Only: true}
	for _, l := range r.Layers {
		if l.Everywhere {
			out.Layers = append(out.Layers, l)
		}
	}
	if len(out.Layers) == 0 {
		return nil
	}
	return out
}

func (r *Rules) layers() []gitignore.Rules {
	r.once.Do(func() {
		for _, l := range r.Layers {
			r.compiled = append(r.compiled, gitignore.Parse(r.Dir, l.Patterns...))
		}
	})
	return r.compiled
}

// Why returns why a path is hidden by its name, if it is. The path is absolute, clean and without links, and need not exist.
func (r *Rules) Why(path string) (Reason, bool) {
	for _, dir := range r.above(path) {
		if reason, ok := r.at(dir, true); ok {
			return reason, true
		}
	}
	return r.at(path, false)
}

// above returns the directories between the working directory and a path, the uppermost first.
func (r *Rules) above(path string) []string {
	if !within(r.Dir, path) {
		return nil
	}
	var out []string
	for dir := filepath.Dir(path); within(r.Dir, dir) && dir != r.Dir; dir = filepath.Dir(dir) {
		out = append(out, dir)
	}
	slices.Reverse(out)
	return out
}

// at does what Why does for a path in a directory that is not hidden.
func (r *Rules) at(path string, directory bool) (Reason, bool) {
	slashed := filepath.ToSlash(path)
	for i, rules := range r.layers() {
		if line, hides := rules.Decide(slashed, directory); hides {
			return Reason{
				Text:     fmt.Sprintf("the pattern %q of sandbox.hidden (%s) hides it", line, r.Layers[i].Source),
				Explicit: true,
				// A file can be moved to where a pattern with ! exempts it.
				Anchored: slices.ContainsFunc(r.Layers[i].Patterns, gitignore.Anchored),
			}, true
		}
	}
	if directory || r.Only || r.exempt(path) {
		return Reason{}, false
	}
	for _, f := range r.Files {
		if f.Path == path {
			return Reason{Text: f.Why, Anchored: true}, true
		}
	}
	if filepath.Base(path) == byDefault && within(r.Dir, path) {
		return Reason{Text: "files of the name " + byDefault + " are hidden by default"}, true
	}
	return Reason{}, false
}

// exempt reports whether the user's own settings exempt a file from what is hidden by default.
func (r *Rules) exempt(path string) bool {
	for i, rules := range r.layers() {
		if !r.Layers[i].Own {
			continue
		}
		for _, dir := range r.above(path) {
			if line, hides := rules.Decide(filepath.ToSlash(dir), true); line != "" && !hides {
				return true
			}
		}
		if line, hides := rules.Decide(filepath.ToSlash(path), false); line != "" && !hides {
			return true
		}
	}
	return false
}

// Same reports whether two rules hide the same files.
func (r *Rules) Same(other *Rules) bool { return !r.Stricter(other) && !other.Stricter(r) }

// Stricter reports whether r may hide a file that other does not hide. Either may be nil, which hides nothing.
func (r *Rules) Stricter(other *Rules) bool {
	switch {
	case r == nil || r == other:
		return false
	case other == nil || r.Dir != other.Dir || other.Only && !r.Only:
		return true
	}
	lacks := func(list []Layer, l Layer) bool {
		return !slices.ContainsFunc(list, func(o Layer) bool {
			return o.Source == l.Source && o.Own == l.Own && slices.Equal(o.Patterns, l.Patterns)
		})
	}
	for _, l := range r.Layers {
		if lacks(other.Layers, l) {
			return true
		}
	}
	for _, l := range other.Layers {
		if l.Own && slices.ContainsFunc(l.Patterns, func(p string) bool { return strings.HasPrefix(p, "!") }) && lacks(r.Layers, l) {
			return true
		}
	}
	return slices.ContainsFunc(r.Files, func(f File) bool { return !slices.Contains(other.Files, f) })
}

// within reports whether a path is dir or below it. Both must be clean.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
