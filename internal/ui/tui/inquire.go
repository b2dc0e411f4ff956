package tui

import (
	"context"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// The keys of the answers to a question of an MCP server. Options have the keys 1 to maxKeys.
const (
	keyAnswer = "a"
	keyOpened = "y"
	keySkip   = "s"
	keyNo     = "n"
	maxKeys   = 9
)

// Inquire implements frontend.Inquirer.
func (u *UI) Inquire(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error) {
	about, by := inquiry(q)
	r, err := u.ask(ctx, asked(u.frame.colours(), about, by, ""), "Answer?", answersTo(q))
	if err != nil {
		return "", false, err
	}
	text, ok = inquired(q, r)
	return text, ok, nil
}

// Inquire implements frontend.Inquirer.
func (p *Plain) Inquire(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error) {
	about, by := inquiry(q)
	p.label("Question", about+"\n"+by)
	r, err := p.ask(ctx, answersTo(q))
	if err != nil {
		return "", false, err
	}
	text, ok = inquired(q, r)
	return text, ok, nil
}

// inquiry returns what a question is about, and the value or the URL that it asks for.
func inquiry(q mcp.Inquiry) (about, by string) {
	about = "MCP server " + plaintext.Line(q.Server) + " asks: " + plaintext.Reveal(q.Message)
	if q.URL != "" {
		return about, "to open in a browser: " + plaintext.Line(q.URL)
	}
	return about, plaintext.Line(q.Field)
}

// answersTo returns the answers to a question.
func answersTo(q mcp.Inquiry) []choice {
	var out []choice
	switch {
	case q.URL != "":
		out = append(out, choice{key: keyOpened, text: "I open it"})
	case len(q.Options) > 0 && len(q.Options) <= maxKeys:
		for i, o := range q.Options {
			out = append(out, choice{key: strconv.Itoa(i + 1), text: plaintext.Line(o.Title)})
		}
	default:
		out = append(out, choice{key: keyAnswer, text: "answer", field: fieldOf(q), initial: q.Default, check: q.Check})
	}
	if q.Optional {
		out = append(out, choice{key: keySkip, text: "skip"})
	}
	return append(out, choice{key: keyNo, text: "decline"})
}

// fieldOf returns the label of the text, with the values if there are more than keys.
func fieldOf(q mcp.Inquiry) string {
	label := plaintext.Line(q.Field)
	var values []string
	for _, o := range q.Options {
		values = append(values, plaintext.Line(o.Value))
	}
	if len(values) > 0 {
		label += " (" + strings.Join(values, ", ") + ")"
	}
	return label
}

// inquired converts a reply. No reply means no.
func inquired(q mcp.Inquiry, r reply) (text string, ok bool) {
	if n, err := strconv.Atoi(r.key); err == nil && n >= 1 && n <= len(q.Options) {
		return q.Options[n-1].Value, true
	}
	switch r.key {
	case keyAnswer, keyOpened:
		return r.text, true
	case keySkip:
		return "", true
	default:
		return "", false
	}
}
