package filefind

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// entry is a file or a directory below the root.
type entry struct {
	// path is relative to the root, with slashes. lower is the path in lower case.
	path, lower string
	dir         bool
	// hidden is set if a name in the path begins with a dot.
	hidden bool
}

// maxDepth is how deep directories are read below the root. The rules of all directories on the way are in memory.
const maxDepth = 64

// walker lists what is below a directory: first everything that is not hidden, directories near the root before others.
type walker struct {
	root *os.Root
	// base is the absolute path of the root, without links.
	base string
	// most is how many entries are found.
	most  int
	found []entry
	// visible and hidden are the directories that are still to be read.
	visible, hidden []entry
	// levels are the directories from the root to the current one.
	levels []level
}

// level is a directory and the rules in it. The path of the root is empty.
type level struct {
	path  string
	rules gitignore.Rules
}

// walk lists the files and directories below a directory, at most the given number. It calls report with what it has found so far,
// before each further directory. If ctx ends, it returns what it has found.
func walk(ctx context.Context, dir string, most int, report func([]entry)) ([]entry, error) {
	base, err := filepath.EvalSymlinks(dir)
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	root, err := files.OpenRoot(base)
	if err != nil {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	defer func() { _ = root.Close() }()
	w := &walker{root: root, base: base, most: most, levels: []level{{rules: gitignore.Above(base).With(base)}}}
	if err := w.read(ctx, entry{}); err != nil && len(w.found) == 0 {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	for next, more := w.next(); more && ctx.Err() == nil && len(w.found) < most; next, more = w.next() {
		report(w.found)
		// A directory that cannot be read, or is gone, has no candidates.
		_ = w.read(ctx, next)
	}
	return w.found, nil
}

// next returns the next directory.
func (w *walker) next() (entry, bool) {
	queue := &w.visible
	if len(*queue) == 0 {
		queue = &w.hidden
	}
	if len(*queue) == 0 {
		return entry{}, false
	}
	next := (*queue)[0]
	*queue = (*queue)[1:]
	return next, true
}

// read adds the entries of a directory. If it fails, it may have added some.
func (w *walker) read(ctx context.Context, dir entry) error {
	entries, err := files.ReadDirBelow(w.root, filepath.FromSlash(path.Join(".", dir.path)), maxEntries)
	rules := w.rules(dir.path)
	for _, e := range entries {
		if len(w.found) == w.most || ctx.Err() != nil {
			break
		}
		w.add(dir, e, rules)
	}
	return err
}

// rules returns the rules in a directory. It reads the ignore files between the nearest directory that is above this one and above
// the previous one, and this one: rules that are kept for every directory could take much memory.
func (w *walker) rules(dir string) gitignore.Rules {
	last := w.levels[len(w.levels)-1]
	for last.path != "" && last.path != dir && !strings.HasPrefix(dir, last.path+"/") {
		w.levels = w.levels[:len(w.levels)-1]
		last = w.levels[len(w.levels)-1]
	}
	for last.path != dir {
		name, _, _ := strings.Cut(strings.TrimPrefix(dir[len(last.path):], "/"), "/")
		next := path.Join(last.path, name)
		last = level{path: next, rules: last.rules.With(filepath.Join(w.base, filepath.FromSlash(next)))}
		w.levels = append(w.levels, last)
	}
	return last.rules
}

// add adds an entry of a directory. It leaves out .git, ignored files, names that cannot be shown as they are, and what is neither
// a file nor a directory. Links to directories are not followed.
func (w *walker) add(dir entry, e fs.DirEntry, rules gitignore.Rules) {
	if e.Name() == ".git" || !plaintext.IsPlain(e.Name()) {
		return
	}
	name := path.Join(dir.path, e.Name())
	kind := e.Type()
	if kind&fs.ModeSymlink != 0 {
		// Stat fails if the link leads out of the root.
		info, err := w.root.Stat(filepath.FromSlash(name))
		if err != nil {
			return
		}
		kind = info.Mode().Type()
	}
	full := filepath.ToSlash(filepath.Join(w.base, filepath.FromSlash(name)))
	if !kind.IsDir() && !kind.IsRegular() || rules.Ignored(full, e.IsDir()) {
		return
	}
	one := entry{path: name, lower: strings.ToLower(name), dir: kind.IsDir(), hidden: dir.hidden || strings.HasPrefix(e.Name(), ".")}
	w.found = append(w.found, one)
	switch {
	case !e.IsDir() || strings.Count(name, "/") >= maxDepth:
	case one.hidden:
		w.hidden = append(w.hidden, one)
	default:
		w.visible = append(w.visible, one)
	}
}
