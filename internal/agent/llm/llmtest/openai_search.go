package llmtest

import (
	"fmt"
	"strings"
)

// searchPath is the path of the responses protocol, of which the server knows what a search needs.
const searchPath = "/v1/responses"

// openAISearch holds the fields that the server accepts in a request for a response.
type openAISearch struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Input        []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"input"`
	Tools []struct {
		Type string `json:"type"`
	} `json:"tools"`
	MaxToolCalls    *int  `json:"max_tool_calls"`
	MaxOutputTokens *int  `json:"max_output_tokens"`
	Stream          bool  `json:"stream"`
	Store           *bool `json:"store"`
}

func (r openAISearch) check(req Request) error {
	err := first(
		want(strings.HasPrefix(req.Header.Get("Content-Type"), "application/json"), "the content type must be application/json"),
		lowerCase(req.Body),
		want(r.Model != "", "you must provide a model parameter"),
		want(r.Stream, "stream: only streams are served here"),
		want(r.Store != nil && !*r.Store, "store: aura lets the service keep nothing"),
		want(len(r.Input) > 0, "input: [] is too short"),
		want(len(r.Tools) == 1 && r.Tools[0].Type == "web_search", "tools: only one of type web_search is served here"),
		want(r.MaxToolCalls == nil || *r.MaxToolCalls > 0, "max_tool_calls: must be positive"),
		want(r.MaxOutputTokens == nil || *r.MaxOutputTokens >= 16, "max_output_tokens: must be at least 16"),
	)
	for i, m := range r.Input {
		err = first(err, want(m.Role == "user" && !blank(m.Content), "input[%d]: a message of role %q with the content %q", i, m.Role, m.Content))
	}
	return err
}

func (r openAISearch) lines() []string {
	var out []string
	if r.Instructions != "" {
		out = append(out, "system: "+r.Instructions)
	}
	for _, m := range r.Input {
		out = append(out, m.Role+": "+m.Content)
	}
	return out
}

func (openAISearch) tools() []tool { return nil }

func (r openAISearch) searches() int {
	if r.MaxToolCalls == nil {
		return -1
	}
	return *r.MaxToolCalls
}

func (r openAISearch) events(n int, reply Reply) (said, end []string) {
	sequence := 0
	event := func(kind string, fields object) string {
		fields["type"], fields["sequence_number"] = kind, sequence
		sequence++
		return "event: " + kind + "\ndata: " + encode(fields) + "\n\n"
	}
	response := object{"id": fmt.Sprintf("resp_%d", n), "object": "response", "model": r.Model, "status": "in_progress", "error": nil}
	said = append(said, event("response.created", object{"response": response}), event("response.in_progress", object{"response": response}))
	for i := range reply.Usage.Searches {
		call := object{"type": "web_search_call", "id": fmt.Sprintf("ws_%d", i), "status": "completed", "action": object{"type": "search", "query": "words"}}
		said = append(said, event("response.web_search_call.completed", object{"output_index": i}), event("response.output_item.done", object{"item": call}))
	}
	opened := object{"type": "web_search_call", "id": "ws_page", "status": "completed", "action": object{"type": "open_page"}}
	said = append(said, event("response.output_item.done", object{"item": opened}))
	for _, piece := range pieces(reply.Text) {
		said = append(said, event("response.output_text.delta", object{"delta": piece}))
	}
	annotations := []object{}
	for _, f := range reply.Found {
		annotations = append(annotations, object{"type": "url_citation", "title": f.Title, "url": f.URL, "start_index": 0, "end_index": 1})
		said = append(said, event("response.output_text.annotation.added", object{"annotation": annotations[len(annotations)-1]}))
	}
	content := []object{{"type": "output_text", "text": reply.Text, "annotations": annotations}}
	said = append(said, event("response.output_item.done", object{"item": object{"type": "message", "role": "assistant", "content": content}}))
	usage := reply.usage()
	kind, status, details := "response.completed", "completed", any(nil)
	if reply.Stop != "" {
		kind, status, details = "response.incomplete", "incomplete", object{"reason": reply.Stop}
	}
	last := object{
		"id": response["id"], "object": "response", "status": status, "error": nil, "incomplete_details": details, "usage": object{
			"input_tokens": usage.Input, "output_tokens": usage.Output, "input_tokens_details": object{"cached_tokens": usage.CacheRead},
		},
	}
	return said, []string{event(kind, object{"response": last})}
}
