package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
)

// sessionsPerPage is how many sessions the list shows at once.
const sessionsPerPage = 100

// sessionsModel is the data of the list of sessions.
type sessionsModel struct {
	// Find and Show are what the user searches and filters for.
	Find, Show string
	Shows      []option
	Fault      string
	// Newer and Older are the addresses of the neighbouring pages; empty if there are none.
	Newer, Older string
}

// option is a choice of a filter.
type option struct {
	Value, Text string
	Chosen      bool
}

// sessionModel is a session in the list and at the head of its own page.
type sessionModel struct {
	ID, Title, Project, Agent, Mode, Model, Started, Used string
	// Condition is what the session does or how it ended. Kind is its class: running, approval, ended or failed.
	Condition, Kind, Since string
	// Asks is the question that waits for an answer.
	Asks                string
	Messages, Turn      string
	Context             string
	Percent             string
	TokensIn, TokensOut string
	Cost                string
	Plugins             string
	Running             bool
	// Cancel is set if the page has a button that cancels the turn.
	Cancel bool
}

// filters are the choices of the list, and what they select.
var filters = []struct {
	value, text string
	selects     func(inspect.SessionRow) bool
}{
	{"", "all", func(inspect.SessionRow) bool { return true }},
	{"running", "running", func(r inspect.SessionRow) bool { return r.Live != nil }},
	{"approval", "waiting for an approval", func(r inspect.SessionRow) bool { return r.Live != nil && r.Live.State == session.ActivityApproval }},
	{"ended", "ended", func(r inspect.SessionRow) bool { return r.Live == nil }},
}

// sessionsPage lists the sessions of all projects, the newest first.
func (s *site) sessionsPage(r *http.Request) (view, error) {
	rows, at, err := s.reader.sessions()
	query := r.URL.Query()
	m := &sessionsModel{Find: query.Get("find"), Show: query.Get("show")}
	if err != nil {
		m.Fault = err.Error()
	}
	selected := filters[0].selects
	for _, f := range filters {
		m.Shows = append(m.Shows, option{f.value, f.text, f.value == m.Show})
		if f.value == m.Show {
			selected = f.selects
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row inspect.SessionRow) bool { return !selected(row) || !matches(row, m.Find) })
	page, _ := strconv.Atoi(query.Get("page")) // an address that somebody wrote shows the first page
	last := max(0, (len(rows)-1)/sessionsPerPage)
	page = min(max(page, 0), last)
	if page > 0 {
		m.Newer = withPage(r.URL, page-1)
	}
	if page < last {
		m.Older = withPage(r.URL, page+1)
	}
	v := view{status: http.StatusOK, layout: layout{Title: "Sessions - aura", Section: "/sessions"}, page: "sessions", model: cleaned(s.reader.source.Secrets, m)}
	v.boxes, err = s.sessionBoxes(rows[min(page*sessionsPerPage, len(rows)):min((page+1)*sessionsPerPage, len(rows))], "sessions?"+r.URL.RawQuery, fmt.Sprint(at.UnixNano()))
	return v, err
}

// sessionBoxes returns the list of sessions. A page looks more often than the list is read.
func (s *site) sessionBoxes(rows []inspect.SessionRow, key, version string) ([]box, error) {
	if boxes, ok := s.pages.get(key, version); ok {
		return boxes, nil
	}
	models := make([]sessionModel, len(rows))
	for i, row := range rows {
		models[i] = *modelOf(row)
	}
	list, err := drawn(&s.sessionRows, models, func(m sessionModel) string { return "s-" + m.ID }, func(i int) (ready, error) {
		return render("session-row", cleaned(s.reader.source.Secrets, new(models[i])))
	})
	if err != nil {
		return nil, err
	}
	boxes := []box{{"sessions", list}}
	s.pages.put(key, version, boxes)
	return boxes, nil
}

// withPage returns the address of another page of a list.
func withPage(u *url.URL, page int) string {
	query := u.Query()
	query.Set("page", strconv.Itoa(page))
	return u.Path + "?" + query.Encode()
}

// matches reports whether all words of a search occur in a session's id, title, project, agent or model.
func matches(r inspect.SessionRow, find string) bool {
	return finds(find, r.ID, r.Title, r.Workdir, r.Agent, r.Provider, r.Model)
}

// modelOf returns what the pages show of a session.
func modelOf(r inspect.SessionRow) *sessionModel {
	m := &sessionModel{
		ID: r.ID, Title: cmp.Or(r.Title, "-"), Project: cmp.Or(r.Workdir, "-"), Agent: cmp.Or(r.Agent, "-"), Model: modelName(r.Provider, r.Model), Started: clock(r.StartedAt), Used: clock(r.UsedAt),
		Condition: r.Condition(), Kind: "ended", Messages: strconv.Itoa(r.Messages), Turn: "-", Context: "-", TokensIn: "-", TokensOut: "-", Cost: "-", Plugins: "-",
	}
	if r.Err != "" {
		m.Kind, m.Title = "failed", r.Err
	}
	if r.End == session.ReasonError {
		m.Kind = "failed"
	}
	if states := slices.Sorted(maps.Keys(r.Plugins)); len(states) > 0 {
		var parts []string
		for _, state := range states {
			parts = append(parts, fmt.Sprintf("%d %s", r.Plugins[state], state))
		}
		m.Plugins = strings.Join(parts, ", ")
	}
	if r.Live == nil {
		return m
	}
	live := r.Live
	m.Running, m.Kind, m.Since, m.Asks = true, "running", clock(live.Since), summary(live)
	if live.State == session.ActivityApproval {
		m.Kind = "approval"
	}
	m.Agent, m.Mode, m.Model = cmp.Or(live.Agent, "-"), live.Mode, modelName(live.Provider, live.Model)
	m.Turn, m.TokensIn, m.TokensOut = strconv.Itoa(live.Turn), strconv.Itoa(live.TokensIn), strconv.Itoa(live.TokensOut)
	m.Context = fmt.Sprintf("%d tokens", live.Context)
	if live.Limit > 0 {
		m.Percent = strconv.FormatFloat(live.Percent, 'f', 1, 64)
		m.Context = fmt.Sprintf("%d of %d tokens (%s%%)", live.Context, live.Limit, m.Percent)
	}
	if live.CostUSD != nil {
		m.Cost = fmt.Sprintf("%.4f US dollars", *live.CostUSD)
	}
	return m
}

func modelName(provider, model string) string {
	if model == "" {
		return "-"
	}
	return provider + "/" + model
}

// clock formats a time for people.
func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}
