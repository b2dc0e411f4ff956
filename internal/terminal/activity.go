package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/plaintext"
)

// Activity is what is being waited for.
type Activity struct {
	// What is the kind of it, such as "model" or "tool", and Name which one.
	What, Name string
	// Tokens is how many have come so far, about; 0 if that is not known.
	Tokens int
	// Tail is the text that has come and is not shown otherwise yet.
	Tail string
}

func (a Activity) same(b Activity) bool { return a.What == b.What && a.Name == b.Name }

// line is the live line, in at most width columns. On a narrow terminal the tail goes first, and then the end of the rest.
func (a Activity) line(elapsed time.Duration, width int) string {
	if width < 1 {
		return ""
	}
	parts := []string{strings.TrimSpace(a.What + " " + a.Name), seconds(elapsed)}
	if a.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("~%d tokens", a.Tokens))
	}
	text := Fit(strings.Join(parts, ", "), width)
	room := width - Width(text) - 2
	if tail := oneLine(plaintext.Show(a.Tail)); tail != "" && room >= narrowest {
		text += "  " + last(tail, room)
	}
	return text
}

// last is the end of a text, in at most width columns.
func last(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	runes := []rune(text)
	// A character has at least one byte per column, so the end is not longer than this many of them but for marks without width.
	runes = runes[max(0, len(runes)-width):]
	for len(runes) > 0 && Width(string(runes)) > width-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
