package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// questionModel is a question that a session asks its user.
type questionModel struct {
	ID, Session string
	// About is what is asked, and Why has a line for each further fact.
	About, Since string
	Why          []string
	// Diff is what a call would change in files.
	Diff []diffLine
	// Note says why answers are missing.
	Note    string
	Answers []answerModel
	// Control is set if the answers are buttons.
	Control bool
}

// answerModel is a possible answer. Approves describes which other calls it approves.
type answerModel struct{ Value, Title, Approves string }

// cutNote says why a question can only be refused.
const cutNote = "This question is too long to be shown here. It can only be refused here: answer it where the session runs."

// questionItems returns the questions of a session that wait for an answer.
func (s *site) questionItems(r *http.Request, row inspect.SessionRow) ([]item, error) {
	var models []*questionModel
	if row.Live != nil {
		for _, q := range row.Live.Questions {
			m := questionOf(s.reader.source.Secrets, row.ID, q)
			m.Control = s.controllable(r)
			models = append(models, cleaned(s.reader.source.Secrets, m))
		}
	}
	return items("question", models, func(m *questionModel) string { return "q-" + m.ID })
}

// questionOf returns what the page shows of a question. Control characters are named, because the user decides by these texts.
func questionOf(secrets *redact.Redactor, id string, q session.Question) *questionModel {
	m := &questionModel{ID: q.ID, Session: id, Since: clock(q.Since), About: questionText(q)}
	for _, line := range q.Why {
		m.Why = append(m.Why, oneLine(line))
	}
	if q.Changes != "" {
		// A secret may span lines.
		terminal.DiffLines(secrets.String(q.Changes), func(kind, line string) { m.Diff = append(m.Diff, diffLine{kind, plaintext.Reveal(line)}) })
	}
	if q.Cut {
		m.Note = cutNote
	}
	for _, a := range q.Answers {
		shown := answerModel{Value: a.Value, Title: oneLine(a.Title)}
		if a.Pattern != "" {
			shown.Approves = fmt.Sprintf("%s (%s)", oneLine(a.Pattern), oneLine(a.Covers))
		}
		m.Answers = append(m.Answers, shown)
	}
	return m
}

// questionText says what a question is about, as the terminal does.
func questionText(q session.Question) string {
	switch q.Kind {
	case session.QuestionPlan:
		return oneLine(q.Tool) + "\n  " + hanging(q.About)
	case session.QuestionNetwork, session.QuestionPath:
		return oneLine(q.About)
	case session.QuestionServer:
		return "MCP server " + oneLine(q.Tool) + " asks: " + hanging(q.About)
	default: // a call
		var args map[string]any
		if len(q.Arguments) > 0 && json.Unmarshal(q.Arguments, &args) == nil {
			if text, err := terminal.Call(q.Tool, args); err == nil {
				return text
			}
		}
		return strings.TrimSpace(oneLine(q.Tool) + " " + hanging(q.About))
	}
}

// hanging places the further lines of a text below the first one, so that none of them looks like a line of aura's own.
func hanging(text string) string { return strings.ReplaceAll(plaintext.Reveal(text), "\n", "\n  ") }

func oneLine(text string) string { return plaintext.Reveal(strings.ReplaceAll(text, "\n", " ")) }

// summary returns the beginning of the oldest question of a session, in a line.
func summary(live *session.Live) string {
	if len(live.Questions) == 0 {
		return ""
	}
	text := opening(questionText(live.Questions[0]))
	if more := len(live.Questions) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// answerRequest asks for an answer to a question of a session. What the terminal shows comes from the session.
func (s *site) answerRequest(id, question, value string) (controlRequest, error) {
	asked, row, err := s.openQuestion(id, question)
	if err != nil {
		return controlRequest{}, err
	}
	i := slices.IndexFunc(asked.Answers, func(a session.QuestionAnswer) bool { return a.Value == value })
	if i < 0 {
		return controlRequest{}, errors.New("the question has no such answer")
	}
	m := questionOf(s.reader.source.Secrets, id, asked)
	answer := m.Answers[i]
	about := append([]string{fmt.Sprintf("A page asks to answer a question of session %s (%s)", row.ID, row.Title), "of " + row.Workdir + ":"}, strings.Split(m.About, "\n")...)
	about = append(about, m.Why...)
	for _, line := range m.Diff {
		about = append(about, line.Text)
	}
	if m.Note != "" {
		about = append(about, m.Note)
	}
	about = append(about, "The answer is: "+answer.Title)
	if answer.Approves != "" {
		about = append(about, "It approves: "+answer.Approves)
	}
	for i, line := range about {
		about[i] = s.reader.source.Secrets.String(line)
	}
	return controlRequest{
		about: about,
		do: func(ctx context.Context) (string, error) {
			return fmt.Sprintf("question of session %s: answered (%s)", id, answer.Title), s.control.Answer(ctx, id, question, value)
		},
		moot: func() error {
			_, _, err := s.openQuestion(id, question)
			return err
		},
	}, nil
}

// openQuestion returns a question that a session asks now.
func (s *site) openQuestion(id, question string) (asked session.Question, row inspect.SessionRow, err error) {
	found, err := s.reader.session(id, func(r inspect.SessionRow, _ *session.Index) error {
		if r.Live == nil {
			return errors.New("the session does not run any more")
		}
		i := slices.IndexFunc(r.Live.Questions, func(q session.Question) bool { return q.ID == question })
		if i < 0 {
			return errors.New("the question is no longer open: it was answered, or its turn has ended")
		}
		asked, row = r.Live.Questions[i], r
		return nil
	})
	if err == nil && !found {
		err = errors.New("there is no such session")
	}
	return asked, row, err
}
