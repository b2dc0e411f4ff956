package inspect

import (
	"encoding/json"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/redact"
)

// SessionRow is a saved session in a list, with what it does if it runs.
type SessionRow struct {
	session.Summary

	// Live is what the session reports; nil if it does not run, or runs in an aura that reports nothing.
	Live *session.Live `json:"live,omitempty"`
	// Plugins counts the session's plugins by their states.
	Plugins map[host.State]int `json:"plugins,omitempty"`
}

// SessionRows adds to saved sessions what the running ones among them report, in the order of the list and without secrets. reports is the
// result of host.Sessions, and statuses that of host.Statuses.
func SessionRows(list []session.Summary, reports []json.RawMessage, statuses []host.Status, secrets *redact.Redactor) []SessionRow {
	running := map[string]*session.Live{}
	for _, raw := range reports {
		var live session.Live
		if json.Unmarshal(secrets.JSON(raw), &live) == nil && live.ID != "" {
			running[live.ID] = &live
		}
	}
	plugins := map[string]map[host.State]int{}
	for _, s := range statuses {
		if plugins[s.Session] == nil {
			plugins[s.Session] = map[host.State]int{}
		}
		plugins[s.Session][s.State]++
	}
	rows := make([]SessionRow, len(list))
	for i, s := range list {
		s.Title, s.Name = secrets.String(s.Title), secrets.String(s.Name)
		rows[i] = SessionRow{Summary: s, Live: running[s.ID], Plugins: plugins[s.ID]}
	}
	return rows
}

// Condition says in a few words what a session does, or how it ended.
func (r SessionRow) Condition() string {
	switch {
	case r.Err != "":
		return "damaged"
	case r.Live != nil && len(r.Live.For) > 0:
		return "running: " + activities[r.Live.State] + " (" + strings.Join(r.Live.For, ", ") + ")"
	case r.Live != nil:
		return "running: " + activities[r.Live.State]
	case r.End == "":
		return "open or killed"
	default:
		return string(r.End)
	}
}

// activities are the words for what a running session does.
var activities = map[session.Activity]string{
	session.ActivityIdle: "waits for its user", session.ActivityModel: "waits for the model", session.ActivityTool: "runs a tool",
	session.ActivityApproval: "waits for an approval", session.ActivityCompaction: "compacts its history", session.ActivityWork: "works",
}
