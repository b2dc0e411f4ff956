package web

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/explain"
	"github.com/idelchi/aura/internal/base/plaintext"
)

const (
	// chartWidth is the width of a timeline in its own units. rowHeight is the height of a bar with its gap.
	chartWidth = 1000
	rowHeight  = 18
	// maxBars is how many bars a timeline has at most. maxTurns is how many turns a page shows, the last ones.
	maxBars  = 60
	maxTurns = 50
)

// bar is something that took time in a turn.
type bar struct {
	name, kind  string
	begin, took time.Duration
}

// barModel is a row of the table of a timeline.
type barModel struct{ Name, Start, Took string }

// turnModel is the timeline of a turn.
type turnModel struct {
	ID, Number, Took, Only string
	// Wide is set if the chart may be wider than the page.
	Wide  bool
	Chart ready
	Bars  []barModel
}

// turnModels returns the timelines of turns: all, or the only one that a page shows.
func (s *site) turnModels(messages []llm.Message, turns []explain.Turn, page *conversationModel, address string) []*turnModel {
	var out []*turnModel
	for i, t := range turns {
		if page.Turn != "" && fmt.Sprint(t.Number) != page.Turn || !t.Asked {
			continue
		}
		end := time.Time{}
		if i+1 < len(turns) {
			end = turns[i+1].Began
		}
		bars := barsOf(t, messages, end)
		for k := range bars {
			bars[k].name = plaintext.Line(s.reader.source.Secrets.String(bars[k].name))
		}
		m := &turnModel{ID: fmt.Sprintf("turn-%d", t.Number), Number: fmt.Sprint(t.Number), Only: fmt.Sprintf("%s&turn=%d", address, t.Number)}
		whole := time.Duration(0)
		for _, b := range bars {
			whole = max(whole, b.begin+b.took)
			m.Bars = append(m.Bars, barModel{b.name, took(b.begin), took(b.took)})
		}
		m.Took, m.Chart, m.Wide = took(whole), timeline(bars, whole, max(1, page.Zoom)), page.Zoom > 1
		out = append(out, cleaned(s.reader.source.Secrets, m))
	}
	return out[max(0, len(out)-maxTurns):]
}

// took formats a duration.
func took(d time.Duration) string { return explain.Short(d) }

// barsOf returns what took time in a turn, side by side. The model's bar ends with the answer, and a tool's with its result: it begins with
// the answer, so that it has the time of an approval too. end is when the next turn began; zero if there is none.
func barsOf(t explain.Turn, messages []llm.Message, end time.Time) []bar {
	var bars []bar
	var answered time.Time
	for _, m := range messages {
		if m.CreatedAt.Before(t.Began) || !end.IsZero() && !m.CreatedAt.Before(end) {
			continue
		}
		switch {
		case m.Role == llm.RoleAssistant && answered.IsZero():
			answered = m.CreatedAt
			bars = append(bars, bar{"model", "model", 0, answered.Sub(t.Began)})
		case m.Role == llm.RoleTool && !answered.IsZero():
			bars = append(bars, bar{"tool " + m.ToolName, "tool", answered.Sub(t.Began), m.CreatedAt.Sub(answered)})
		}
	}
	for _, f := range t.Facts {
		if f.Kind == session.FactCall {
			// A hook before the model call began before the turn did.
			begin := f.At.Add(-f.Took).Sub(t.Began)
			bars = append(bars, bar{"plugin " + f.Plugin + " at " + f.Point, "plugin", max(0, begin), f.Took})
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.begin, b.begin) })
	return bars[:min(len(bars), maxBars)]
}

// timeline draws bars, a number of times wider than a page. It needs no script and no style of its own.
func timeline(bars []bar, whole time.Duration, zoom int) ready {
	var b strings.Builder
	height, long, size := rowHeight*max(1, len(bars)), chartWidth*zoom, ""
	if zoom > 1 {
		size = fmt.Sprintf(` width="%d" height="%d"`, long, height)
	}
	fmt.Fprintf(&b, `<svg role="img" aria-label="%d bars; the table below has the same" viewBox="0 0 %d %d"%s class="timeline">`, len(bars), long, height, size)
	for i, one := range bars {
		x, width := scaled(one.begin, whole, long), max(2, scaled(one.took, whole, long))
		name := template.HTMLEscapeString(fmt.Sprintf("%s: %s", one.name, took(one.took)))
		fmt.Fprintf(&b, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d"></rect>`, name, one.kind, min(x, long-2), i*rowHeight+1, width, rowHeight-4)
		// The text stands where there is room for it.
		if x < long/2 {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text></g>`, x+4, i*rowHeight+rowHeight-6, name)
		} else {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text></g>`, x-4, i*rowHeight+rowHeight-6, name)
		}
	}
	b.WriteString("</svg>")
	return ready(b.String()) //nolint:gosec // names are escaped, and the rest are numbers
}

// scaled returns a duration in units of a chart that is long.
func scaled(d, whole time.Duration, long int) int {
	if whole <= 0 {
		return 0
	}
	return int(int64(long) * int64(d) / int64(whole))
}
