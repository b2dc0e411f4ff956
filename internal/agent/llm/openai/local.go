package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/rest"
)

// show describes a model with Ollama's own protocol.
func (p protocol) show(ctx context.Context, c rest.Client, name string) (llm.Model, error) {
	var said struct {
		Capabilities []string                   `json:"capabilities"`
		Parameters   string                     `json:"parameters"`
		Info         map[string]json.RawMessage `json:"model_info"`
		Details      struct {
			Family string `json:"family"`
		} `json:"details"`
		Thinking struct {
			Values []any `json:"values"`
		} `json:"thinking"`
	}
	if err := p.ask(ctx, c, http.MethodPost, "/api/show", map[string]string{"model": name}, &said); err != nil {
		return llm.Model{}, err
	}
	m := llm.Model{Name: name, Family: said.Details.Family, ParameterCount: int64(number(said.Info["general.parameter_count"]))}
	var architecture string
	lenient(string(said.Info["general.architecture"]), &architecture)
	m.ContextLength = cmp.Or(parameter(said.Parameters, "num_ctx"), number(said.Info[architecture+".context_length"]))
	for _, capability := range said.Capabilities {
		// Every model has these capabilities, so they are omitted.
		if capability != "completion" && capability != "insert" {
			m.Capabilities = append(m.Capabilities, capability)
		}
	}
	for _, value := range said.Thinking.Values {
		if _, level := value.(string); level {
			m.Capabilities = append(m.Capabilities, catalog.ThinkingLevels)
			break
		}
	}
	return m, nil
}

// props describes the model that a llama.cpp server has loaded.
func (p protocol) props(ctx context.Context, c rest.Client, name string) (llm.Model, error) {
	var said struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
			Audio  bool `json:"audio"`
		} `json:"modalities"`
	}
	if err := p.ask(ctx, c, http.MethodGet, "/props", nil, &said); err != nil {
		return llm.Model{}, err
	}
	m := catalog.Known(name)
	m.ContextLength, m.Capabilities = said.Settings.Context, []string{catalog.Tools}
	if said.Modalities.Vision {
		m.Capabilities = append(m.Capabilities, catalog.Vision)
	}
	if said.Modalities.Audio {
		m.Capabilities = append(m.Capabilities, catalog.Audio)
	}
	return m, nil
}

// ask makes a request outside the chat completions protocol. The path is relative to the root of the server.
func (p protocol) ask(ctx context.Context, c rest.Client, method, path string, send, into any) error {
	var text json.RawMessage
	if err := c.JSON(ctx, method, strings.TrimSuffix(p.address, "/v1")+path, send, &text); err != nil {
		return err
	}
	lenient(string(text), into)
	return nil
}

// lenient parses JSON as far as possible and ignores errors: values of an unexpected type are left unset.
func lenient(text string, into any) { _ = json.Unmarshal([]byte(text), into) }

func number(raw json.RawMessage) int {
	var n float64
	lenient(string(raw), &n)
	return int(n)
}

// parameter returns the value of name in lines of the form "name value". It returns 0 if there is none.
func parameter(lines, name string) int {
	for line := range strings.Lines(lines) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == name {
			if n, err := strconv.Atoi(fields[1]); err == nil {
				return n
			}
		}
	}
	return 0
}
