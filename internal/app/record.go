package app

import (
	"fmt"

	"github.com/idelchi/aura/internal/recording"
	"github.com/idelchi/aura/internal/session"
)

// useJournal makes a journal that was created or opened the session's journal. turn is the number of its last model call.
func (s *Session) useJournal(opened *session.Journal, turn int) {
	s.journal.use(opened)
	if err := s.flight.use(opened, turn); err != nil {
		s.notices.show(err.Error())
	}
	s.record()
}

// record starts the recording beside the journal, or continues it, if calls are to be recorded. That is known once there is a setup.
func (s *Session) record() {
	if s.journal.Path() == "" || s.setup == nil || !s.opts.Record && !s.setup.Features.Record.Enabled || s.flight.recording() {
		return
	}
	run := recording.Run{Aura: s.opts.Version, Session: s.journal.ID()}
	w, err := recording.Create(recording.Beside(s.journal.Path()), run, s.secrets.Get)
	if err != nil {
		s.notices.show(fmt.Sprintf("plugin calls are not recorded: %v", err))
		return
	}
	s.flight.record(w)
}

// endFlight completes the flight recorder.
func (s *Session) endFlight() {
	if err := s.flight.close(); err != nil {
		s.notices.show(err.Error())
	}
	for _, text := range s.flight.told() {
		s.notices.show(text)
	}
}
