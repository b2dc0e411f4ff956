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

// The bounds of a search for paths.
const (
	maxDepth   = 16
	maxPaths   = 1 << 16
	maxPathLen = 4096
)

// Paths finds the files that a call touches: first those in its input, by the names of the keys, and those in the text of a
// patch, then those that the tool itself declares. They are absolute, each is there once, and the order is always the same for
// the same call. Dir is what relative paths start from.
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

// object looks through the keys in the order of their names, since a map has none of its own.
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

// patchHeads begin the lines of a patch that name a file.
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

// keyKind says what the values of a key are.
type keyKind int

const (
	keyOther keyKind = iota
	// keyPath is a key for paths, keyPlace one for paths among other things.
	keyPath
	keyPlace
	keyURI
	keyPatch
)

// kinds are by the last words of a key.
var kinds = map[string]keyKind{
	"path": keyPath, "paths": keyPath, "file": keyPath, "files": keyPath, "filepath": keyPath, "filepaths": keyPath,
	"filename": keyPath, "filenames": keyPath,
	"source": keyPlace, "sources": keyPlace, "src": keyPlace, "destination": keyPlace, "dest": keyPlace, "dst": keyPlace,
	"target": keyPlace, "targets": keyPlace,
	"uri": keyURI, "uris": keyURI, "url": keyURI,
	"patch": keyPatch, "diff": keyPatch, "input": keyPatch,
}

// kindOf reads the last word of a key, or the last two as one: old_path, targetFile and file-name are all about paths,
// profile is not.
func kindOf(key string) keyKind {
	words := wordsOf(key)
	for n := 1; n <= min(2, len(words)); n++ {
		if kind, ok := kinds[strings.Join(words[len(words)-n:], "")]; ok {
			return kind
		}
	}
	return keyOther
}

// wordsOf takes a key apart at what is neither letter nor digit, and before a capital that follows a small letter.
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

// fromURI is the path of a file URI on this machine.
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

// looksLikePath tells a path from a word, a sentence or an address.
func looksLikePath(text string) bool {
	if strings.Contains(text, "://") || strings.ContainsAny(text, "\r\n") {
		return false
	}
	if filepath.IsAbs(text) || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return true
	}
	return !strings.ContainsFunc(text, unicode.IsSpace) && (filepath.Ext(text) != "" || strings.Contains(text, "/"))
}
