package openai

import (
	"encoding/json"
	"io"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/sdk"
)

// The types of this file are the part of the responses protocol that a search needs. Chat completions cannot search.

type searchBody struct {
	Model           string       `json:"model"`
	Instructions    string       `json:"instructions,omitempty"`
	Input           []searchText `json:"input"`
	Tools           []searchTool `json:"tools"`
	MaxToolCalls    int          `json:"max_tool_calls"`
	MaxOutputTokens int          `json:"max_output_tokens,omitempty"`
	Stream          bool         `json:"stream"`
	// Store would let the service keep the answer.
	Store bool `json:"store"`
}

type searchText struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type searchTool struct {
	Type string `json:"type"`
}

// searchEvent is an event of an answer. Its type decides which of the other fields are set.
type searchEvent struct {
	Type       string     `json:"type"`
	Delta      string     `json:"delta"`
	Annotation annotation `json:"annotation"`
	Item       struct {
		Type   string `json:"type"`
		Action struct {
			Type string `json:"type"`
		} `json:"action"`
		Content []struct {
			Annotations []annotation `json:"annotations"`
		} `json:"content"`
	} `json:"item"`
	Response json.RawMessage `json:"response"`
}

type annotation struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// searchEnd is the response of the last event.
type searchEnd struct {
	Usage struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Details struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

func searchRequest(system string, req llm.Request) searchBody {
	out := searchBody{
		Model: req.Model, Instructions: system, Tools: []searchTool{{Type: "web_search"}}, MaxToolCalls: req.Search, Stream: true,
	}
	for _, m := range req.Messages {
		out.Input = append(out.Input, searchText{Role: string(m.Role), Content: m.Content})
	}
	if most := req.Generation.MaxOutputTokens; most != nil {
		out.MaxOutputTokens = *most
	}
	return out
}

// readSearch reads an event of the responses protocol.
func (r *reader) readSearch(data []byte) error {
	var e searchEvent
	if err := rest.Decode(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		r.Text(e.Delta)
	case "response.output_text.annotation.added":
		r.cite(e.Annotation)
	case "response.output_item.done":
		// Opening a page that was found is no search.
		if e.Item.Type == "web_search_call" && (e.Item.Action.Type == "" || e.Item.Action.Type == "search") {
			r.Usage.Searches++
		}
		for _, part := range e.Item.Content {
			for _, a := range part.Annotations {
				r.cite(a)
			}
		}
	case "response.completed", "response.incomplete":
		return r.endSearch(e.Response)
	case "response.failed":
		return classify.Event(e.Response)
	}
	return nil
}

func (r *reader) cite(a annotation) {
	if a.Type == "url_citation" {
		r.Find(a.Title, a.URL)
	}
}

func (r *reader) endSearch(response json.RawMessage) error {
	var last searchEnd
	if err := rest.Decode(response, &last); err != nil {
		return err
	}
	u := last.Usage
	r.Usage.Input, r.Usage.Output, r.Usage.CacheRead = u.Input, u.Output, u.Details.Cached
	switch last.Incomplete.Reason {
	case "":
		r.End = &backend.End{}
	case "content_filter":
		r.End = &backend.End{Failure: &llm.Error{Type: sdk.ErrorTypeContentFilter, Message: "the service's filter stopped the answer"}}
	default:
		r.End = &backend.End{StopReason: llm.StopLength}
	}
	return io.EOF
}
