package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// Activity describes what aura is waiting for.
type Activity struct {
	// What is the kind of activity, such as "model" or "tool". Name is the name of the model or tool.
	What, Name string
	// Tokens is the approximate number of tokens received so far, or 0 if it is unknown.
	Tokens int
	// Tail is the text that was received and is not otherwise shown yet.
	Tail string
}

func (a Activity) same(b Activity) bool { return a.What == b.What && a.Name == b.Name }

// Line returns the live line, in at most width columns. On a narrow terminal, the tail is dropped first, and then the end of the
// rest.
func (a Activity) Line(elapsed time.Duration, width int) string {
	if width < 1 {
		return ""
	}
	parts := []string{strings.TrimSpace(a.What + " " + a.Name), seconds(elapsed)}
	if a.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("~%d tokens", a.Tokens))
	}
	text := Fit(strings.Join(parts, ", "), width)
	room := width - Width(text) - 2
	if tail := plaintext.OneLine(plaintext.Show(a.Tail)); tail != "" && room >= narrowest {
		text += "  " + last(tail, room)
	}
	return text
}

// last returns the end of a text, in at most width columns.
func last(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	runes := []rune(text)
	// Every rune takes at least one column, except for combining marks, so the end has at most width runes.
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
