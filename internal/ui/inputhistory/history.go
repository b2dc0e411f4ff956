// Package inputhistory keeps the prompts that a user typed, across sessions. The prompts of a project are in one file, which its
// sessions share.
package inputhistory

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// maxEntries and maxFile bound what is kept; maxFile is in bytes of the file. The oldest prompts are dropped first.
	maxEntries = 1000
	maxFile    = 1 << 20
	// maxEntry is the size of the longest prompt that is kept, in bytes.
	maxEntry = 64 << 10
)

// History is a list of prompts and a position in it. Its methods may be called from several goroutines. Only Open and Add read or
// write files.
type History struct {
	path string
	// writing is held while the file is changed. It is taken before mu.
	writing sync.Mutex

	mu sync.Mutex
	// entries has the newest last. Nothing changes the elements of the slice; a change makes another slice.
	entries []string
	walk    walk
}

// walk is the way through the prompts with Older and Newer.
type walk struct {
	// entries are the prompts when the walk began, and at is the index of the current one. It is len(entries) for the draft.
	entries []string
	at      int
	// draft is what was typed before the walk began. prefix limits the walk to prompts that begin with it.
	draft, prefix string
}

// Open reads the prompts from a file. A file that does not exist holds none. With an empty path the prompts are kept in memory
// only.
func Open(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	entries, err := read(path)
	if err != nil {
		return nil, err
	}
	h.entries = entries
	h.Reset("")
	return h, nil
}

// Add adds the newest prompt. It is on disk when Add returns, together with the prompts that other sessions have added. If it cannot
// be written, this session still has it. Add drops prompts that are empty, longer than 64 KiB or equal to the newest, and those that
// begin with a blank, which are private.
func (h *History) Add(text string) error {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if first, _ := utf8.DecodeRuneInString(text); text == "" || len(text) > maxEntry || unicode.IsSpace(first) {
		return nil
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	h.mu.Lock()
	h.entries = newest(with(slices.Clip(h.entries), text))
	h.mu.Unlock()
	if h.path == "" {
		return nil
	}
	entries, err := write(h.path, text)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.entries = entries
	h.mu.Unlock()
	return nil
}

// with returns the prompts with another one, unless that is equal to the newest.
func with(entries []string, text string) []string {
	if len(entries) > 0 && entries[len(entries)-1] == text {
		return entries
	}
	return append(entries, text)
}

func newest(entries []string) []string { return entries[max(0, len(entries)-maxEntries):] }

// Reset ends a walk. The draft is what Newer returns after the newest prompt.
func (h *History) Reset(draft string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.walk = walk{entries: h.entries, at: len(h.entries), draft: draft}
}

// Older returns the next older prompt that begins with the prefix and differs from the current one. It returns false if there is
// none.
func (h *History) Older(prefix string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.walk.at == len(h.walk.entries) {
		// The walk begins: prompts may have been added since Reset.
		h.walk.entries, h.walk.at = h.entries, len(h.entries)
	}
	h.walk.prefix = prefix
	return h.walk.step(-1)
}

// Newer returns the next newer prompt that begins with the prefix of Older, or the draft after the newest. It returns false if the
// draft is current.
func (h *History) Newer() (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.walk.at == len(h.walk.entries) {
		return "", false
	}
	if text, found := h.walk.step(1); found {
		return text, true
	}
	h.walk.at = len(h.walk.entries)
	return h.walk.draft, true
}

// step moves to the next prompt in a direction.
func (w *walk) step(by int) (string, bool) {
	current := w.draft
	if w.at < len(w.entries) {
		current = w.entries[w.at]
	}
	for i := w.at + by; i >= 0 && i < len(w.entries); i += by {
		if text := w.entries[i]; text != current && strings.HasPrefix(text, w.prefix) {
			w.at = i
			return text, true
		}
	}
	return "", false
}

// Search returns the newest prompt that contains the query, in upper or lower case, after the given number of other ones that do.
// Equal prompts count once.
func (h *History) Search(query string, skip int) (text string, found bool) {
	h.mu.Lock()
	entries := h.entries
	h.mu.Unlock()
	query = strings.ToLower(query)
	seen := map[string]bool{}
	for _, text := range slices.Backward(entries) {
		if seen[text] || !strings.Contains(strings.ToLower(text), query) {
			continue
		}
		if len(seen) == skip {
			return text, true
		}
		seen[text] = true
	}
	return "", false
}
