//go:build linux

package process

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

const steering = `package steer

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	text := "Steered by a plugin."
	return sdk.Result{Request: &sdk.RequestModification{AppendSystem: &text}}, nil
}

func AfterToolExecution(_ context.Context, _ sdk.AfterToolContext) (sdk.Result, error) {
	text := "what the plugin made of it"
	return sdk.Result{Output: &text}, nil
}
`

// TestProviders holds a conversation with each kind of service over its own protocol: a failure that passes, a tool call, an
// answer. The servers reject what the real services reject.
func TestProviders(t *testing.T) {
	t.Parallel()
	for kind, serve := range map[string]func(testing.TB, ...llmtest.Reply) *llmtest.Server{
		"openai": llmtest.NewOpenAI, "anthropic": llmtest.NewAnthropic, "google": llmtest.NewGoogle,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := serve(t,
				llmtest.Reply{Status: 503, Body: `{"error":{"message":"busy"}}`},
				llmtest.Reply{Text: "Let me look.", ToolCalls: []llmtest.ToolCall{{Name: "Ls", Arguments: `{"path":"."}`}}},
				llmtest.Reply{Text: "Found it."},
			)
			p := harness.NewProject(t)
			p.Write(".aura/config/providers/test.yaml", fmt.Sprintf(
				"test: {type: %s, url: %q, token: \"${TEST_TOKEN}\", retry: {max_attempts: 2, base_delay: 1ms}}\n", kind, server.URL))
			p.Write("secrets.env", "TEST_TOKEN="+llmtest.Token+"\n")
			p.Write(".aura/config/agents/main.md", "---\nname: main\ndefault: true\nmodel: {name: test-model}\n---\nYou are a test.\n")
			p.Plugin("steer", "description: steers\n", steering)
			p.Run("run", "Where is it?")
			if out := string(p.Read("stdout.txt")); !strings.Contains(out, "Let me look.") || !strings.Contains(out, "Found it.") {
				t.Errorf("stdout: %s", out)
			}
			if errs := string(p.Stderr()); !strings.Contains(errs, "attempt 1 failed, retrying") || strings.Contains(errs, llmtest.Token) {
				t.Errorf("stderr: %s", errs)
			}
			requests := server.Requests()
			if len(requests) != 3 {
				t.Fatalf("%d requests", len(requests))
			}
			last := string(requests[2].Body)
			for _, want := range []string{"You are a test.", "Steered by a plugin.", "Where is it?", "what the plugin made of it"} {
				if !strings.Contains(last, want) {
					t.Errorf("%q is missing in %s", want, last)
				}
			}
		})
	}
}
