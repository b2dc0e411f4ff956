package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
)

// maxNetworkRows is how many rows a table about the network shows, the newest ones.
const maxNetworkRows = 500

// networkModel is the data of the pages about the network.
type networkModel struct {
	ID, Title, Find string
	// Faults say what the page does not show.
	Faults []string
}

// hostModel is what a session did with a host.
type hostModel struct {
	ID, Session, Title, Project, Host, Verdict, Kind string
	Connections, Sent, Received, Last                string
}

// refusalModel is a tool call that was refused.
type refusalModel struct{ ID, Session, Title, Time, Tool, By, Why string }

// connectionModel is a connection of a session.
type connectionModel struct{ ID, Time, By, Host, Port, Address, Verdict, Kind, Rule, Sent, Received string }

// rowID returns the id of a row that is about some texts.
func rowID(texts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", texts)))
	return "r-" + hex.EncodeToString(sum[:8])
}

// verdictKind is the class of a verdict.
func verdictKind(verdict string) string {
	return map[bool]string{true: "failed", false: "ended"}[verdict == "refused"]
}

// networkPage sums up what the programs of all sessions did with the network, and which tool calls were refused.
func (s *site) networkPage(r *http.Request) (view, error) {
	uses, err := s.reader.networks()
	m := &networkModel{Find: r.URL.Query().Get("find")}
	if err != nil {
		m.Faults = append(m.Faults, err.Error())
	}
	var hosts []inspect.HostUse
	type refusal struct {
		inspect.Refusal

		of session.Summary
	}
	var refused []refusal
	for _, u := range uses {
		if u.fault != "" {
			m.Faults = append(m.Faults, u.fault)
		}
		if u.use.Left > 0 {
			m.Faults = append(m.Faults, fmt.Sprintf("Session %s: %d earlier connections and refused tool calls are left out.", u.of.ID, u.use.Left))
		}
		for _, h := range u.use.Hosts {
			if finds(m.Find, h.Session, h.Title, h.Project, h.Host, h.Verdict) {
				hosts = append(hosts, h)
			}
		}
		for _, one := range u.use.Refusals {
			if finds(m.Find, u.of.ID, u.of.Title, u.of.Workdir, one.Tool, one.By, one.Why) {
				refused = append(refused, refusal{one, u.of})
			}
		}
	}
	slices.SortStableFunc(hosts, func(a, b inspect.HostUse) int { return b.Last.Compare(a.Last) })
	slices.SortStableFunc(refused, func(a, b refusal) int { return b.Time.Compare(a.Time) })
	for _, most := range []struct {
		count int
		of    string
	}{{len(hosts), "hosts"}, {len(refused), "refused tool calls"}} {
		if most.count > maxNetworkRows {
			m.Faults = append(m.Faults, fmt.Sprintf("%d more %s are not shown.", most.count-maxNetworkRows, most.of))
		}
	}
	var hostModels []*hostModel
	for _, h := range hosts[:min(len(hosts), maxNetworkRows)] {
		hostModels = append(hostModels, cleaned(s.reader.source.Secrets, &hostModel{
			ID: rowID(h.Session, h.Host, h.Verdict), Session: h.Session, Title: cmp.Or(h.Title, "-"), Project: cmp.Or(h.Project, "-"), Host: cmp.Or(h.Host, "-"),
			Verdict: cmp.Or(h.Verdict, "not listed"), Kind: verdictKind(h.Verdict), Connections: strconv.Itoa(h.Connections),
			Sent: strconv.FormatInt(h.Sent, 10), Received: strconv.FormatInt(h.Received, 10), Last: clock(h.Last),
		}))
	}
	var refusalModels []*refusalModel
	for _, one := range refused[:min(len(refused), maxNetworkRows)] {
		refusalModels = append(refusalModels, cleaned(s.reader.source.Secrets, &refusalModel{
			ID: rowID(one.of.ID, one.Time.UnixNano(), one.Tool, one.Why), Session: one.of.ID, Title: cmp.Or(one.of.Title, "-"), Time: clock(one.Time), Tool: one.Tool, By: cmp.Or(one.By, "-"), Why: one.Why,
		}))
	}
	hostItems, err := items("host-row", hostModels, func(m *hostModel) string { return m.ID })
	if err != nil {
		return view{}, err
	}
	refusalItems, err := items("refusal-row", refusalModels, func(m *refusalModel) string { return m.ID })
	return view{
		status: http.StatusOK, layout: layout{Title: "Network - aura", Section: "/network"}, page: "network", model: cleaned(s.reader.source.Secrets, m),
		boxes: []box{{"hosts", hostItems}, {"refusals", refusalItems}},
	}, err
}

// connectionsPage lists the connections of a session, as sandbox log does, the newest first.
func (s *site) connectionsPage(r *http.Request) (view, error) {
	v := view{status: http.StatusOK, page: "connections"}
	m := &networkModel{}
	found, err := s.reader.session(r.PathValue("id"), func(row inspect.SessionRow, index *session.Index) error {
		use, err := inspect.NetworkUseOf(row.Summary, index, s.reader.source.Secrets)
		if err != nil {
			return err
		}
		m.ID, m.Title = row.ID, cmp.Or(row.Title, "-")
		list := use.Connections
		if left := max(0, len(list)-maxNetworkRows); left+use.Left > 0 {
			list = list[left:]
			m.Faults = append(m.Faults, fmt.Sprintf("Earlier connections are not shown; aura sandbox log %s lists them.", row.ID))
		}
		slices.Reverse(list)
		var models []*connectionModel
		for i, c := range list {
			models = append(models, cleaned(s.reader.source.Secrets, connectionModelOf(c, len(list)-i)))
		}
		rows, err := items("connection-row", models, func(m *connectionModel) string { return m.ID })
		v.boxes = []box{{"connections", rows}}
		return err
	})
	if err == nil && !found {
		err = errNotFound
	}
	v.model = cleaned(s.reader.source.Secrets, m)
	v.layout = layout{Title: "Network of " + m.Title + " - aura", Section: "/network"}
	return v, err
}

func connectionModelOf(c inspect.Connection, number int) *connectionModel {
	m := &connectionModel{
		ID: rowID(c.Time.UnixNano(), c.By, c.Host, c.Port, number), Time: clock(c.Time), By: cmp.Or(c.By, "-"), Host: cmp.Or(c.Host, "-"), Port: "-", Address: cmp.Or(c.Address, "-"),
		Verdict: c.Verdict, Kind: verdictKind(c.Verdict), Rule: cmp.Or(c.Rule, "-"), Sent: strconv.FormatInt(c.Sent, 10), Received: strconv.FormatInt(c.Received, 10),
	}
	if c.Port != 0 {
		m.Port = strconv.Itoa(c.Port)
	}
	if c.Dropped > 0 {
		m.Verdict, m.Kind = fmt.Sprintf("%d not listed", c.Dropped), "ended"
	}
	return m
}

// finds reports whether all words of a search occur in texts.
func finds(words string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// networkOf is what a session did with the network, or why that is not known.
type networkOf struct {
	of      session.Summary
	version string
	use     inspect.NetworkUse
	fault   string
}

// networks returns what each session did with the network. Journals that did not change are not read again.
func (r *reader) networks() ([]networkOf, error) {
	r.listing.Lock()
	defer r.listing.Unlock()
	rows, err := r.list()
	before := r.network
	r.network = make(map[string]networkOf, len(rows))
	var out []networkOf
	for _, row := range rows {
		index := r.catalog.Index(row.Path)
		if index == nil {
			continue
		}
		now, known := before[row.Path]
		if !known || now.version != index.Version() {
			now = networkOf{version: index.Version()}
			var failed error
			if now.use, failed = inspect.NetworkUseOf(row.Summary, index, r.source.Secrets); failed != nil {
				now.fault = failed.Error()
			}
		}
		now.of = row.Summary
		r.network[row.Path] = now
		out = append(out, now)
	}
	return out, err
}
