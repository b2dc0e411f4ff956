package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
)

// FindSession returns the session that matches a word by its id, name or title. It searches the sessions of the project first,
// then those of all projects.
func FindSession(c *config.Config, word string) (session.Summary, error) {
	found, err := session.Find(word, c.State.Sessions())
	if errors.Is(err, session.ErrNone) {
		return session.Find(word, c.State.AllSessions()...)
	}
	return found, err
}

// outputBeside returns the directory with the output of tools that belongs to a directory of journals.
func outputBeside(sessions string) string {
	return state.Paths{Project: filepath.Dir(sessions)}.Output()
}

// ValuesDir returns the directory with the values of plugins that belongs to a session, given the path of its journal.
func ValuesDir(journal, id string) string {
	return state.Paths{Project: filepath.Dir(filepath.Dir(journal))}.SessionValues(id)
}

// RewindDir returns the directory of what is kept of the files that a session changed, given the path of its journal.
func RewindDir(journal, id string) string {
	return filepath.Join(state.Paths{Project: filepath.Dir(filepath.Dir(journal))}.Rewinds(), id)
}

// TranscriptDir returns the directory of the copy of a session for hooks that were written for other agents, given the path of its journal.
func TranscriptDir(journal, id string) string {
	return filepath.Join(state.Paths{Project: filepath.Dir(filepath.Dir(journal))}.Transcripts(), id)
}

// outputsOf returns the directories with the output of a session's tools, with the values of its plugins and with what is kept of the files
// that it changed, the recording of its plugin calls with the report of its replay, and the directory of its transcript. A session that was resumed in another project also has output there.
func outputsOf(c *config.Config, s session.Summary) []string {
	out := []string{ValuesDir(s.Path, s.ID), RewindDir(s.Path, s.ID), recording.Beside(s.Path), recording.ReportBeside(s.Path), TranscriptDir(s.Path, s.ID)}
	for _, dir := range c.State.AllSessions() {
		out = append(out, filepath.Join(outputBeside(dir), s.ID))
	}
	return out
}

// RemoveSession removes a session and everything that belongs to it, and returns the removed size in bytes. It fails with
// session.ErrOpen if an aura process has the session open.
func RemoveSession(c *config.Config, s session.Summary) (int64, error) {
	outputs := outputsOf(c, s)
	bytes := session.Size(append(outputs, s.Path)...)
	return bytes, session.Remove(s.Path, outputs...)
}

// PruneOptions says which sessions are removed.
type PruneOptions struct {
	// Older removes only sessions that were not used for this long; 0 removes sessions of any age.
	Older time.Duration
	// Keep is the number of sessions per project that are kept, the most recently used ones.
	Keep int
	// All removes the sessions of every project.
	All bool
	// DryRun removes nothing.
	DryRun bool
}

// Pruned is a session or output that Prune removed, or kept because it is open.
type Pruned struct {
	Session session.Summary
	Bytes   int64
	// Open reports whether an aura process has the session open, so that it was kept.
	Open bool
	// Rest reports whether this is the leftover output of a session that was removed earlier.
	Rest bool
}

// Prune removes old sessions. The error reports sessions that could not be removed; the others are removed even then.
func Prune(c *config.Config, o PruneOptions, now time.Time) ([]Pruned, error) {
	if c.State.Sessions() == "" {
		return nil, errors.New("removing old sessions: there is no home directory, so none are saved; set HOME or XDG_STATE_HOME")
	}
	known, err := session.ShortIDs(c.State.AllSessions()...)
	if err != nil {
		return nil, err
	}
	dirs := []string{c.State.Sessions()}
	if o.All {
		dirs = c.State.AllSessions()
	}
	var out []Pruned
	var faults []error
	for _, dir := range dirs {
		old, err := o.old(dir, now)
		if err != nil {
			return out, err
		}
		rest, err := o.rest(outputBeside(dir), known, now)
		if err != nil {
			return out, err
		}
		for _, p := range slices.Concat(old, rest) {
			if err := o.prune(c, &p); err != nil {
				faults = append(faults, err)
				continue
			}
			out = append(out, p)
		}
	}
	return out, errors.Join(faults...)
}

// old returns the sessions of a project to remove.
func (o PruneOptions) old(dir string, now time.Time) ([]Pruned, error) {
	list, err := session.List(dir)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b session.Summary) int { return b.UsedAt.Compare(a.UsedAt) })
	var out []Pruned
	for _, s := range list[min(o.Keep, len(list)):] {
		if now.Sub(s.UsedAt) >= o.Older {
			out = append(out, Pruned{Session: s})
		}
	}
	return out, nil
}

// rest returns the output of a project's sessions that no longer exist.
func (o PruneOptions) rest(dir string, known map[string]string, now time.Time) ([]Pruned, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the output of tools: %w", err)
	}
	var out []Pruned
	for _, e := range entries {
		info, err := e.Info()
		if _, ok := known[e.Name()]; ok || err != nil || now.Sub(info.ModTime()) < o.Older {
			continue
		}
		out = append(out, Pruned{Session: session.Summary{ID: e.Name(), Path: filepath.Join(dir, e.Name()), UsedAt: info.ModTime()}, Rest: true})
	}
	return out, nil
}

// prune removes one session or output, unless it is a dry run.
func (o PruneOptions) prune(c *config.Config, p *Pruned) error {
	if p.Rest {
		p.Bytes = session.Size(p.Session.Path)
		if o.DryRun {
			return nil
		}
		return session.RemoveOutput(p.Session.Path)
	}
	outputs := outputsOf(c, p.Session)
	p.Bytes = session.Size(append(outputs, p.Session.Path)...)
	if o.DryRun {
		p.Open = session.IsOpen(p.Session.Path)
		return nil
	}
	err := session.Remove(p.Session.Path, outputs...)
	p.Open = errors.Is(err, session.ErrOpen)
	if p.Open {
		return nil
	}
	return err
}
