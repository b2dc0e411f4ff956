package host

import (
	"cmp"

	"github.com/idelchi/aura/internal/system/audit"
)

// recordLoad writes to the audit log that a process runs a plugin's files from now on. After an error, it must not.
func (s *supervisor) recordLoad(spec Spec, tree, how string) error {
	return audit.Record(audit.Fact{
		Kind: audit.Load, Action: how, Name: spec.Name, Session: s.opts.sessionID(), Hash: tree, Text: s.opts.Secrets.Get().String(spec.Dir),
	})
}

// recordEnd writes to the audit log that a plugin lost its process: it is restarted, or is down.
func (r *reporter) recordEnd(c StateChange) {
	f := audit.Fact{Kind: audit.Crash, Action: string(c.To), Name: c.Plugin, Session: r.fixed.sessionID(), Text: "it could not be loaded"}
	switch {
	case c.To == StateQuarantined:
		f.Kind = audit.Quarantine
	case c.To == StateRestarting, c.To == StateStopped && c.From == StateStarting:
	default:
		return
	}
	if c.Reason != nil {
		f.Text = cmp.Or(r.fixed.Secrets.Get().String(Reason(c.Reason).Error()), f.Text)
	}
	_ = audit.Record(f) // the process has ended in any case
}

// sessionID returns the id of the session that the plugins belong to, or "".
func (o *Fixed) sessionID() string {
	if o.Session == nil {
		return ""
	}
	return o.Session.ID
}
