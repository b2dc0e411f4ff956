package recording

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/files"
)

const (
	// reportExt is the extension of the report of the last replay of a session's recording.
	reportExt = ".replay"
	// maxFindings is how many calls a report has, the first ones, and maxValue the size of the longest value in it, in bytes.
	maxFindings = 1000
	maxValue    = 4 << 10
	// maxDifferences is how many differences a report has of one call, and maxReport the size of the largest report that is read.
	maxDifferences = 100
	maxReport      = 64 << 20
)

// Report is what a replay found.
type Report struct {
	At time.Time `json:"at"`
	// Aura is the version of aura that made the calls again.
	Aura string `json:"aura"`
	// Plugins are those whose calls were repeated; empty for all.
	Plugins []string `json:"plugins,omitempty"`
	// Calls is how many calls there were, and the others what became of them.
	Calls       int `json:"calls"`
	Same        int `json:"same"`
	Differ      int `json:"differ"`
	NotRepeated int `json:"not_repeated"`
	// Updated says that the results of the replay were written to the recording.
	Updated bool `json:"updated"`
	// Findings are the calls that differ or were not repeated. Left is how many of them are left out.
	Findings []Finding `json:"findings"`
	Left     int       `json:"left,omitempty"`
	// Unrecorded names what a plugin with differences uses that a recording does not have.
	Unrecorded map[string][]string `json:"unrecorded,omitempty"`
}

// Finding is a call whose result differs, or that was not repeated.
type Finding struct {
	N           int          `json:"n"`
	Turn        int          `json:"turn"`
	Plugin      string       `json:"plugin"`
	Point       string       `json:"point"`
	Name        string       `json:"name,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// NotRepeated is why the call was not made again, or why its result says nothing about the plugin.
	NotRepeated string `json:"not_repeated,omitempty"`
}

// Add counts the result of a call.
func (r *Report) Add(result Result) {
	r.Calls++
	switch {
	case result.Unrepeatable != "":
		r.NotRepeated++
	case len(result.Differences) > 0:
		r.Differ++
	default:
		r.Same++
		return
	}
	if len(r.Findings) == maxFindings {
		r.Left++
		return
	}
	c := result.Call
	f := Finding{N: c.N, Turn: c.Turn, Plugin: c.Plugin, Point: c.Point, Name: c.Name, NotRepeated: cutValue(result.Unrepeatable)}
	if f.NotRepeated == "" {
		for _, d := range result.Differences[:min(len(result.Differences), maxDifferences)] {
			f.Differences = append(f.Differences, Difference{Field: cutValue(d.Field), Before: cutValue(d.Before), After: cutValue(d.After)})
		}
	}
	r.Findings = append(r.Findings, f)
}

// Summary says how many calls have the same result, another one, or none.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%d calls: %d with the same result", r.Calls, r.Same)
	if r.Differ > 0 {
		text += fmt.Sprintf(", %d with another", r.Differ)
	}
	if r.NotRepeated > 0 {
		text += fmt.Sprintf(", %d not repeated", r.NotRepeated)
	}
	if r.Updated {
		text += "; the recording is updated"
	}
	return text
}

// cutValue shortens a long text.
func cutValue(text string) string {
	if len(text) <= maxValue {
		return text
	}
	end := maxValue
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// ReportBeside returns the path of the report of the last replay of the recording that belongs to a journal.
func ReportBeside(journal string) string {
	return strings.TrimSuffix(journal, filepath.Ext(journal)) + reportExt
}

// Save writes a report in place of the one before.
func (r *Report) Save(path string) error {
	text, err := json.Marshal(r)
	if err == nil {
		err = files.Replace(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("saving the report of the replay: %w", err)
	}
	return nil
}

// LoadReport reads a report. The error wraps fs.ErrNotExist if there is none.
func LoadReport(path string) (*Report, error) {
	text, err := files.ReadNoFollow(path, maxReport)
	if err != nil {
		return nil, fmt.Errorf("reading the report of the replay: %w", err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("reading the report of the replay %s: %w", path, err)
	}
	return &r, nil
}
