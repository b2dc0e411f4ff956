// Package explain shows what happened in a session: turn by turn, who changed what, and how long it took. It reads the facts of a journal
// and nothing else.
package explain

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// Turn holds the facts of one turn.
type Turn struct {
	Number int `json:"turn"`
	// Asked reports whether the model was called. What belongs to no model call follows the last one.
	Asked bool `json:"asked"`
	// Began is when the model was called.
	Began time.Time      `json:"began,omitzero"`
	Facts []session.Fact `json:"facts"`
}

// Filter selects facts.
type Filter struct {
	// Turn is the number of a turn; 0 selects all.
	Turn int
	// Plugin is the name of a plugin; empty selects all facts, also those without a plugin.
	Plugin string
}

// Session returns the turns of the session with a journal; see Turns.
func Session(journal string, filter Filter) ([]Turn, error) {
	_, facts, err := session.Facts(journal)
	if err != nil {
		return nil, err
	}
	turns, err := Turns(facts, filter)
	if err != nil {
		return nil, fmt.Errorf("explaining the session: %w", err)
	}
	return turns, nil
}

// Turns groups facts by their turns, in order. It fails if the filter selects a turn or a plugin that the session does not have.
func Turns(facts []session.Fact, filter Filter) ([]Turn, error) {
	var out []Turn
	var plugins []string
	for _, f := range facts {
		i, found := slices.BinarySearchFunc(out, f.Turn, func(t Turn, n int) int { return cmp.Compare(t.Number, n) })
		if !found {
			out = slices.Insert(out, i, Turn{Number: f.Turn})
		}
		if f.Kind == session.FactTurn {
			out[i].Asked, out[i].Began = true, f.At
			continue
		}
		if f.Plugin != "" && !slices.Contains(plugins, f.Plugin) {
			plugins = append(plugins, f.Plugin)
		}
		if filter.Plugin == "" || f.Plugin == filter.Plugin {
			out[i].Facts = append(out[i].Facts, f)
		}
	}
	if filter.Plugin != "" && !slices.Contains(plugins, filter.Plugin) {
		slices.Sort(plugins)
		return nil, fmt.Errorf("plugin %q was not called; called plugins: %s", filter.Plugin, cmp.Or(strings.Join(plugins, ", "), "none"))
	}
	if filter.Turn == 0 {
		return out, nil
	}
	i := slices.IndexFunc(out, func(t Turn) bool { return t.Number == filter.Turn })
	if i < 0 {
		return nil, fmt.Errorf("there is no turn %d; %s", filter.Turn, extent(out))
	}
	return out[i : i+1], nil
}

// Last returns the last turn with a model call and everything after it.
func Last(turns []Turn) []Turn {
	for i, t := range slices.Backward(turns) {
		if t.Asked {
			return turns[i:]
		}
	}
	return turns
}

// extent says which turns there are.
func extent(turns []Turn) string {
	if len(turns) == 0 {
		return "nothing is known about the session"
	}
	return fmt.Sprintf("the turns are %d to %d", turns[0].Number, turns[len(turns)-1].Number)
}

// Text returns turns as text for people. Unchanged calls are counted; all shows each of them.
func Text(turns []Turn, all bool) string {
	if len(turns) == 0 {
		return "nothing is known about what happened: the session has no turns, or an aura without this ability saved it\n"
	}
	var b strings.Builder
	for _, t := range turns {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintln(&b, heading(t))
		var quiet []session.Fact
		for _, f := range t.Facts {
			if !all && f.Kind == session.FactCall && len(f.Changes) == 0 && f.Error == "" {
				quiet = append(quiet, f)
				continue
			}
			writeFact(&b, f)
		}
		if len(quiet) > 0 {
			fmt.Fprintf(&b, "  %s\n", summary(quiet))
		}
		if len(t.Facts) == 0 {
			b.WriteString("  no plugin was called\n")
		}
	}
	return b.String()
}

func heading(t Turn) string {
	if !t.Asked {
		return fmt.Sprintf("without a model call, after turn %d", t.Number-1)
	}
	return fmt.Sprintf("turn %d", t.Number)
}

// summary says how many calls changed nothing.
func summary(quiet []session.Fact) string {
	var plugins []string
	var took time.Duration
	calls := 0
	for _, f := range quiet {
		took += f.Took
		calls += max(f.Calls, 1)
		if !slices.Contains(plugins, f.Plugin) {
			plugins = append(plugins, f.Plugin)
		}
	}
	slices.Sort(plugins)
	noun := "calls"
	if calls == 1 {
		noun = "call"
	}
	return fmt.Sprintf("%d %s changed nothing (%s), in %s", calls, noun, strings.Join(plugins, ", "), Short(took))
}

// did says what a change of a field means. %s is what the call is about.
var did = map[string]string{
	"disable_tools":         "withheld tools",
	"content":               "rewrote the prompt",
	"request.append_system": "added to the system prompt",
	"request.skip":          "skipped the model call",
	"response.content":      "rewrote the answer",
	"response.skip":         "left out the answer",
	"arguments":             "changed the arguments of %s",
	"output":                "changed the result of %s",
	"error.retry":           "handled an error",
	"error.skip":            "handled an error",
	"compaction.skip":       "prevented a compaction",
	pipeline.FieldMessage:   "injected a message",
	pipeline.FieldEjected:   "injected a message for one model call",
	pipeline.FieldBlock:     "blocked %s",
	pipeline.FieldInserted:  "inserted a message into the request",
	pipeline.FieldRemoved:   "ejected a message from the request",
	pipeline.FieldRewritten: "transformed a message of the request",
	pipeline.FieldOrder:     "reordered the messages of the request",
}

func writeFact(b *strings.Builder, f session.Fact) {
	switch f.Kind {
	case session.FactCall:
		writeCall(b, f)
		return
	case session.FactRefused:
		fmt.Fprintf(b, "  %s refused a call of %s: %s\n", f.By, f.Name, plaintext.OneLine(f.Error))
	case session.FactError:
		fmt.Fprintf(b, "  the interaction ended with an error: %s\n", plaintext.OneLine(f.Error))
	case session.FactSwitch:
		fmt.Fprintf(b, "  the agent was switched (%s)\n", f.Name)
	case session.FactCompaction:
		fmt.Fprintf(b, "  the history was compacted (%s)%s\n", f.Name, suffix(": it failed: ", f.Error))
	case session.FactNetwork:
		writeConnection(b, f)
	case session.FactState:
		fmt.Fprintf(b, "  %s is %s%s\n", f.Plugin, f.Outcome, suffix(": ", f.Error))
	case session.FactFiles:
		fmt.Fprintf(b, "  %s changed files\n", f.Name)
		return // the diff is too long for an overview
	default:
		fmt.Fprintf(b, "  %s\n", f.Kind)
	}
	for _, c := range f.Changes {
		fmt.Fprintf(b, "      %s: %s → %s\n", c.Field, plaintext.OneLine(c.Before), plaintext.OneLine(c.After))
	}
}

// writeConnection writes what a program did in the network.
func writeConnection(b *strings.Builder, f session.Fact) {
	at, n := cmp.Or(f.Network, new(session.Connection)), f.Name
	if at.Port != 0 {
		n = net.JoinHostPort(n, strconv.Itoa(at.Port))
	}
	switch {
	case at.Dropped > 0:
		fmt.Fprintf(b, "  %d further connections or names are not listed (%d bytes sent, %d received)\n", at.Dropped, at.Sent, at.Received)
	case at.Address != "" && f.Outcome == "allowed":
		fmt.Fprintf(b, "  %s reached %s (%s): %d bytes sent, %d received\n", f.By, n, plaintext.OneLine(f.Error), at.Sent, at.Received)
	case f.Outcome == "failed":
		fmt.Fprintf(b, "  %s could not reach %s: %s\n", f.By, n, plaintext.OneLine(f.Error))
	default:
		fmt.Fprintf(b, "  %s was refused %s (%s)\n", f.By, n, plaintext.OneLine(f.Error))
	}
}

func writeCall(b *strings.Builder, f session.Fact) {
	at := fmt.Sprintf("at %s in %s", f.Point, Short(f.Took))
	if f.Waited >= time.Millisecond {
		at += fmt.Sprintf(", after waiting %s", Short(f.Waited))
	}
	if f.Calls > 1 {
		at += fmt.Sprintf(", in %d calls", f.Calls)
	}
	if f.Error != "" {
		fmt.Fprintf(b, "  %s failed %s: %s\n", f.Plugin, at, plaintext.OneLine(f.Error))
	} else if len(f.Changes) == 0 {
		fmt.Fprintf(b, "  %s changed nothing %s\n", f.Plugin, at)
	}
	for _, c := range f.Changes {
		what, ok := did[c.Field]
		if !ok {
			what = "changed " + c.Field
		}
		if strings.Contains(what, "%s") {
			what = fmt.Sprintf(what, cmp.Or(f.Name, "a tool"))
		}
		fmt.Fprintf(b, "  %s %s %s\n", f.Plugin, what, at)
		writeValue(b, "      - ", c.Before)
		writeValue(b, "      + ", c.After)
		writeValue(b, "      ", c.Diff)
	}
}

// writeValue writes each line of a value after a mark. It writes nothing for an empty value.
func writeValue(b *strings.Builder, mark, value string) {
	if value == "" {
		return
	}
	for line := range strings.Lines(value) {
		fmt.Fprintf(b, "%s%s\n", mark, strings.TrimRight(line, "\n"))
	}
}

func suffix(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + plaintext.OneLine(text)
}

// Short returns a duration with at most three digits.
func Short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	default:
		return d.Round(time.Microsecond).String()
	}
}
