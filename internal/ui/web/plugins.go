package web

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/top"
)

// logLines is how many lines of a log a page shows.
const logLines = 500

// errUnanswered reports that a page may exist, and that the session which knows is busy.
var errUnanswered = errors.New("a running session has not answered in time; load this page again")

// silentModel is the line of the list about sessions that did not answer.
type silentModel struct{ Text string }

// cellModel is a cell of the table of plugins, with the title of its column.
type cellModel struct {
	Title, Text string
	Number      bool
}

// pluginModel is a plugin in the list and at the head of its own page.
type pluginModel struct {
	ID, Name, State, Kind string
	Cells                 []cellModel
	// Row has the cells as the list shows them.
	Row           ready
	Calls, Memory ready
	LastExit      string
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
		status: http.StatusOK, layout: layout{Title: "Plugins - aura", Section: "/plugins"}, page: "plugins", model: &struct{}{},
	}
	// A page looks more often than the sessions are asked, and hundreds of rows with charts are some work.
	version := s.reader.version()
	if boxes, ok := s.pages.get("plugins", version); ok {
		v.boxes = boxes
		return v, nil
	}
	top.Order{Column: "plugin"}.Sort(rows)
	keys, table := make([]pluginKey, len(rows)), top.Cells(rows)
	for i, row := range rows {
		_, _, charts := s.reader.charts(row.Key())
		keys[i] = pluginKey{"p-" + pluginID(row.Status), strings.Join(table[i+1], "\x00"), charts}
	}
	list, err := drawn(&s.pluginRows, keys, func(k pluginKey) string { return k.id }, func(i int) (ready, error) { return s.pluginRow(rows[i], table[0], table[i+1]) })
	if err != nil {
		return v, err
	}
	var late []*silentModel
	if n := s.reader.unanswered(); n > 0 {
		late = append(late, &silentModel{plaintext.Counted(n, "session") + " did not answer in time. The figures of their plugins are those of before, or missing."})
	}
	notes, err := items("plugins-note", late, func(*silentModel) string { return "silent" })
	if err != nil {
		return v, err
	}
	v.boxes = []box{{"notes", notes}, {"plugins", list}}
	s.pages.put("plugins", version, v.boxes)
	return v, nil
}

// pluginRow draws a row of the list. When all plugins are busy, all rows change each second, and a template takes several times as long for the
// cells.
func (s *site) pluginRow(row top.Row, titles, cells []string) (ready, error) {
	m := s.pluginModel(row, titles, cells)
	var b strings.Builder
	for _, c := range m.Cells {
		class := ""
		if c.Number {
			class = ` class="number"`
		}
		fmt.Fprintf(&b, "<td data-label=\"%s\"%s>%s</td>\n", template.HTMLEscapeString(c.Title), class, template.HTMLEscapeString(c.Text))
	}
	m.Row = ready(b.String()) //nolint:gosec // every text is escaped
	return render("plugin-row", m)
}

// pluginKey is all that the row of a plugin depends on: its cells, and the last point of its charts.
type pluginKey struct {
	id, cells string
	charts    int64
}

// pluginModel returns what the pages show of a plugin, given the line of the table of top about it.
func (s *site) pluginModel(row top.Row, titles, cells []string) *pluginModel {
	m := &pluginModel{ID: pluginID(row.Status), Name: row.Name, State: string(row.State), Kind: kinds[row.State], LastExit: row.LastExit}
	for i, title := range titles {
		// The first two columns are the name and the state.
		if i > 1 {
			m.Cells = append(m.Cells, cellModel{Title: strings.ToLower(title), Text: cells[i], Number: title != "SESSION" && title != "PROJECT"})
		}
	}
	m.Calls, m.Memory, _ = s.reader.charts(row.Key())
	return cleaned(s.reader.source.Secrets, m)
}

// pluginPage shows one plugin of one session: its health, its confinement, what it asks for and is granted, its
// crashes, and its log.
func (s *site) pluginPage(r *http.Request) (view, error) {
	rows := s.reader.plugins(func(d time.Duration) bool { return wait(r, d) })
	i := slices.IndexFunc(rows, func(row top.Row) bool { return pluginID(row.Status) == r.PathValue("id") })
	if i < 0 && s.reader.unanswered() > 0 {
		return view{}, errUnanswered
	}
	if i < 0 {
		return view{}, fmt.Errorf("%w: no running session has this plugin", errNotFound)
	}
	table := top.Cells(rows[i : i+1])
	m := s.pluginModel(rows[i], table[0], table[1])
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

// answers says whether the figures of a plugin are those of now.
var answers = map[bool]string{false: "in time", true: "not in time; the figures are those of before"}

func factsOfPlugin(p host.Status) []cellModel {
	out := []cellModel{
		{Title: "directory", Text: p.Dir},
		{Title: "answers", Text: answers[p.Unanswered()]},
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
