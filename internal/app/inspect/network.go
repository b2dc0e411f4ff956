package inspect

import (
	"cmp"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/redact"
)

// Connection is a connection that the rules of the network decided about, as the journal of its session has it.
type Connection struct {
	Time    time.Time `json:"time"`
	By      string    `json:"by,omitempty"`
	Host    string    `json:"host,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	Rule    string    `json:"rule,omitempty"`

	session.Connection
}

// Connections returns the connections among facts, without secrets.
func Connections(facts []session.Fact, secrets *redact.Redactor) []Connection {
	out := []Connection{}
	for _, f := range facts {
		if f.Kind == session.FactNetwork && f.Network != nil {
			out = append(out, Connection{f.At, f.By, secrets.String(f.Name), f.Outcome, secrets.String(f.Error), *f.Network})
		}
	}
	return out
}

// HostUse sums up the connections of a session to one host that had the same verdict.
type HostUse struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Project string `json:"project"`
	// Host and Verdict are empty for connections that were counted and not recorded one by one.
	Host        string    `json:"host,omitempty"`
	Verdict     string    `json:"verdict,omitempty"`
	Connections int       `json:"connections"`
	Sent        int64     `json:"sent"`
	Received    int64     `json:"received"`
	Last        time.Time `json:"last"`
}

// HostUses sums up connections of a session, the last used first.
func HostUses(s session.Summary, list []Connection) []HostUse {
	type key struct{ host, verdict string }
	places := map[key]int{}
	var out []HostUse
	for _, c := range list {
		k := key{c.Host, c.Verdict}
		if c.Dropped > 0 {
			k = key{}
		}
		i, known := places[k]
		if !known {
			i = len(out)
			places[k] = i
			out = append(out, HostUse{Session: s.ID, Title: s.Title, Project: s.Workdir, Host: k.host, Verdict: k.verdict})
		}
		out[i].Connections += max(1, c.Dropped)
		out[i].Sent += c.Sent
		out[i].Received += c.Received
		if c.Time.After(out[i].Last) {
			out[i].Last = c.Time
		}
	}
	slices.SortStableFunc(out, func(a, b HostUse) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Host, b.Host)) })
	return out
}

// Refusal is a tool call that did not run, and who refused it.
type Refusal struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
	Tool string    `json:"tool"`
	Why  string    `json:"why,omitempty"`
}

// Refusals returns the refused tool calls among facts, without secrets.
func Refusals(facts []session.Fact, secrets *redact.Redactor) []Refusal {
	out := []Refusal{}
	for _, f := range facts {
		if f.Kind == session.FactRefused {
			out = append(out, Refusal{f.At, secrets.String(f.By), f.Name, secrets.String(f.Error)})
		}
	}
	return out
}

// NetworkUse is what the journal of a session has about its network and its refused tool calls.
type NetworkUse struct {
	Connections []Connection
	Hosts       []HostUse
	Refusals    []Refusal
	// Left is how many earlier facts are left out because there are too many.
	Left int
}

// NetworkUseOf reads what a session did with the network, without secrets.
func NetworkUseOf(s session.Summary, x *session.Index, secrets *redact.Redactor) (NetworkUse, error) {
	facts, left, err := x.Last(session.FactNetwork, session.FactRefused)
	if err != nil {
		return NetworkUse{}, secrets.Error(err)
	}
	s.Title = secrets.String(s.Title)
	out := NetworkUse{Connections: Connections(facts, secrets), Refusals: Refusals(facts, secrets), Left: left}
	out.Hosts = HostUses(s, out.Connections)
	return out, nil
}
