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
	most := usual
	if reason == session.ReasonInterrupted || reason == session.ReasonTimeout {
		most = hurried
	}
	s.ending(reason, most.plugins)
	s.endCommands()
	s.rewinds.close()
	s.plugins.end()
	exported := s.tracer.Close()
	s.network.end(most.network)
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

// endTimes is how long parts of the end of a session may take: what plugins do at it, and the last reports about the network.
type endTimes struct{ plugins, network time.Duration }

// While the user or another process waits for aura to stop, the journal has to be complete before aura is terminated.
var (
	usual   = endTimes{5 * time.Second, time.Second}
	hurried = endTimes{time.Second, 250 * time.Millisecond}
)

// ending lets plugins handle the end of the session. These calls have their own context, so the cause that ended the session
// does not cancel them.
func (s *Session) ending(reason session.Reason, most time.Duration) {
	if s.talk == nil {
		return
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
