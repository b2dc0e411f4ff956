package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// refusal is what the user types instead of a value to decline a question.
const refusal = "/no"

// Inquire implements frontend.Inquirer.
func (a attended) Inquire(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error) {
	defer a.hold()()
	look := a.screen.ErrLook()
	question := look.Paint(terminal.Strong, "? MCP server "+plaintext.Line(q.Server)+" asks: "+indent(plaintext.Reveal(q.Message))+"\n")
	if q.URL != "" {
		question += look.Paint(terminal.Plain, "  to open in a browser: "+plaintext.Line(q.URL)+"\n  do you open it? [y]es, [N]o: ")
		line, err := a.reply(ctx, question)
		return "", isYes(line), err
	}
	for i, o := range q.Options {
		question += look.Paint(terminal.Plain, fmt.Sprintf("  %d  %s\n", i+1, plaintext.Line(o.Title)))
	}
	question += look.Paint(terminal.Plain, "  "+valueAsked(q))
	for {
		line, err := a.reply(ctx, question)
		if err != nil {
			return "", false, err
		}
		text, ok, err := valueOf(q, strings.TrimSpace(line))
		if err == nil {
			return text, ok, nil
		}
		question = a.plain(fmt.Sprintf("  ! %s\n  %s", plaintext.Line(err.Error()), valueAsked(q)))
	}
}

// valueAsked asks for a value.
func valueAsked(q mcp.Inquiry) string {
	text := plaintext.Line(q.Field)
	switch {
	case q.Default != "":
		text += " [" + plaintext.Line(q.Default) + "]"
	case q.Optional:
		text += " (empty skips it)"
	}
	return text + ", or " + refusal + ": "
}

// valueOf returns the value that a line stands for. An empty line is the default. The end of the input also is an empty line, so it declines
// where a value is needed and there is none.
func valueOf(q mcp.Inquiry, line string) (text string, ok bool, err error) {
	if line == refusal || line == "" && q.Default == "" && !q.Optional {
		return "", false, nil
	}
	if line == "" {
		line = q.Default
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Options) {
		line = q.Options[n-1].Value
	}
	if len(q.Options) > 0 && line != "" && !slices.ContainsFunc(q.Options, func(o mcp.Option) bool { return o.Value == line }) {
		return "", false, fmt.Errorf("choose one of 1-%d", len(q.Options))
	}
	if q.Check != nil {
		err = q.Check(line)
	}
	return line, err == nil, err
}
