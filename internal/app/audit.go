package app

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/system/audit"
)

// maxSubjects is how many calls that have no result yet are remembered.
const maxSubjects = 1000

// auditor writes to the audit log what the events of a session say about approvals and refusals, also those of its subagents.
type auditor struct {
	secrets *redact.Current
	// session returns the id of the session.
	session func() string
	mu      sync.Mutex
	// subjects describe the calls that have no result yet, by their ids.
	subjects map[string]string
}

// event records an event. The audit log itself stops the session if it must.
func (a *auditor) event(ev event.Event) {
	f := audit.Fact{Session: a.session()}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := ev.(type) {
	case event.ToolCall:
		if len(a.subjects) < maxSubjects {
			a.subjects[e.ID] = e.Subject()
		}
		return
	case event.ToolResult:
		call := a.subjects[e.ID]
		delete(a.subjects, e.ID)
		if e.RefusedBy == "" {
			return
		}
		f.Kind, f.Action, f.Name, f.By, f.Text = audit.Denied, "refused", e.Name, e.RefusedBy, call
		if e.Error != "" {
			f.Text = strings.TrimPrefix(call+": "+e.Error, ": ")
		}
	case event.Approval:
		f.Kind, f.Action, f.Name, f.By = audit.Approval, e.Decision, e.Name, "user"
		f.Text = event.ToolCall{Arguments: e.Arguments}.Subject()
		if e.Pattern != "" {
			f.Text = fmt.Sprintf("%s; approves %s", f.Text, e.Pattern)
		}
		f.Text = fmt.Sprintf("%s; asked by %s", f.Text, strings.TrimSpace(e.By+" "+e.Rule))
		if e.Via != "" {
			f.Text += "; answered by " + e.Via
		}
	case event.Network:
		if e.Verdict != event.NetworkRefused && e.Dropped == 0 {
			return
		}
		f.Kind, f.Action, f.Name, f.By, f.Text = audit.Network, e.Verdict, e.Host, e.By, e.Rule
		if e.Port != 0 {
			f.Name = fmt.Sprintf("%s:%d", e.Host, e.Port)
		}
		if e.Dropped > 0 {
			f.Action, f.Text = cmp.Or(e.Verdict, "left out"), fmt.Sprintf("%d connections that are not listed one by one", e.Dropped)
		}
	default:
		return
	}
	r := a.secrets.Get()
	f.Name, f.By, f.Text = r.String(f.Name), r.String(f.By), r.String(f.Text)
	_ = audit.Record(f) // see above
}
