package app

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/redact"
)

// reportedText is how many bytes the texts of a question may have together, and reportedLines how many lines. What is longer is cut, and can only
// be refused from outside, because nobody can agree to what is not shown.
const (
	reportedText  = 16 << 10
	reportedLines = 200
)

// The values of answers beside decisions. Options have the values 1, 2 and so on.
const (
	valueRefuse = "no"
	valueOpened = "opened"
	valueSkip   = "skip"
)

// reportCall describes a question about a call, an access or a plan for other processes.
func reportCall(q policy.Question) session.Question {
	out := session.Question{Kind: session.QuestionCall, Tool: q.Tool}
	switch {
	case len(q.Options) > 0:
		out.Kind, out.About = session.QuestionPlan, q.Text
		for i, o := range q.Options {
			out.Answers = append(out.Answers, session.QuestionAnswer{Value: strconv.Itoa(i + 1), Title: o.Title})
		}
		return withNo(out, "no")
	case q.Access != nil:
		out.Kind, out.About, out.Why = session.QuestionPath, q.Access.What, q.Access.Why
		if q.About.Host != "" {
			out.Kind = session.QuestionNetwork
		}
	default:
		out.Why = []string{"required by the tool itself: " + q.By}
		if q.Rule != "" {
			out.Why = []string{"required by rule " + strconv.Quote(q.Rule) + " of " + q.By}
		}
		if out.Changes = q.Changes; q.Changes != "" {
			out.About = event.Subject(q.Args)
		} else {
			out.Arguments = callArguments(q)
		}
	}
	for _, d := range []struct {
		policy.Decision
		title string
	}{{policy.Once, "once"}, {policy.Session, "this session"}, {policy.Always, "always"}, {policy.Outside, policy.OutsideText}} {
		if !q.Offers(d.Decision) {
			continue
		}
		a := session.QuestionAnswer{Value: d.String(), Title: d.title}
		if d.Decision == policy.Session || d.Decision == policy.Always {
			a.Pattern, a.Covers = q.Pattern, q.Covers
		}
		out.Answers = append(out.Answers, a)
	}
	return withNo(out, "no")
}

// callArguments returns the arguments of a call. Arguments that cannot be encoded cannot be called either.
func callArguments(q policy.Question) []byte {
	raw, err := event.JSON(q.Args)
	if err != nil {
		return []byte("{}")
	}
	return raw
}

func withNo(q session.Question, title string) session.Question {
	q.Answers = append(q.Answers, session.QuestionAnswer{Value: valueRefuse, Title: title})
	return q
}

// answerCall returns the answer with a value that reportCall gave.
func answerCall(q policy.Question, value string) policy.Answer {
	out := policy.Answer{Via: answeredBy}
	if n, err := strconv.Atoi(value); err == nil && n >= 1 && n <= len(q.Options) {
		out.Decision, out.Option = policy.Once, q.Options[n-1].Value
		return out
	}
	for _, d := range []policy.Decision{policy.Once, policy.Session, policy.Always, policy.Outside} {
		if d.String() == value && len(q.Options) == 0 {
			out.Decision = d
		}
	}
	if out.Decision == policy.Session || out.Decision == policy.Always {
		out.Pattern = q.Pattern
	}
	return out
}

// reportInquiry describes a question of an MCP server for other processes. A text is typed in the session alone.
func reportInquiry(q mcp.Inquiry) session.Question {
	out := session.Question{Kind: session.QuestionServer, Tool: q.Server, About: q.Message, Why: []string{q.Field}}
	if q.URL != "" {
		out.Why = []string{"to open in a browser: " + q.URL}
		out.Answers = append(out.Answers, session.QuestionAnswer{Value: valueOpened, Title: "I open it"})
	}
	for i, o := range q.Options {
		out.Answers = append(out.Answers, session.QuestionAnswer{Value: strconv.Itoa(i + 1), Title: o.Title})
	}
	if q.Optional {
		out.Answers = append(out.Answers, session.QuestionAnswer{Value: valueSkip, Title: "skip"})
	}
	return withNo(out, "decline")
}

// answerInquiry returns the answer with a value that reportInquiry gave.
func answerInquiry(q mcp.Inquiry, value string) (text string, ok bool) {
	if n, err := strconv.Atoi(value); err == nil && n >= 1 && n <= len(q.Options) {
		return q.Options[n-1].Value, true
	}
	return "", value == valueOpened && q.URL != "" || value == valueSkip && q.Optional
}

// hidden returns a question without secrets, and cut if it is too long.
func hidden(q session.Question, secrets *redact.Redactor) session.Question {
	size, lines := 0, 0
	hide := func(text string) string {
		text = secrets.String(text)
		size, lines = size+len(text), lines+strings.Count(text, "\n")
		return text
	}
	q.Tool, q.About, q.Changes, q.Why, q.Answers = hide(q.Tool), hide(q.About), hide(q.Changes), slices.Clone(q.Why), slices.Clone(q.Answers)
	if q.Arguments != nil {
		q.Arguments = secrets.JSON(q.Arguments)
		size, lines = size+len(q.Arguments), lines+strings.Count(string(q.Arguments), `\n`)
	}
	for i, line := range q.Why {
		q.Why[i] = hide(line)
	}
	for i, a := range q.Answers {
		q.Answers[i].Title, q.Answers[i].Pattern, q.Answers[i].Covers = hide(a.Title), hide(a.Pattern), hide(a.Covers)
	}
	if size <= reportedText && lines <= reportedLines {
		return q
	}
	return cut(q)
}

// cut returns the beginning of a question that is too long, which can only be refused.
func cut(q session.Question) session.Question {
	text := q.About
	if q.Arguments != nil {
		text = string(q.Arguments)
	}
	begin := func(text string, size int) string { return strings.ToValidUTF8(text[:min(len(text), size)], "") }
	q.Cut, q.Arguments, q.Changes, q.Why = true, nil, "", nil
	q.Tool, q.About = begin(q.Tool, reportedText/8), begin(text, reportedText/8)
	q.Answers = q.Answers[len(q.Answers)-1:]
	return q
}
