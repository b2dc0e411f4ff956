package tui

import (
	"strconv"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// accepting returns the choices of a question whether to accept a text.
func accepting(q policy.Question) []choice {
	var out []choice
	for i, o := range q.Options[:min(len(q.Options), maxKeys)] {
		out = append(out, choice{key: strconv.Itoa(i + 1), text: plaintext.Line(o.Title)})
	}
	return append(out, refusing()...)
}

// refusing returns the choices that say no.
func refusing() []choice {
	return []choice{{key: keyNo, text: "no"}, {key: "r", text: "no, with a reason", field: "Reason for the model"}}
}

// proposed returns the text of the question, painted when it is printed.
func proposed(look *terminal.Look, q policy.Question) func() terminal.Styled {
	return func() terminal.Styled {
		return "\n" + look.Paint(terminal.Strong, "? "+plaintext.Line(q.Tool)) + "\n" + terminal.Rendered(*look, plaintext.Reveal(q.Text))
	}
}

// optionOf returns the answer of a key that stands for an option.
func optionOf(q policy.Question, r reply) (policy.Answer, bool) {
	n, err := strconv.Atoi(r.key)
	if err != nil || n < 1 || n > len(q.Options) {
		return policy.Answer{}, false
	}
	return policy.Answer{Decision: policy.Once, Option: q.Options[n-1].Value}, true
}
