package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNone means that no session matches a word.
var ErrNone = errors.New("no session has such an id, name or title")

// maxCandidates is the largest number of sessions that an error lists.
const maxCandidates = 5

// Find returns the one session that matches a word. If the word is a prefix of exactly one id, that session is returned.
// Otherwise Find compares the word with the names, then with the beginnings of the ids, then with the beginnings of the titles.
// Find ignores case. A session with a damaged journal is found by its id.
func Find(word string, dirs ...string) (Summary, error) {
	paths, err := journals(dirs)
	if err != nil {
		return Summary{}, err
	}
	word = strings.ToLower(Name(word))
	if word == "" {
		return Summary{}, errors.New("looking for a session: its id or name is empty")
	}
	begun := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !strings.HasPrefix(idOf(path), word) })
	if len(begun) == 1 {
		return Summarize(begun[0]), nil // no other journal has to be read
	}
	all := summaries(paths)
	for _, means := range []func(Summary) bool{
		func(s Summary) bool { return strings.ToLower(s.Name) == word },
		func(s Summary) bool { return strings.HasPrefix(s.ID, word) },
		func(s Summary) bool { return strings.HasPrefix(strings.ToLower(s.Title), word) },
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return !means(s) })
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return Summary{}, fmt.Errorf("looking for session %q: %d sessions are meant: %s; give more of the id or the name", word, len(found), candidates(found, paths))
		}
	}
	return Summary{}, fmt.Errorf("looking for session %q: %w; `aura sessions list --all` shows them", word, ErrNone)
}

// candidates returns a list of sessions for an error message.
func candidates(found []Summary, paths []string) string {
	short := shorten(paths)
	var out []string
	for _, s := range found[:min(len(found), maxCandidates)] {
		out = append(out, fmt.Sprintf("%s (%s)", short[s.ID], s.Title))
	}
	if len(found) > maxCandidates {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// minShort is the length of the shortest id that is shown. Users compare ids with ids that they saw before, so an id that is
// unique today should still be unique tomorrow.
const minShort = 8

// ShortIDs returns, for each id, its shortest prefix that no other session in the directories has. It reads only the names of
// files.
func ShortIDs(dirs ...string) (map[string]string, error) {
	paths, err := journals(dirs)
	return shorten(paths), err
}

func shorten(paths []string) map[string]string {
	ids := make([]string, len(paths))
	for i, path := range paths {
		ids[i] = idOf(path)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make(map[string]string, len(ids))
	for i, id := range ids {
		n := minShort
		// An id has its longest common prefix with one of its neighbors in the sorted order.
		if i > 0 {
			n = max(n, common(id, ids[i-1])+1)
		}
		if i+1 < len(ids) {
			n = max(n, common(id, ids[i+1])+1)
		}
		out[id] = id[:min(n, len(id))]
	}
	return out
}

// common returns the length of the common prefix of two texts, in bytes.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// idOf returns the id of the session that a journal belongs to.
func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), Ext) }
