package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/redact"
)

// recordedPageModel is the data of the page of a recorded call.
type recordedPageModel struct {
	ID, Title, N string
	// Earlier and Later are the addresses of the calls before and after.
	Earlier, Later string
}

// wholeModel is what went in and out of a recorded call.
type wholeModel struct {
	Facts []cellModel
	Notes []string
	// Failure is why the call failed.
	Input, Output, Asked *node
	Failure              string
}

// recordedCallPage shows a recorded call: what went in, what came out, and what another result the last replay had.
func (s *site) recordedCallPage(r *http.Request) (view, error) {
	m := &recordedPageModel{}
	v := view{status: http.StatusOK, page: "recorded-whole"}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		return v, errNotFound
	}
	err = s.reader.recording(r.PathValue("id"), func(row inspect.RecordingRow, x *recording.Index) error {
		if n < 1 || n > len(x.Heads()) {
			return fmt.Errorf("%w: the recording has the calls 1 to %d", errNotFound, len(x.Heads()))
		}
		m.ID, m.Title, m.N = row.Session, cmp.Or(row.Title, "-"), strconv.Itoa(n)
		if n > 1 {
			m.Earlier = callAddress(row.Session, n-1)
		}
		if n < len(x.Heads()) {
			m.Later = callAddress(row.Session, n+1)
		}
		key := fmt.Sprintf("call %s %d", row.Path, n)
		boxes, known := s.pages.get(key, x.Version())
		if !known {
			whole, err := x.Call(n)
			if err != nil {
				return err
			}
			shown, err := items("recorded-tree", []*wholeModel{cleaned(s.reader.source.Secrets, wholeModelOf(whole, s.reader.source.Secrets))}, func(*wholeModel) string { return "recorded" })
			if err != nil {
				return err
			}
			boxes = []box{{"whole", shown}}
			s.pages.put(key, x.Version(), boxes)
		}
		v.boxes = slices.Clone(boxes)
		return nil
	})
	if err != nil {
		return v, err
	}
	replay, err := s.replayItem(m.ID, n)
	v.boxes = append(v.boxes, box{"replay", replay})
	v.model = cleaned(s.reader.source.Secrets, m)
	v.layout = layout{Title: fmt.Sprintf("Call %d of %s - aura", n, m.Title), Section: "/recordings"}
	return v, err
}

// replayItem returns what the last replay found about one call, as an item.
func (s *site) replayItem(id string, n int) ([]item, error) {
	rows, err := s.reader.recordings()
	i := slices.IndexFunc(rows, func(row inspect.RecordingRow) bool { return row.Session == id })
	if i < 0 {
		return nil, err
	}
	report, m := s.replayOf(rows[i])
	if f := findingOf(report, n); f != nil {
		m.Findings = []findingModel{findingModelOf(*f, id)}
		cleaned(s.reader.source.Secrets, m)
	} else {
		m.Findings = nil
	}
	m.Notes = nil
	return items("replay", []*replayModel{m}, func(*replayModel) string { return "replay-report" })
}

func wholeModelOf(c *recording.Whole, secrets *redact.Redactor) *wholeModel {
	m := &wholeModel{Failure: c.Failure, Facts: []cellModel{
		{Title: "plugin", Text: c.Plugin},
		{Title: "point", Text: strings.TrimSpace(c.Point + " " + c.Name)},
		{Title: "turn", Text: strconv.Itoa(c.Turn)},
		{Title: "time", Text: clock(c.At)},
		{Title: "took", Text: c.Took.Round(time.Microsecond).String()},
		{Title: "result", Text: c.Outcome()},
		{Title: "plugin's files", Text: c.Version},
	}}
	for name, left := range c.Without {
		m.Notes = append(m.Notes, fmt.Sprintf("%s: %d earlier entries are not shown.", name, left))
	}
	slices.Sort(m.Notes)
	if c.Redacted {
		m.Notes = append(m.Notes, "Secrets were removed when the call was recorded.")
	}
	if c.Mixed {
		m.Notes = append(m.Notes, "The process worked on more than this call.")
	}
	m.Input, m.Output = tree("input", c.Input, secrets), tree("output", c.Out, secrets)
	if len(c.Asked) > 0 {
		m.Asked = treeOf("asked", c.Asked, secrets)
	}
	return m
}
