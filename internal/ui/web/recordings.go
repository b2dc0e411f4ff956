package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
)

const (
	// callsPerPage is how many calls of a recording a page shows, and maxRecordings how many recordings the list shows, the newest ones.
	callsPerPage  = 200
	maxRecordings = 500
	// openRecordings is how many recordings are known at once.
	openRecordings = 8
)

// recordingsModel is the data of the list of recordings.
type recordingsModel struct {
	Find, Fault, Left string
}

// recordingModel is a recording in the list and at the head of its own page.
type recordingModel struct{ ID, Title, Project, Size, Changed, Replayed string }

// recordedModel is the data of the page of a recording.
type recordedModel struct {
	ID, Title, Find string
	Notes           []string
	Earlier, Later  string
	Pages           string
}

// recordedCallModel is a call in the list of a recording.
type recordedCallModel struct {
	ID, N, Turn, Plugin, Point, Name, At, Took, Outcome, Kind string
	// Replay is what the last replay found about it.
	Replay, ReplayKind string
	// Address leads to the page of the call.
	Address string
}

// replayModel is what the last replay of a recording found.
type replayModel struct {
	Summary, At, Fault string
	Findings           []findingModel
	Notes              []string
}

type findingModel struct {
	Call, Address, NotRepeated string
	Differences                []differenceModel
}

type differenceModel struct{ Field, Before, After string }

// maxShownFindings is how many calls with differences a page shows.
const maxShownFindings = 100

// recordingsPage lists the recordings of all sessions, those that changed last first.
func (s *site) recordingsPage(r *http.Request) (view, error) {
	m := &recordingsModel{Find: r.URL.Query().Get("find")}
	rows, err := s.reader.recordings()
	if err != nil {
		m.Fault = err.Error()
	}
	rows = slices.DeleteFunc(rows, func(row inspect.RecordingRow) bool { return !finds(m.Find, row.Session, row.Title, row.Workdir) })
	slices.SortStableFunc(rows, func(a, b inspect.RecordingRow) int { return b.ChangedAt.Compare(a.ChangedAt) })
	if left := len(rows) - maxRecordings; left > 0 {
		m.Left = fmt.Sprintf("%d older recordings are not shown.", left)
	}
	var models []*recordingModel
	for _, row := range rows[:min(len(rows), maxRecordings)] {
		models = append(models, cleaned(s.reader.source.Secrets, recordingModelOf(row)))
	}
	list, err := items("recording-row", models, func(m *recordingModel) string { return "rec-" + m.ID })
	return view{
		status: http.StatusOK, layout: layout{Title: "Recordings - aura", Section: "/recordings"}, page: "recordings", model: cleaned(s.reader.source.Secrets, m),
		boxes: []box{{"recordings", list}},
	}, err
}

func recordingModelOf(row inspect.RecordingRow) *recordingModel {
	return &recordingModel{
		ID: row.Session, Title: cmp.Or(row.Title, "-"), Project: cmp.Or(row.Workdir, "-"), Size: fmt.Sprintf("%d bytes", row.Bytes), Changed: clock(row.ChangedAt), Replayed: clock(row.ReplayedAt),
	}
}

// recordings returns the recordings of the sessions of the list.
func (r *reader) recordings() ([]inspect.RecordingRow, error) {
	rows, _, err := r.sessions()
	list := make([]session.Summary, len(rows))
	for i, row := range rows {
		list[i] = row.Summary
	}
	return inspect.RecordingRows(list, r.source.Secrets), err
}

// recording calls use with the recording of a session and its index, which must not be used afterwards. It returns errNotFound if there is none.
func (r *reader) recording(id string, use func(inspect.RecordingRow, *recording.Index) error) error {
	rows, err := r.recordings()
	i := slices.IndexFunc(rows, func(row inspect.RecordingRow) bool { return row.Session == id })
	if i < 0 {
		return errors.Join(errNotFound, err)
	}
	// A long recording that is read for the first time delays only pages about recordings.
	r.indexing.Lock()
	defer r.indexing.Unlock()
	path := rows[i].Path
	x := r.indexes[path]
	if x == nil {
		if len(r.indexes) >= openRecordings || r.indexes == nil {
			r.indexes = map[string]*recording.Index{}
		}
		x = recording.NewIndex(path)
		r.indexes[path] = x
	}
	if err := x.Update(); err != nil {
		return err
	}
	return use(rows[i], x)
}

// recordedPage lists the calls of a recording, and what the last replay found.
func (s *site) recordedPage(r *http.Request) (view, error) {
	m := &recordedModel{Find: r.URL.Query().Get("find")}
	v := view{status: http.StatusOK, page: "recorded"}
	err := s.reader.recording(r.PathValue("id"), func(row inspect.RecordingRow, x *recording.Index) error {
		m.ID, m.Title, m.Notes = row.Session, cmp.Or(row.Title, "-"), x.Notes()
		report, replay := s.replayOf(row)
		shown := x.Heads()
		if m.Find != "" {
			shown = slices.Collect(func(yield func(recording.Head) bool) {
				for _, h := range x.Heads() {
					if finds(m.Find, h.Plugin, h.Point, h.Name, h.Outcome()) && !yield(h) {
						return
					}
				}
			})
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page")) // an address that somebody wrote shows the first page
		last := max(0, (len(shown)-1)/callsPerPage)
		page = min(max(page, 0), last)
		if page > 0 {
			m.Earlier = withPage(r.URL, page-1)
		}
		if page < last {
			m.Later = withPage(r.URL, page+1)
		}
		if last > 0 {
			m.Pages = fmt.Sprintf("page %d of %d", page+1, last+1)
		}
		var models []*recordedCallModel
		for _, h := range shown[min(page*callsPerPage, len(shown)):min((page+1)*callsPerPage, len(shown))] {
			models = append(models, cleaned(s.reader.source.Secrets, callRow(h, row.Session, report)))
		}
		calls, err := items("recorded-call", models, func(m *recordedCallModel) string { return m.ID })
		if err != nil {
			return err
		}
		replays, err := items("replay", []*replayModel{replay}, func(*replayModel) string { return "replay-report" })
		v.boxes = []box{{"replay", replays}, {"calls", calls}}
		return err
	})
	v.model = cleaned(s.reader.source.Secrets, m)
	v.layout = layout{Title: "Recording of " + m.Title + " - aura", Section: "/recordings"}
	return v, err
}

func callRow(h recording.Head, id string, report *recording.Report) *recordedCallModel {
	m := &recordedCallModel{
		ID: fmt.Sprintf("call-%d", h.N), N: strconv.Itoa(h.N), Turn: strconv.Itoa(h.Turn), Plugin: h.Plugin, Point: h.Point, Name: cmp.Or(h.Name, "-"), At: clock(h.At),
		Took: h.Took.Round(time.Microsecond).String(), Outcome: h.Outcome(), Kind: map[bool]string{true: "ended", false: "failed"}[h.Kind == ""], Replay: "-", Address: callAddress(id, h.N),
	}
	m.Replay, m.ReplayKind = replayed(report, h.N)
	return m
}

func callAddress(id string, n int) string { return fmt.Sprintf("/recordings/%s/%d", id, n) }

// replayed returns what a replay found about a call. A report says nothing about calls that had the same result.
func replayed(report *recording.Report, n int) (text, kind string) {
	f := findingOf(report, n)
	switch {
	case f == nil:
		return "-", ""
	case f.NotRepeated != "":
		return "not repeated", "approval"
	default:
		return fmt.Sprintf("differs in %d", len(f.Differences)), "failed"
	}
}

func findingOf(report *recording.Report, n int) *recording.Finding {
	if report == nil {
		return nil
	}
	if i := slices.IndexFunc(report.Findings, func(f recording.Finding) bool { return f.N == n }); i >= 0 {
		return &report.Findings[i]
	}
	return nil
}

// replayOf returns the report of the last replay of a recording, and what pages show of it.
func (s *site) replayOf(row inspect.RecordingRow) (*recording.Report, *replayModel) {
	report, err := s.reader.report(recording.ReportBeside(row.Journal))
	m := &replayModel{}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Fault = "Its calls were not repeated yet. aura plugins replay " + row.Session + " does that, and the differences are here then."
	case err != nil:
		m.Fault = err.Error()
	default:
		m.Summary, m.At = report.Summary(), clock(report.At)
		if row.ChangedAt.After(report.At) && !report.Updated {
			m.Notes = append(m.Notes, "The recording has changed since.")
		}
		if len(report.Plugins) > 0 {
			m.Notes = append(m.Notes, "Only calls of "+strings.Join(report.Plugins, ", ")+" were repeated.")
		}
		if left := report.Left + len(report.Findings) - maxShownFindings; left > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("%d more calls are not shown.", left))
		}
		for plugin, uses := range report.Unrecorded {
			for _, use := range uses {
				m.Notes = append(m.Notes, "Plugin "+plugin+" uses what a recording does not have: "+use)
			}
		}
		slices.Sort(m.Notes)
		for _, f := range report.Findings[:min(len(report.Findings), maxShownFindings)] {
			m.Findings = append(m.Findings, findingModelOf(f, row.Session))
		}
	}
	return report, cleaned(s.reader.source.Secrets, m)
}

func findingModelOf(f recording.Finding, id string) findingModel {
	out := findingModel{
		Call: fmt.Sprintf("call %d, turn %d: %s of %s", f.N, f.Turn, strings.TrimSpace(f.Point+" "+f.Name), f.Plugin), Address: callAddress(id, f.N), NotRepeated: f.NotRepeated,
	}
	for _, d := range f.Differences {
		out.Differences = append(out.Differences, differenceModel{d.Field, cmp.Or(d.Before, "(missing)"), cmp.Or(d.After, "(missing)")})
	}
	return out
}

// keptReport is a report as it was for a version of its file.
type keptReport struct {
	version string
	is      *recording.Report
	err     error
}

// report returns the report at a path. One that did not change is not read again.
func (r *reader) report(path string) (*recording.Report, error) {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	version := "none"
	if info, err := os.Lstat(path); err == nil {
		version = fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	}
	if last, ok := r.reports[path]; ok && last.version == version {
		return last.is, last.err
	}
	is, err := recording.LoadReport(path)
	if len(r.reports) >= openRecordings || r.reports == nil {
		r.reports = map[string]keptReport{}
	}
	r.reports[path] = keptReport{version, is, err}
	return is, err
}
