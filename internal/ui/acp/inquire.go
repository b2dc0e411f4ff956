package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// maxCorrections is how often the user can correct a value in a form.
const maxCorrections = 5

// Inquire implements frontend.Inquirer. A choice is a permission request, which each client has. A text needs a client with forms; without
// them, the error is mcp.ErrNoText.
func (f *front) Inquire(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error) {
	switch {
	case q.URL != "":
		i, err := f.permit(ctx, q, []mcp.Option{{Title: "I open it"}})
		return "", i == 0, err
	case f.server.client.forms():
		return f.complete(ctx, q)
	case len(q.Options) == 0:
		return "", false, mcp.ErrNoText
	}
	options := q.Options
	if q.Optional {
		options = append(append([]mcp.Option{}, options...), mcp.Option{Title: "Skip"})
	}
	i, err := f.permit(ctx, q, options)
	if err != nil || i < 0 {
		return "", false, err
	}
	return options[i].Value, true, nil
}

// permit asks for one of several answers by a permission request. It returns -1 if the user declines or does not answer.
func (f *front) permit(ctx context.Context, q mcp.Inquiry, options []mcp.Option) (int, error) {
	args, err := json.Marshal(map[string]string{"server": q.Server})
	if err != nil {
		return -1, fmt.Errorf("asking for MCP server %q: %w", q.Server, err)
	}
	f.mu.Lock()
	c := f.newCall("MCP server "+plaintext.Line(q.Server)+" asks", args)
	c.refused = true
	f.show(f.described(c, callBegins, statusPending))
	asked := permissionRequest{SessionID: f.id, ToolCall: f.described(c, "", statusPending)}
	asked.ToolCall.Content = textContent(inquiryText(q))
	f.mu.Unlock()
	for i, o := range options {
		asked.Options = append(asked.Options, permissionOption{ID: strconv.Itoa(i), Name: plaintext.Line(o.Title), Kind: "allow_once"})
	}
	asked.Options = append(asked.Options, permissionOption{ID: answerReject, Name: "Decline", Kind: "reject_once"})
	var answered permissionResponse
	err = f.server.conn.call(ctx, methodPermission, asked, &answered)
	i, failed := strconv.Atoi(answered.Outcome.OptionID)
	if err != nil || failed != nil || answered.Outcome.Outcome != "selected" || i < 0 || i >= len(options) {
		i = -1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c.refused = i < 0
	if elsewhere, ok := errors.AsType[*frontend.AnsweredError](err); ok {
		c.refused = elsewhere.Refused
	}
	f.endCall(c) // no event follows
	return i, err
}

// inquiryText shows what the server wants, with nothing hidden.
func inquiryText(q mcp.Inquiry) string {
	what := q.Field
	if q.URL != "" {
		what = "to open in a browser: " + q.URL
	}
	return fenced(plaintext.Reveal(q.Message)) + "\n" + fenced(plaintext.Reveal(what))
}

// complete asks for a value by a form with one field. The user can correct a value that the server does not accept.
func (f *front) complete(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error) {
	field := map[string]any{"type": "string", "title": plaintext.Line(q.Field)}
	var values []map[string]string
	for _, o := range q.Options {
		values = append(values, map[string]string{"const": o.Value, "title": plaintext.Line(o.Title)})
	}
	if len(values) > 0 {
		field["oneOf"] = values
	}
	if q.Default != "" {
		field["default"] = q.Default
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"answer": field}}
	if !q.Optional {
		schema["required"] = []string{"answer"}
	}
	message := fmt.Sprintf("MCP server %s asks: %s", plaintext.Line(q.Server), plaintext.Reveal(q.Message))
	for range maxCorrections {
		text, ok, err = f.submitted(ctx, elicitation{Mode: "form", SessionID: f.id, Message: message, Schema: schema})
		if err != nil || !ok {
			return "", false, err
		}
		if text == "" {
			text = q.Default
		}
		if q.Check == nil {
			return text, true, nil
		}
		fault := q.Check(text)
		if fault == nil {
			return text, true, nil
		}
		message = plaintext.Line(fault.Error())
	}
	return "", false, nil
}

// submitted shows a form and returns its value.
func (f *front) submitted(ctx context.Context, form elicitation) (text string, ok bool, err error) {
	var answered struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if err := f.server.conn.call(ctx, methodElicit, form, &answered); err != nil {
		return "", false, err
	}
	text, _ = answered.Content["answer"].(string)
	return text, answered.Action == "accept", nil
}
