package app

import (
	"context"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Close stops the plugins, completes the journal and releases everything.
func (s *Session) Close(reason session.Reason) error {
	watched := s.watching()
	s.moments.close()
	s.ending(reason)
	s.endCommands()
	s.rewinds.close()
	s.plugins.end()
	exported := s.tracer.Close()
	s.network.end()
	// The journal is completed before waiting for other programs to end: the wait may last longer than the process that stops aura
	// allows.
	s.journal.end(s.ended(reason))
	s.servers.close(reason == session.ReasonInterrupted || reason == session.ReasonTimeout)
	s.servers.logins.close()
	s.spares.Close()
	err := s.plugins.close()
	watched()
	s.opts.gate().Recheck(s.opts.Config)
	if lost := exported(); lost != "" {
		s.notices.show(lost)
	}
	return s.secrets.Error(err)
}

// endCommands ends the commands that run beside the conversation. The journal records them first, so that a continued session knows that
// they are gone.
func (s *Session) endCommands() {
	if s.talk != nil && s.journal.commands.Used() {
		s.journal.keepCommands()
	}
	if n := s.journal.commands.Close(); n > 0 {
		s.notices.show(plaintext.Counted(n, "background command") + " ended with the session")
	}
}

// How long plugins may take to handle the end of a session: normally, and while the user or another process waits for aura to
// stop.
const (
	endTime      = 5 * time.Second
	hurryEndTime = time.Second
)

// ending lets plugins handle the end of the session. These calls have their own context, so the cause that ended the session
// does not cancel them.
func (s *Session) ending(reason session.Reason) {
	if s.talk == nil {
		return
	}
	most := endTime
	if reason == session.ReasonInterrupted || reason == session.ReasonTimeout {
		most = hurryEndTime
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	s.talk.Ending(ctx, string(reason))
	s.plugins.drain(ctx)
	if ctx.Err() != nil {
		s.notices.show(fmt.Sprintf("plugins had %s for SessionEnd; those that were not done are stopped", most))
	}
}

// ended returns the final record of the session, with its statistics.
func (s *Session) ended(reason session.Reason) session.End {
	end := session.End{Reason: reason}
	if s.talk != nil {
		end.Stats = event.Saved(s.talk.Stats(), s.talk.Models())
	}
	return end
}
