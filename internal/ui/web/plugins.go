package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/ui/top"
)

// chartUnit is what a point of a chart is.
const chartUnit = "points of 5 seconds"

// logLines is how many lines of a log a page shows.
const logLines = 500

// pluginsModel is the data of the list of plugins.
type pluginsModel struct{ Summary string }

// cellModel is a cell of the table of plugins, with the title of its column.
type cellModel struct {
	Title, Text string
	Number      bool
}

// pluginModel is a plugin in the list and at the head of its own page.
type pluginModel struct {
	ID, Name, State, Kind string
	Cells                 []cellModel
	Calls, Memory         ready
	LastExit              string
	// Facts are what the page of the plugin shows beside the columns.
	Facts []cellModel
	// Control is set if the page has buttons.
	Control bool
}

// kinds are the classes of states that are not good.
var kinds = map[host.State]string{
	host.StateQuarantined: "failed", host.StateStopped: "failed", host.StateRestarting: "approval", host.StateStarting: "approval",
}

// pluginsPage lists the plugin processes of all running sessions, as plugins top does.
func (s *site) pluginsPage(r *http.Request) (view, error) {
	rows := s.reader.plugins(func(d time.Duration) bool { return wait(r, d) })
	v := view{
		status: http.StatusOK, layout: layout{Title: "Plugins - aura", Section: "/plugins"}, page: "plugins", model: &pluginsModel{},
	}
	// A page looks more often than the sessions are asked, and hundreds of rows with charts are some work.
	version, charts := s.reader.version()
	if boxes, ok := s.pages.get("plugins", version); ok {
		v.boxes = boxes
		return v, nil
	}
	top.Order{Column: "plugin"}.Sort(rows)
	keys, table := make([]pluginKey, len(rows)), top.Cells(rows)
	for i, row := range rows {
		keys[i] = pluginKey{"p-" + pluginID(row.Status), strings.Join(table[i+1], "\x00"), charts}
		if s.reader.silent(row.Key()) {
			keys[i].charts = 0
		}
	}
	list, err := drawn(&s.pluginRows, keys, func(k pluginKey) string { return k.id }, func(i int) (ready, error) { return render("plugin-row", s.pluginModel(rows[i])) })
	if err != nil {
		return v, err
	}
	v.boxes = []box{{"plugins", list}}
	s.pages.put("plugins", version, v.boxes)
	return v, nil
}

// pluginKey is all that the row of a plugin depends on: its cells, and the last point of its charts.
type pluginKey struct {
	id, cells string
	charts    int64
}

func (s *site) pluginModel(row top.Row) *pluginModel {
	m := &pluginModel{ID: pluginID(row.Status), Name: row.Name, State: string(row.State), Kind: kinds[row.State], LastExit: row.LastExit}
	cells := top.Cells([]top.Row{row})
	for i, title := range cells[0] {
		// The first two columns are the name and the state.
		if i > 1 {
			m.Cells = append(m.Cells, cellModel{Title: strings.ToLower(title), Text: cells[1][i], Number: title != "SESSION" && title != "PROJECT"})
		}
	}
	samples := s.reader.samples(row.Key())
	m.Calls = sparkline("calls per second", chartUnit, historyLength, samples, func(x sample) float64 { return x.calls }, func(v float64) string { return fmt.Sprintf("%.1f/s", v) })
	m.Memory = sparkline("memory", chartUnit, historyLength, samples, func(x sample) float64 { return float64(x.memory) }, func(v float64) string { return fmt.Sprintf("%.1f MB", v/1e6) })
	return cleaned(s.reader.source.Secrets, m)
}

// pluginPage shows one plugin of one session: its health, its confinement, what it asks for and is granted, its
// crashes, and its log.
func (s *site) pluginPage(r *http.Request) (view, error) {
	rows := s.reader.plugins(func(d time.Duration) bool { return wait(r, d) })
	i := slices.IndexFunc(rows, func(row top.Row) bool { return pluginID(row.Status) == r.PathValue("id") })
	if i < 0 {
		return view{}, fmt.Errorf("%w: no running session has this plugin", errNotFound)
	}
	m := s.pluginModel(rows[i])
	m.Facts, m.Control = factsOfPlugin(rows[i].Status), s.controllable(r)
	cleaned(s.reader.source.Secrets, m)
	head, err := items("plugin-head", []*pluginModel{m}, func(*pluginModel) string { return "plugin" })
	if err != nil {
		return view{}, err
	}
	of, failed := s.reader.described(rows[i].Status)
	rights, err := s.rightsItems(of, failed)
	if err != nil {
		return view{}, err
	}
	crashes, err := s.crashItems(rows[i].Status, of)
	if err != nil {
		return view{}, err
	}
	log, err := s.logItems(rows[i].Log)
	return view{
		status: http.StatusOK, layout: layout{Title: m.Name + " - aura", Section: "/plugins"}, page: "plugin", model: m,
		boxes: []box{{"heads", head}, {"rights", rights}, {"crashes", crashes}, {"log", log}},
	}, err
}

func factsOfPlugin(p host.Status) []cellModel {
	out := []cellModel{
		{Title: "directory", Text: p.Dir},
		{Title: "runtime", Text: p.Runtime},
		{Title: "running for", Text: (time.Duration(p.Uptime) * time.Second).String()},
		{Title: "loaded in", Text: fmt.Sprintf("%.0fms", p.LoadMillis)},
		{Title: "calls", Text: fmt.Sprint(p.Calls)},
		{Title: "errors", Text: fmt.Sprint(p.Errors)},
		{Title: "timeouts", Text: fmt.Sprint(p.Timeouts)},
		{Title: "goroutines", Text: fmt.Sprint(p.Goroutines)},
		{Title: "events", Text: fmt.Sprintf("%d emitted, %d delivered, %d failed, %d dropped, %d waiting", p.Events.Emitted, p.Events.Delivered, p.Events.Failed, p.Events.Dropped, p.Events.Waiting)},
		{Title: "stream", Text: fmt.Sprintf("%d chunks dropped", p.ChunksDropped)},
		{Title: "session's process", Text: fmt.Sprint(p.SessionPid)},
		{Title: "log", Text: p.Log},
	}
	confined := "the process is not confined"
	if p.Sandbox != nil && p.Sandbox.Confined {
		confined = strings.Join(append([]string{"confined by the kernel"}, p.Sandbox.Uncovered...), "; but ")
	}
	return append(out, cellModel{Title: "sandbox", Text: confined})
}

// logModel is the log of a plugin.
type logModel struct{ Text, Fault string }

// logItems returns the end of a log, as one item.
func (s *site) logItems(path string) ([]item, error) {
	m := &logModel{}
	version := ""
	info, err := os.Lstat(path)
	if err == nil {
		version = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	if boxes, ok := s.pages.get("log "+path, version); ok {
		return boxes[0].Items, nil
	}
	lines, err := top.NewTail(path).Next()
	switch {
	case path == "":
		m.Fault = "The session does not report where the log is."
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(lines) == 0:
		m.Fault = "There is no log yet."
	case err != nil:
		m.Fault = "The log cannot be read: " + err.Error()
	default:
		m.Text = strings.Join(lines[max(0, len(lines)-logLines):], "\n")
	}
	shown, err := items("plugin-log", []*logModel{cleaned(s.reader.source.Secrets, m)}, func(*logModel) string { return "log-text" })
	if err == nil {
		s.pages.put("log "+path, version, []box{{"log", shown}})
	}
	return shown, err
}
