package tui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestArrange compares the rows of live areas and the position of the cursor.
func TestArrange(t *testing.T) {
	t.Parallel()
	const rule = "────────"
	one := lineedit.View{Rows: []string{"text"}, Column: 4}
	for name, row := range map[string]struct {
		rows int
		area area
		want []terminal.Styled
		at   [2]int
	}{
		"from top to bottom": {
			10,
			area{live: []liveRow{{text: "live"}}, queued: []terminal.Styled{"queued"}, asked: []terminal.Styled{"asked"}, typed: one, mark: "> ", below: []terminal.Styled{"below"}},
			[]terminal.Styled{"live", "queued", "asked", rule, "> text", "below"},
			[2]int{4, 6},
		},
		"a low terminal shows the end": {
			4,
			area{live: []liveRow{{text: "1"}, {text: "2"}, {text: "3"}}, typed: one, mark: "> ", below: []terminal.Styled{"below"}},
			[]terminal.Styled{rule, "> text", "below"},
			[2]int{1, 6},
		},
		"labels follow the text":      {10, area{typed: one, mark: "> ", ghost: "!"}, []terminal.Styled{rule, "> text!"}, [2]int{1, 6}},
		"the row is cut at the edge":  {10, area{typed: one, mark: "> ", ghost: "too long"}, []terminal.Styled{rule, "> texttoo"}, [2]int{1, 6}},
		"no labels in an answer":      {10, area{typed: one, mark: "? ", ghost: "!"}, []terminal.Styled{rule, "? text"}, [2]int{1, 6}},
		"a second row has no mark":    {10, area{typed: lineedit.View{Rows: []string{"a", "b"}, Row: 1}, mark: "> "}, []terminal.Styled{rule, "> a", "  b"}, [2]int{2, 2}},
		"the row of the cursor stays": {4, area{typed: lineedit.View{Rows: []string{"a", "b", "c", "d"}, Row: 3}, mark: "> "}, []terminal.Styled{rule, "> c", "  d"}, [2]int{2, 2}},
	} {
		s := newStage(8, row.rows)
		s.frame.look = terminal.Look{}
		p := s.frame.arrange(row.area)
		if name == "the row is cut at the edge" {
			p.rows[1] = terminal.Styled(fmt.Sprint(terminal.StyledWidth(p.rows[1])))
			row.want[1] = "8"
		}
		if !slices.Equal(p.rows, row.want) || p.row != row.at[0] || p.column != row.at[1] {
			t.Errorf("%s: got %q at %d, %d", name, p.rows, p.row, p.column)
		}
	}
}

// TestFrames checks when a frame is drawn.
func TestFrames(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do     func(s *stage)
		drawn  int
		timers []time.Duration
	}{
		"at once after a while":            {func(s *stage) { s.frame.drawSoon(true, false) }, 1, nil},
		"not if nothing changed":           {func(s *stage) { s.frame.drawSoon(false, false) }, 0, nil},
		"a burst is one frame":             {func(s *stage) { s.frame.drawSoon(true, false); s.again(false); s.again(false) }, 1, []time.Duration{frameTime}},
		"not while another has the screen": {func(s *stage) { s.frame.giveAway(func() {}); s.frame.drawSoon(true, true) }, 0, nil},
		"again when it is back":            {func(s *stage) { s.frame.giveAway(func() {}); s.frame.takeBack(nil); s.frame.drawSoon(true, true) }, 1, nil},
		"not after the end":                {func(s *stage) { s.frame.end(); s.frame.drawSoon(true, true) }, 0, nil},
		"the spinner moves":                {func(s *stage) { s.busy = true; s.frame.drawSoon(true, false) }, 1, []time.Duration{beat}},
		"it has one timer":                 {func(s *stage) { s.busy = true; s.frame.draw(); s.frame.draw() }, 2, []time.Duration{beat}},
		"it stops with what is awaited":    {func(s *stage) { s.busy = true; s.frame.draw(); s.busy = false; s.pass(beat) }, 1, nil},
	} {
		s := newStage(80, 24)
		s.frame.expectChange()
		row.do(s)
		var timers []time.Duration
		for _, t := range s.timers {
			wait := t.wait
			if wait > 0 && wait < frameTime { // a part of it has passed
				wait = frameTime
			}
			timers = append(timers, wait)
		}
		if s.composed != row.drawn || !slices.Equal(timers, row.timers) {
			t.Errorf("%s: %d frames, timers %v", name, s.composed, timers)
		}
	}
}

// again handles one more message that changes what is shown.
func (s *stage) again(key bool) {
	s.frame.expectChange()
	s.frame.drawSoon(true, key)
}

// TestGiveAway checks that another program gets the terminal only after all probes are answered, or not answered in time.
func TestGiveAway(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do   func(s *stage)
		want int
	}{
		"no probe is open":      {func(s *stage) { s.see() }, 1},
		"the answer is awaited": {func(s *stage) { s.frame.draw() }, 0},
	} {
		s, given := newStage(80, 24), 0
		row.do(s)
		s.frame.giveAway(func() { given++ })
		if given != row.want || !s.frame.lent() {
			t.Errorf("%s: given %d times at once", name, given)
		}
		s.answer()
		s.pass(patience)
		if given != 1 {
			t.Errorf("%s: given %d times", name, given)
		}
	}
	s, given := newStage(80, 24), 0
	s.frame.draw()
	s.frame.giveAway(func() { given++ })
	if s.pass(patience); given != 1 {
		t.Errorf("a terminal that does not answer: given %d times", given)
	}
}

// TestLoansInTurn checks that two programs never have the terminal at once, such as a shell and an editor.
func TestLoansInTurn(t *testing.T) {
	t.Parallel()
	s := newStage(80, 24)
	l, got := &loan{frame: s.frame}, ""
	l.giveAway(func() { got += "a" })
	l.giveAway(func() { got += "b" })
	if got != "a" {
		t.Errorf("at first %q have the terminal", got)
	}
	l.returned(nil, func() { got += "-" })
	if got != "a-b" || !s.frame.lent() || !l.released {
		t.Errorf("then %q", got)
	}
	l.returned(nil, func() { got += "-" })
	if got != "a-b-" || s.frame.lent() || l.released {
		t.Errorf("at last %q", got)
	}
}

// TestThemes checks the colours of each theme on light and dark backgrounds.
func TestThemes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		theme                        string
		background, colours, lighter bool
	}{
		{config.ThemeAuto, false, true, false},
		{config.ThemeAuto, true, true, true},
		{config.ThemeDark, true, true, false},
		{config.ThemeLight, false, true, true},
		{config.ThemePlain, false, false, false},
	} {
		f := newFrame(nil, []string{"TERM=xterm-256color"}, row.theme, nil)
		f.setBackground(row.background)
		if look := f.colours(); look.Colour != row.colours || look.Light != row.lighter {
			t.Errorf("%s, light background %v: %+v", row.theme, row.background, look)
		}
	}
}
