package hooks

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/idelchi/aura/sdk"
)

// The limits of a search for paths.
const (
	maxDepth   = 16
	maxPaths   = 1 << 16
	maxPathLen = 4096
)

// Paths returns the files that a call touches. First come the files in its input, which are found by the names of keys and in
// the text of a patch, and then the files that the tool itself declares. The paths are absolute and unique, and their order is
// deterministic. Relative paths are resolved against dir.
func Paths(dir string, input map[string]any, declared sdk.ToolPaths) []string {
	f := finder{dir: dir, seen: map[string]bool{}}
	f.object(input, 0)
	for _, paths := range [][]string{declared.Read, declared.Write, declared.Record, declared.Guard, declared.Clear} {
		for _, path := range paths {
			f.add(path)
		}
	}
	return f.found
}

// finder collects paths.
type finder struct {
	dir   string
	seen  map[string]bool
	found []string
}

func (f *finder) add(path string) {
	if path == "" || len(path) > maxPathLen || strings.ContainsRune(path, 0) || len(f.found) >= maxPaths {
		return
	}
	if filepath.IsAbs(path) {
		path = filepath.Clean(path)
	} else {
		path = filepath.Join(f.dir, path)
	}
	if !f.seen[path] {
		f.seen[path] = true
		f.found = append(f.found, path)
	}
}

// object visits the keys in sorted order, because the order of a map is random.
func (f *finder) object(object map[string]any, depth int) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		f.value(kindOf(key), object[key], depth+1)
	}
}

func (f *finder) value(kind keyKind, value any, depth int) {
	if depth > maxDepth {
		return
	}
	switch value := value.(type) {
	case string:
		f.text(kind, value)
	case []string:
		for _, item := range value {
			f.text(kind, item)
		}
	case []any:
		for _, item := range value {
			f.value(kind, item, depth+1)
		}
	case map[string]any:
		f.object(value, depth)
	}
}

func (f *finder) text(kind keyKind, text string) {
	switch kind {
	case keyPath:
		if path, ok := fromURI(text); ok {
			f.add(path)
		} else if !strings.Contains(text, "://") {
			f.add(text)
		}
	case keyPlace:
		if looksLikePath(text) {
			f.add(text)
		}
	case keyURI:
		if path, ok := fromURI(text); ok {
			f.add(path)
		}
	case keyPatch:
		f.patch(text)
	case keyOther:
	}
}

// patchHeads holds the prefixes of patch lines that name a file.
var patchHeads = []string{"*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"}

func (f *finder) patch(text string) {
	for line := range strings.Lines(text) {
		for _, head := range patchHeads {
			if path, ok := strings.CutPrefix(line, head); ok {
				f.add(strings.TrimSpace(path))
			}
		}
	}
}

// keyKind is the kind of a key's values.
type keyKind int

const (
	keyOther keyKind = iota
	// keyPath is a key for paths. keyPlace is a key for paths and other values.
	keyPath
	keyPlace
	keyURI
	keyPatch
)

// kinds maps the last words of a key to its kind.
var kinds = map[string]keyKind{
	"path": keyPath, "paths": keyPath, "file": keyPath, "files": keyPath, "filepath": keyPath, "filepaths": keyPath,
	"filename": keyPath, "filenames": keyPath,
	"source": keyPlace, "sources": keyPlace, "src": keyPlace, "destination": keyPlace, "dest": keyPlace, "dst": keyPlace,
	"target": keyPlace, "targets": keyPlace,
	"uri": keyURI, "uris": keyURI, "url": keyURI,
	"patch": keyPatch, "diff": keyPatch, "input": keyPatch,
}

// kindOf classifies a key by its last word, or by its last two words joined. old_path, targetFile and file-name are keys for
// paths; profile is not.
func kindOf(key string) keyKind {
	words := wordsOf(key)
	for n := 1; n <= min(2, len(words)); n++ {
		if kind, ok := kinds[strings.Join(words[len(words)-n:], "")]; ok {
			return kind
		}
	}
	return keyOther
}

// wordsOf splits a key at characters other than letters and digits, and before a capital after a lower-case letter. The words
// are in lower case.
func wordsOf(key string) []string {
	var apart strings.Builder
	small := false
	for _, r := range key {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && small:
			apart.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		apart.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(apart.String())
}

// fromURI returns the path of a file URI on this machine.
func fromURI(text string) (string, bool) {
	if !strings.HasPrefix(text, "file://") {
		return "", false
	}
	u, err := url.Parse(text)
	if err != nil || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path := filepath.FromSlash(u.Path)
	// On Windows the path of file:///C:/x is /C:/x.
	if drive := strings.TrimPrefix(path, `\`); filepath.VolumeName(drive) != "" {
		path = drive
	}
	return path, path != ""
}

// looksLikePath reports whether a text is probably a path and not a word, a sentence or a URL.
func looksLikePath(text string) bool {
	if strings.Contains(text, "://") || strings.ContainsAny(text, "\r\n") {
		return false
	}
	if filepath.IsAbs(text) || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return true
	}
	return !strings.ContainsFunc(text, unicode.IsSpace) && (filepath.Ext(text) != "" || strings.Contains(text, "/"))
}
