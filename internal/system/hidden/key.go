package hidden

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // Git names objects by it
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/gitindex"
)

// maxKey is the largest size of a file that may be a private key, and minKey the smallest, in bytes: that of the shortest header.
const (
	maxKey = 64 << 10
	minKey = 27
)

// gitName is the entry of a repository in its working tree.
const gitName = ".git"

// header matches the line that begins a private key. The key is a value in JSON or of a variable, or the line contains nothing else.
var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[A-Za-z_][A-Za-z0-9_]*=["']?|[^\n]*":\s*")?-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s|\z)`)
})

// isKey reports whether the text of a file contains the header of a private key. A key may be cut, so nothing is asked of its end.
func isKey(text []byte) bool {
	// The expression is slow, and few files contain the words.
	return bytes.Contains(text, []byte("PRIVATE KEY")) && header().Match(text)
}

// keyReason is the reason why a private key is hidden.
func keyReason() Reason {
	return Reason{Text: "it is a private key that Git does not track, which is hidden by default"}
}

// Key returns why a file is hidden by its content, if it is: it is a private key that Git does not track. The path is as for Why.
func (r *Rules) Key(path string) (Reason, bool) {
	if r.Only || !within(r.Dir, path) || r.exempt(path) {
		return Reason{}, false
	}
	text := readKey(path)
	if text == nil || tracked(path, text) {
		return Reason{}, false
	}
	return keyReason(), true
}

// Reason returns why a path is hidden, by its name or by its content, if it is. The path is as for Why.
func (r *Rules) Reason(path string) (Reason, bool) {
	if why, ok := r.Why(path); ok {
		return why, true
	}
	return r.Key(path)
}

// Hides reports whether a path is hidden by its name or by its content.
func (r *Rules) Hides(path string) bool {
	_, ok := r.Reason(path)
	return ok
}

// HoldsKey reports whether a file contains a private key, wherever it is located.
func HoldsKey(path string) bool { return readKey(path) != nil }

// readKey returns the text of a file that contains a private key; nil if it is another file.
func readKey(path string) []byte {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < minKey || info.Size() > maxKey {
		return nil
	}
	text, err := files.ReadNoFollow(path, maxKey)
	if err != nil || !isKey(text) {
		return nil
	}
	return text
}

// tracked reports whether an index of Git has a file with this content. Confined code can write an index, but it cannot know the name of
// an object whose content it cannot read.
func tracked(path string, text []byte) bool {
	index, top := indexOf(path)
	if index == "" {
		return false
	}
	data, err := files.Read(index, gitindex.MaxSize)
	if err != nil {
		return false
	}
	name, err := filepath.Rel(top, path)
	if err != nil {
		return false
	}
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)) //nolint:gosec // as above
	for entry := range gitindex.Entries(data) {
		if entry.Name == filepath.ToSlash(name) && hex.EncodeToString(entry.Object) == hex.EncodeToString(sum[:]) {
			return true
		}
	}
	return false
}

// indexOf returns the index of the repository that a file is in, and the top of its working tree; empty if there is none.
func indexOf(path string) (index, top string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, gitName)
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			return filepath.Join(git, "index"), dir
		case err == nil && info.Mode().IsRegular():
			// In a linked working tree and in a submodule, a file names the directory.
			text, _ := files.Read(git, maxKey)
			target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if !ok {
				return "", ""
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return filepath.Join(target, "index"), dir
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}
