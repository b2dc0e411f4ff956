package llmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
)

// NewAnthropic starts a server for Anthropic's messages protocol.
func NewAnthropic(tb testing.TB, replies ...Reply) *Server {
	tb.Helper()
	return start(tb, anthropic{}, "", replies)
}

type anthropic struct{}

func (anthropic) path(path string) bool { return path == "/v1/messages" }

func (anthropic) refusal(message string) string {
	return encode(object{"type": "error", "error": object{"type": "invalid_request_error", "message": message}})
}

func (anthropic) failure(body string) string { return "event: error\ndata: " + body + "\n\n" }

// Signature returns the server's signature for thinking. The server rejects thinking with another signature.
func Signature(thinking string) string {
	sum := sha256.Sum256([]byte(thinking))
	return "sig-" + hex.EncodeToString(sum[:8])
}

// stream collects the events of content blocks.
type stream struct {
	events []string
	blocks int
}

func (s *stream) event(kind string, fields object) {
	fields["type"] = kind
	s.events = append(s.events, "event: "+kind+"\ndata: "+encode(fields)+"\n\n")
}

// block adds the events of a content block: start, deltas and stop.
func (s *stream) block(beginning object, deltas ...object) {
	s.event("content_block_start", object{"index": s.blocks, "content_block": beginning})
	for _, delta := range deltas {
		s.event("content_block_delta", object{"index": s.blocks, "delta": delta})
	}
	s.event("content_block_stop", object{"index": s.blocks})
	s.blocks++
}

// deltas splits a text into delta objects.
func deltas(kind, field, text string) []object {
	var out []object
	for _, piece := range pieces(text) {
		out = append(out, object{"type": kind, field: piece})
	}
	return out
}

func (r anthropicRequest) events(n int, reply Reply) (said, end []string) {
	usage, s := reply.usage(), &stream{}
	s.event("message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": r.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{
			"input_tokens": usage.Input - usage.CacheRead - usage.CacheWrite, "output_tokens": 1,
			"cache_read_input_tokens": usage.CacheRead, "cache_creation_input_tokens": usage.CacheWrite,
		},
	}})
	s.event("ping", object{})
	if reply.Thinking != "" {
		signed := object{"type": "signature_delta", "signature": Signature(reply.Thinking)}
		s.block(object{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", reply.Thinking), signed)...)
	}
	if reply.Redacted != "" {
		s.block(object{"type": "redacted_thinking", "data": reply.Redacted})
	}
	if reply.Usage.Searches > 0 {
		s.search(reply)
	}
	if reply.Text != "" {
		s.block(object{"type": "text", "text": ""}, deltas("text_delta", "text", reply.Text)...)
	}
	for _, call := range reply.ToolCalls {
		s.block(object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}},
			deltas("input_json_delta", "partial_json", call.Arguments)...)
	}
	said, s.events = s.events, nil
	s.event("message_delta", object{
		"delta": object{"stop_reason": reply.stop("end_turn", "tool_use"), "stop_sequence": nil}, "usage": object{"output_tokens": usage.Output, "server_tool_use": object{"web_search_requests": usage.Searches}},
	})
	s.event("message_stop", object{})
	return said, s.events
}

func (r anthropicRequest) tools() []tool {
	if r.ToolChoice != nil && r.ToolChoice.Type == "none" {
		return nil
	}
	return r.defined()
}

func (r anthropicRequest) defined() []tool {
	var out []tool
	for _, t := range r.Tools {
		if t.Type == "" {
			out = append(out, tool{t.Name, t.InputSchema})
		}
	}
	return out
}

func (r anthropicRequest) searches() int {
	for _, t := range r.Tools {
		switch {
		case t.Type != "" && t.MaxUses != nil:
			return *t.MaxUses
		case t.Type != "":
			return -1
		}
	}
	return 0
}

// search adds the blocks of a search, which come before the text.
func (s *stream) search(reply Reply) {
	id := fmt.Sprintf("srvtoolu_%d", s.blocks)
	s.block(object{"type": "server_tool_use", "id": id, "name": "web_search", "input": object{}},
		deltas("input_json_delta", "partial_json", `{"query":"words"}`)...)
	var content any = object{"type": "web_search_tool_result_error", "error_code": reply.SearchError}
	if reply.SearchError == "" {
		pages := []object{}
		for _, f := range reply.Found {
			pages = append(pages, object{"type": "web_search_result", "title": f.Title, "url": f.URL, "encrypted_content": "x", "page_age": nil})
		}
		content = pages
	}
	s.block(object{"type": "web_search_tool_result", "tool_use_id": id, "content": content})
}

func (r anthropicRequest) lines() []string {
	var out []string
	if system, err := blocks(r.System); err == nil {
		for _, b := range system {
			out = append(out, "system: "+textOf(b.Text))
		}
	}
	for _, m := range r.Messages {
		content, err := blocks(m.Content)
		if err != nil {
			continue
		}
		for _, b := range content {
			out = append(out, b.line(m.Role))
		}
	}
	return out
}

func (b anthropicBlock) line(role string) string {
	switch b.Type {
	case "thinking":
		return "thinking: " + b.Thinking
	case "redacted_thinking":
		return "redacted: " + b.Data
	case "tool_use":
		return fmt.Sprintf("call %s: %s %s", b.ID, b.Name, b.Input)
	case "tool_result":
		text := ""
		if content, err := blocks(b.Content); err == nil && len(content) > 0 {
			text = textOf(content[0].Text)
		}
		return fmt.Sprintf("result %s: %s", b.ToolUseID, text)
	case "image", "document":
		return mediaLine(b.Source.MediaType, b.Source.Data)
	default:
		return role + ": " + textOf(b.Text)
	}
}
