package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// accept asks the user whether to accept a text, and how.
func (a attended) accept(ctx context.Context, q policy.Question) (policy.Answer, error) {
	defer a.hold()()
	look := a.screen.ErrLook()
	question := look.Paint(terminal.Strong, "? "+plaintext.Line(q.Tool)+"\n") + terminal.Rendered(look, plaintext.Reveal(q.Text))
	var choices strings.Builder
	for i, o := range q.Options {
		fmt.Fprintf(&choices, " [%d] %s,", i+1, plaintext.Line(o.Title))
	}
	line, err := a.reply(ctx, question+look.Paint(terminal.Plain, "  accept it?"+choices.String()+" [N]o, n REASON: "))
	if err != nil {
		return policy.Answer{}, err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(q.Options) {
		return policy.Answer{Decision: policy.Once, Option: q.Options[n-1].Value}, nil
	}
	return policy.Answer{Reason: replied(line).rest}, nil
}
