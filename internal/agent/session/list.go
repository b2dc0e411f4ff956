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

	"github.com/idelchi/aura/internal/agent/llm"
)

// Summary describes a session in a list.
type Summary struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	StartedAt time.Time `json:"started_at"`
	// UsedAt is when the session was last used: when its journal was written to, except for a new name.
	UsedAt   time.Time `json:"used_at"`
	Agent    string    `json:"agent,omitempty"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Workdir  string    `json:"workdir"`
	Messages int       `json:"messages"`
	// Name is the name that the user gave the session. Title is the name, or else the beginning of the first prompt.
	Name  string `json:"name,omitempty"`
	Title string `json:"title"`
	// End is why the session ended; empty if the session is running or was killed.
	End Reason `json:"end,omitempty"`
	// Err says why the journal cannot be read.
	Err string `json:"error,omitempty"`

	// unbegun reports whether the journal has no complete first record.
	unbegun bool
}

// titleLength is the largest length of a title, in runes.
const titleLength = 60

// List returns the sessions in directories, the newest first. A directory that does not exist has no sessions.
func List(dirs ...string) ([]Summary, error) {
	paths, err := journals(dirs)
	if err != nil {
		return nil, err
	}
	return summaries(paths), nil
}

// journals returns the paths of all journals in directories. It skips names that begin with a dot, because an id also names a
// directory.
func journals(dirs []string) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing sessions: %w", err)
		}
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == Ext && !strings.HasPrefix(e.Name(), ".") {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out, nil
}

func summaries(paths []string) []Summary {
	var out []Summary
	for _, path := range paths {
		out = append(out, Summarize(path))
	}
	slices.SortFunc(out, newestFirst)
	return out
}

// newestFirst compares the times at the beginning of the ids, which are known even if a journal cannot be read. Ids of the same
// millisecond do not show their order, so newestFirst then compares the start times in the journals.
func newestFirst(a, b Summary) int {
	const timeLen = len("01a1de5d-4adb")
	begin := func(s Summary) string { return s.ID[:min(timeLen, len(s.ID))] }
	return cmp.Or(cmp.Compare(begin(b), begin(a)), b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
}

// Summarize reads a journal for a list. It sets Err if the journal cannot be read.
func Summarize(path string) Summary {
	s, err := read(path, light)
	return summaryOf(path, s, err)
}

// summaryOf returns the summary of a session that was read with light, or of a journal that could not be read.
func summaryOf(path string, s Session, err error) Summary {
	sum := Summary{ID: idOf(path), Path: path, UsedAt: used(path)}
	if err != nil {
		sum.Err, sum.unbegun = err.Error(), errors.Is(err, errUnbegun)
		return sum
	}
	sum.StartedAt, sum.Agent, sum.Provider, sum.Model, sum.Workdir = s.Meta.StartedAt, s.Meta.Agent, s.Meta.Provider, s.Meta.Model, s.Meta.Workdir
	sum.Messages, sum.Name, sum.Title = len(s.Messages), s.State.Title, titleOf(s)
	sum.Agent, sum.Provider, sum.Model = cmp.Or(s.State.Agent, sum.Agent), cmp.Or(s.State.Provider, sum.Provider), cmp.Or(s.State.Model, sum.Model)
	if s.End != nil {
		sum.End = s.End.Reason
	}
	return sum
}

// Title returns the title of a session without a name: the beginning of the first prompt, or an empty string.
func Title(messages []llm.Message) string {
	for _, m := range messages {
		if m.Role != llm.RoleUser || m.Synthetic {
			continue
		}
		return opening(m.Content)
	}
	return ""
}

// opening returns the beginning of a prompt without the files and the piped text, which are sent in elements below the prompt.
func opening(prompt string) string {
	written, _, _ := strings.Cut(prompt, "\n\n<")
	return shortened(written)
}

// shortened returns a text as one line of at most titleLength runes. It reads no more of the text than necessary.
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

// Latest returns the session with messages that was used last, or else the session without messages that was used last. If
// workdir is not empty, Latest considers only sessions of that directory.
func Latest(workdir string, dirs ...string) (Summary, error) {
	all, err := List(dirs...)
	if err != nil {
		return Summary{}, err
	}
	slices.SortStableFunc(all, func(a, b Summary) int { return b.UsedAt.Compare(a.UsedAt) })
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
