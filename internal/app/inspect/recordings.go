package inspect

import (
	"os"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/redact"
)

// RecordingRow is a recording of a session's plugin calls.
type RecordingRow struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Workdir string `json:"workdir"`
	// Path is the file, Bytes its size, and ChangedAt when it was written to last.
	Path      string    `json:"path"`
	Bytes     int64     `json:"bytes"`
	ChangedAt time.Time `json:"changed_at"`
	// ReplayedAt is when its calls were repeated last; zero if they were not.
	ReplayedAt time.Time `json:"replayed_at,omitzero"`
	// Journal is the path of the journal of the session.
	Journal string `json:"-"`
}

// RecordingRows returns the sessions of a list that have a recording. It opens none.
func RecordingRows(list []session.Summary, secrets *redact.Redactor) []RecordingRow {
	out := []RecordingRow{}
	for _, s := range list {
		path := recording.Beside(s.Path)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		row := RecordingRow{Session: s.ID, Title: secrets.String(s.Title), Workdir: s.Workdir, Path: path, Bytes: info.Size(), ChangedAt: info.ModTime(), Journal: s.Path}
		if report, err := os.Lstat(recording.ReportBeside(s.Path)); err == nil && report.Mode().IsRegular() {
			row.ReplayedAt = report.ModTime()
		}
		out = append(out, row)
	}
	return out
}
