package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/llm"
)

// Summary is a session in a list.
type Summary struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	StartedAt time.Time `json:"started_at"`
	Agent     string    `json:"agent,omitempty"`
	Provider  string    `json:"provider"`
	Model     string    `json:"model"`
	Workdir   string    `json:"workdir"`
	Messages  int       `json:"messages"`
	// Title is what the user calls the session, or the beginning of the first prompt.
	Title string `json:"title"`
	// End is why the session ended; empty if it runs or was killed.
	End Reason `json:"end,omitempty"`
	// Err says why the journal cannot be read.
	Err string `json:"error,omitempty"`

	// unbegun tells that the journal has nothing in it.
	unbegun bool
}

// titleLength is in runes.
const titleLength = 60

// List returns the sessions in directories, the newest first. A directory that does not exist has none.
func List(dirs ...string) ([]Summary, error) {
	var out []Summary
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing sessions: %w", err)
		}
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == Ext {
				out = append(out, summarize(filepath.Join(dir, e.Name())))
			}
		}
	}
	slices.SortFunc(out, newestFirst)
	return out, nil
}

// newestFirst goes by the time that an id begins with, which is there also if the journal cannot be read. Within a millisecond that
// says nothing, but the journal does.
func newestFirst(a, b Summary) int {
	const timeLen = len("01a1de5d-4adb")
	begin := func(s Summary) string { return s.ID[:min(timeLen, len(s.ID))] }
	return cmp.Or(cmp.Compare(begin(b), begin(a)), b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
}

func summarize(path string) Summary {
	sum := Summary{ID: strings.TrimSuffix(filepath.Base(path), Ext), Path: path}
	s, err := Load(path)
	if err != nil {
		sum.Err, sum.unbegun = err.Error(), errors.Is(err, errUnbegun)
		return sum
	}
	sum.StartedAt, sum.Agent, sum.Provider, sum.Model, sum.Workdir = s.Meta.StartedAt, s.Meta.Agent, s.Meta.Provider, s.Meta.Model, s.Meta.Workdir
	sum.Messages, sum.Title = len(s.Messages), cmp.Or(s.State.Title, Title(s.Messages))
	sum.Agent = cmp.Or(s.State.Agent, sum.Agent)
	if s.End != nil {
		sum.End = s.End.Reason
	}
	return sum
}

// Title is what a session is called while the user has not named it: the beginning of the first prompt, or nothing.
func Title(messages []llm.Message) string {
	for _, m := range messages {
		if m.Role != llm.RoleUser || m.Synthetic {
			continue
		}
		return shortened(m.Content)
	}
	return ""
}

// shortened puts a text onto one line of at most titleLength runes. It does not look at more of it than that.
func shortened(text string) string {
	var line []rune
	for word := range strings.FieldsSeq(text) {
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = append(line, []rune(word)...)
		if len(line) > titleLength {
			return string(line[:titleLength-1]) + "…"
		}
	}
	return string(line)
}

// Latest returns the newest session in which something was said, or else the newest at all; if workdir is not empty, of those that
// worked in that directory.
func Latest(workdir string, dirs ...string) (Summary, error) {
	all, err := List(dirs...)
	if err != nil {
		return Summary{}, err
	}
	var silent []Summary
	for _, s := range all {
		switch {
		case s.unbegun, s.Err == "" && workdir != "" && s.Workdir != workdir:
		case s.Err == "" && s.Messages == 0:
			silent = append(silent, s)
		case s.Err != "":
			return Summary{}, fmt.Errorf("looking for the last session: %s; take up another one with --resume", s.Err)
		default:
			return s, nil
		}
	}
	if len(silent) > 0 {
		return silent[0], nil
	}
	if workdir != "" && len(all) > 0 {
		return Summary{}, errors.New("looking for the last session: there is none of this directory yet; `aura sessions list` shows those of others")
	}
	return Summary{}, errors.New("looking for the last session: there is none yet")
}

// ErrNone means that no session has such an id.
var ErrNone = errors.New("no session id begins with it")

// Find returns the one session whose id begins with prefix, which is not empty.
func Find(prefix string, dirs ...string) (Summary, error) {
	all, err := List(dirs...)
	if err != nil {
		return Summary{}, err
	}
	var found []Summary
	for _, s := range all {
		if strings.HasPrefix(s.ID, prefix) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return Summary{}, fmt.Errorf("looking for session %q: %w; `aura sessions list --all` shows them", prefix, ErrNone)
	case len(found) > 1:
		return Summary{}, fmt.Errorf("looking for session %q: %d ids begin so, among them %s and %s; give more of it", prefix, len(found), found[0].ID, found[1].ID)
	case found[0].Err != "":
		return Summary{}, fmt.Errorf("looking for session %q: %s", prefix, found[0].Err)
	}
	return found[0], nil
}
