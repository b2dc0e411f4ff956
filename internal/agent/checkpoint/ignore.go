package checkpoint

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/base/gitignore"
)

// rules are the rules of ignored files in a directory. They are read when they are needed.
type rules struct {
	// known is set if the rules are those of the last look, so that its verdicts hold.
	known bool
	read  func() gitignore.Rules
}

// below returns the rules in a directory that has a file of rules.
func (r *rules) below(dir string, known bool) *rules {
	return &rules{known: known, read: sync.OnceValue(func() gitignore.Rules { return r.read().With(dir) })}
}

// enter returns the rules in a directory.
func (l *look) enter(root *os.Root, name string, in *rules, names []string) *rules {
	const file = ".gitignore"
	old, at := l.index[path.Join(name, file)], path.Join(name, file)
	if !slices.Contains(names, file) {
		if old == nil {
			return in
		}
		return &rules{read: in.read}
	}
	known := false
	if info, err := root.Lstat(file); err == nil && old != nil {
		known = in.known && old.untouched(described(at, info))
	}
	return in.below(l.path(name), known)
}

// ignores reports whether the rules name a path. What is kept already is not ignored by later rules.
func (l *look) ignores(in *rules, name string, directory bool) bool {
	if l.index[name] != nil {
		return false
	}
	ignored := in.known && l.scanner.ignored[name]
	if !ignored {
		ignored = in.read().Ignored(filepath.ToSlash(l.path(name)), directory)
	}
	if ignored {
		l.mu.Lock()
		l.ignored[name] = true
		l.mu.Unlock()
	}
	return ignored
}
