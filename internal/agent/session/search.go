package session

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Match is a session in which a text was found.
type Match struct {
	Summary

	// Lines holds the first lines that contain the text, each cut to the text and its surroundings. It is empty if only the title
	// contains the text.
	Lines []string `json:"lines,omitempty"`
}

// The limits of the lines that are kept for a session.
const (
	maxLines = 20
	// around is how much of a line is kept on each side of the text, in bytes.
	around = 60
)

// Search returns the sessions whose title or messages contain a text, the newest first. Search ignores case. It searches
// messages that a compaction replaced, but not messages that a rewind removed. The function hide removes secrets from the
// results; hidden text is not found. Only one record of a journal is in memory at a time. faults holds an error for each
// journal that cannot be read.
func Search(text string, hide func(string) string, dirs ...string) (found []Match, faults []error, err error) {
	paths, err := journals(dirs)
	if err != nil {
		return nil, nil, err
	}
	f := finder{text: strings.ToLower(text), hide: hide}
	for _, path := range paths {
		s, err := read(path, f.reduce)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		m := Match{Summary: Summarize(path)}
		m.Title, m.Name = hide(m.Title), hide(m.Name)
		for _, message := range s.Messages {
			m.Lines = append(m.Lines, splitLines(message.Content)...)
		}
		m.Lines = m.Lines[:min(len(m.Lines), maxLines)]
		if len(m.Lines) > 0 || strings.Contains(strings.ToLower(m.Title), f.text) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b Match) int { return newestFirst(a.Summary, b.Summary) })
	return found, faults, nil
}

// finder searches for a text, which must be in lower case.
type finder struct {
	text string
	hide func(string) string
}

// reduce replaces the content of a message by the lines that contain the text. A summary also gets those lines of the messages
// that it replaces.
func (f finder) reduce(s *Session, r *record) {
	switch {
	case r.Message != nil:
		r.Message = &message{Message: llm.Message{Content: strings.Join(f.lines(r.Message.Content), "\n")}}
	case r.Compaction != nil:
		found := f.lines(r.Compaction.Summary.Content)
		for _, m := range s.Messages[:max(0, len(s.Messages)-max(0, r.Compaction.Kept))] {
			found = append(found, splitLines(m.Content)...)
		}
		r.Compaction.Summary = llm.Message{Content: strings.Join(found[:min(len(found), maxLines)], "\n")}
	case r.Seen != nil:
		r.Seen = json.RawMessage("null")
	}
}

// lines returns the first lines of a message that contain the text.
func (f finder) lines(content string) []string {
	if !strings.Contains(strings.ToLower(content), f.text) {
		return nil
	}
	var out []string
	for line := range strings.Lines(f.hide(content)) {
		if len(out) == maxLines {
			break
		}
		if excerpt, ok := f.excerpt(strings.TrimRight(line, "\r\n")); ok {
			out = append(out, excerpt)
		}
	}
	return out
}

// excerpt returns the text in a line together with its surroundings.
func (f finder) excerpt(line string) (string, bool) {
	lower := strings.ToLower(line)
	at := strings.Index(lower, f.text)
	if at < 0 {
		return "", false
	}
	if len(lower) != len(line) {
		line = lower // the offset is valid only in the lower-case line
	}
	from, to := max(0, at-around), min(len(line), at+len(f.text)+around)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	out := strings.TrimSpace(line[from:to])
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return strings.Clone(out), true
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
