package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// permissionRequest asks the user whether a call may run.
type permissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  toolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type permissionResponse struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// The ids of the answers to a permission request.
const (
	answerOnce    = "once"
	answerSession = "session"
	answerAlways  = "always"
	answerOutside = "outside"
	answerReject  = "reject"
)

// Ask implements frontend.Asker. No answer, an unknown one, or a client that is gone means no.
func (f *front) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	args, err := event.JSON(q.Args)
	if err != nil {
		return policy.Answer{}, fmt.Errorf("asking about %s: %w", q.Tool, err)
	}
	f.mu.Lock()
	c := f.newCall(q.Tool, args)
	alone := q.Access != nil // the question is not about a call that is shown next
	if !alone {
		f.asked = append(f.asked, c)
	}
	c.refused = true
	f.show(f.described(c, callBegins, statusPending))
	asked := permissionRequest{SessionID: f.id, ToolCall: f.described(c, "", statusPending), Options: optionsFor(q)}
	asked.ToolCall.Content, _ = f.diffs(q.Changes)
	asked.ToolCall.Content = append(asked.ToolCall.Content, textContent(questionText(q, args))...)
	f.mu.Unlock()
	var answered permissionResponse
	if err := f.server.conn.call(ctx, methodPermission, asked, &answered); err != nil {
		f.mu.Lock()
		if elsewhere, ok := errors.AsType[*frontend.AnsweredError](err); ok {
			c.refused = elsewhere.Refused
		}
		if alone {
			f.endCall(c)
		}
		f.mu.Unlock()
		return policy.Answer{}, err
	}
	answer := answerOf(answered, q)
	f.mu.Lock()
	c.refused = answer.Decision == policy.Reject
	if alone {
		f.endCall(c) // no event follows
	}
	f.mu.Unlock()
	return answer, nil
}

// optionsFor returns the answers to a question. If no pattern covers the call, the user decides about this call alone.
func optionsFor(q policy.Question) []permissionOption {
	if len(q.Options) > 0 {
		return optionsIn(q)
	}
	var out []permissionOption
	if q.Offers(policy.Once) {
		out = append(out, permissionOption{ID: answerOnce, Name: "Allow once", Kind: "allow_once"})
	}
	if q.Offers(policy.Session) {
		covers := plaintext.Reveal(q.Covers)
		out = append(out,
			permissionOption{ID: answerSession, Name: "Allow in this session: " + covers, Kind: "allow_always"},
			permissionOption{ID: answerAlways, Name: "Always allow: " + covers, Kind: "allow_always"})
	}
	if q.Offers(policy.Outside) {
		out = append(out, permissionOption{ID: answerOutside, Name: policy.OutsideText, Kind: "allow_once"})
	}
	return append(out, permissionOption{ID: answerReject, Name: "Reject", Kind: "reject_once"})
}

// optionsIn returns the ways to accept a text. Their ids differ from those of all other answers.
func optionsIn(q policy.Question) []permissionOption {
	var out []permissionOption
	for i, o := range q.Options {
		out = append(out, permissionOption{ID: strconv.Itoa(i), Name: plaintext.Line(o.Title), Kind: "allow_once"})
	}
	return append(out, permissionOption{ID: answerReject, Name: "Reject", Kind: "reject_once"})
}

// questionText shows the whole call, with nothing hidden, and who asks.
func questionText(q policy.Question, args []byte) string {
	if len(q.Options) > 0 {
		return plaintext.Reveal(q.Text)
	}
	if a := q.Access; a != nil {
		lines := []string{fenced(plaintext.Reveal(a.What))}
		for _, line := range a.Why {
			lines = append(lines, plaintext.Reveal(strings.ReplaceAll(line, "\n", " ")))
		}
		return strings.Join(lines, "\n")
	}
	by := "asked by " + q.By
	if q.Rule != "" {
		by = fmt.Sprintf("rule %s of %s", q.Rule, q.By)
	}
	what := string(args)
	if command, ok := q.Args["command"].(string); ok {
		what = command
	}
	return fenced(plaintext.Reveal(q.Tool+" "+what)) + "\n" + plaintext.Reveal(strings.ReplaceAll(by, "\n", " "))
}

func answerOf(r permissionResponse, q policy.Question) policy.Answer {
	if r.Outcome.Outcome != "selected" {
		return policy.Answer{}
	}
	if i, err := strconv.Atoi(r.Outcome.OptionID); err == nil && i >= 0 && i < len(q.Options) {
		return policy.Answer{Decision: policy.Once, Option: q.Options[i].Value}
	}
	switch r.Outcome.OptionID {
	case answerOnce:
		return policy.Answer{Decision: policy.Once}
	case answerSession:
		return policy.Answer{Decision: policy.Session, Pattern: q.Pattern}
	case answerAlways:
		return policy.Answer{Decision: policy.Always, Pattern: q.Pattern}
	case answerOutside:
		return policy.Answer{Decision: policy.Outside}
	default:
		return policy.Answer{}
	}
}

// elicitation asks the user to fill in a form that belongs to a request or to a session.
type elicitation struct {
	Mode      string          `json:"mode"`
	RequestID json.RawMessage `json:"requestId,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Message   string          `json:"message"`
	Schema    any             `json:"requestedSchema"`
}

// choose asks the user to choose, by a form with one field.
func (s *server) choose(ctx context.Context, id json.RawMessage, about string, choices []Choice) (string, error) {
	var values []map[string]string
	for _, c := range choices {
		values = append(values, map[string]string{"const": c.Key, "title": plaintext.Line(c.Text)})
	}
	field := map[string]any{"type": "string", "title": "Answer", "oneOf": values}
	asked := elicitation{Mode: "form", RequestID: id, Message: plaintext.Reveal(about), Schema: map[string]any{
		"type": "object", "properties": map[string]any{"answer": field}, "required": []string{"answer"},
	}}
	var answered struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if err := s.conn.call(ctx, methodElicit, asked, &answered); err != nil {
		return "", err
	}
	key, _ := answered.Content["answer"].(string)
	if answered.Action != "accept" {
		return "", nil
	}
	return key, nil
}
