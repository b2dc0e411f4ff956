package app

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/settings/config"
)

// resume continues the saved session with this id, name or title, or the one that was used last if word is empty.
func (j *journal) resume(c *config.Config, word string) (session.Session, error) {
	migrate.State(c, j.tell)
	find := func() (session.Summary, error) { return inspect.FindSession(c, word) }
	if word == "" {
		find = func() (session.Summary, error) { return session.Latest("", c.State.Sessions()) }
	}
	found, err := find()
	if err != nil {
		return session.Session{}, err
	}
	return j.reopen(found)
}

// reopen continues a saved session instead of the open one.
func (j *journal) reopen(found session.Summary) (session.Session, error) {
	opened, saved, err := session.Reopen(found.Path)
	if err != nil {
		return session.Session{}, err
	}
	opened.Hide(j.flight.secrets.JSON)
	// Everything that can fail comes first: the next message must not go to a session that is not shown.
	turn, err := session.LastTurn(found.Path)
	var seen []readguard.State
	if err == nil {
		seen, err = seenFiles(saved)
	}
	if err == nil {
		err = j.recallTodos(saved)
	}
	if err == nil {
		err = j.recallCommands(saved)
	}
	if err != nil {
		return session.Session{}, errors.Join(err, opened.Close(session.End{Reason: session.ReasonError}))
	}
	j.recallSeen(seen)
	j.use(opened, turn)
	j.state, j.lost, j.old = saved.State, false, true
	if saved.Torn {
		j.tell("the last message of the session was not written completely and is left out")
	}
	return saved, nil
}

// create creates the file of a new session, unless a saved session was resumed. If the session cannot be saved, create notifies
// the user.
func (j *journal) create(c *config.Config, meta session.Meta) {
	if j.old {
		return
	}
	dir := c.State.Sessions()
	if dir == "" {
		j.tell("this session is not saved: there is no home directory; set HOME or XDG_STATE_HOME")
		return
	}
	migrate.State(c, j.tell)
	created, err := session.Create(dir, meta)
	created.Hide(j.flight.secrets.JSON)
	j.use(created, 0)
	if err != nil {
		j.tell(fmt.Sprintf("this session is not saved: %v", err))
	}
}

// use makes a journal that was created or opened the session's journal. turn is the number of its last model call.
func (j *journal) use(opened *session.Journal, turn int) {
	j.Journal = opened
	dir := ""
	if opened.ID() != "" {
		dir = inspect.ValuesDir(opened.Path(), opened.ID())
	}
	j.values.Store(&dir)
	var copied *transcript
	if opened.ID() != "" {
		copied = newTranscript(opened.Path(), opened.ID())
	}
	j.drop(j.transcript.Swap(copied))
	if err := j.flight.use(opened, turn); err != nil {
		j.tell(err.Error())
	}
	j.record()
}

// record starts the recording beside the journal, or continues it, if whole calls are to be recorded.
func (j *journal) record() {
	if j.Path() == "" || !j.whole || j.flight.recording() {
		return
	}
	run := recording.Run{Aura: j.version, Session: j.ID()}
	w, err := recording.Create(recording.Beside(j.Path()), run, j.flight.secrets.Get)
	if err != nil {
		j.tell(fmt.Sprintf("plugin calls are not recorded: %v", err))
		return
	}
	j.flight.record(w)
}

// outputDir returns the directory for tool output that is too long for the model. Each session has its own directory. For a
// session that is not saved, outputDir returns an empty string, which means the system's directory for temporary files.
func (j *journal) outputDir(c *config.Config) string {
	if j.ID() == "" {
		return ""
	}
	return filepath.Join(c.State.Output(), j.ID())
}

// valuesDir returns the directory with the values of plugins in this session, or "" if the session is not saved. It may be called
// from any goroutine.
func (j *journal) valuesDir() string {
	if dir := j.values.Load(); dir != nil {
		return *dir
	}
	return ""
}

// writeTranscript writes what is new in the session for hooks that were written for another agent. It may be called from any goroutine.
func (j *journal) writeTranscript(workdir string) (string, error) {
	t := j.transcript.Load()
	if t == nil {
		return "", nil
	}
	return t.update(workdir)
}

// drop removes a transcript that is no longer needed.
func (j *journal) drop(t *transcript) {
	if t == nil {
		return
	}
	if err := t.remove(); err != nil {
		j.tell(err.Error())
	}
}

// end completes the flight recorder and the journal.
func (j *journal) end(e session.End) {
	if err := j.flight.close(); err != nil {
		j.tell(err.Error())
	}
	for _, text := range j.flight.takeNotices() {
		j.tell(text)
	}
	j.drop(j.transcript.Swap(nil))
	j.Close(e)
}

// Close completes the journal, unless the journal was lost.
func (j *journal) Close(end session.End) {
	if j.lost {
		return
	}
	if err := j.Journal.Close(end); err != nil {
		j.lose(err)
	}
}

// discard removes the journal of a session that never began. It keeps a session that was saved before.
func (j *journal) discard() error {
	if j.old {
		return nil
	}
	path := j.Path()
	j.drop(j.transcript.Swap(nil))
	if err := errors.Join(j.flight.close(), j.Discard()); err != nil {
		return err
	}
	if path != "" {
		if err := session.RemoveOutput(recording.Beside(path)); err != nil {
			return err
		}
	}
	return session.RemoveOutput(j.valuesDir())
}
