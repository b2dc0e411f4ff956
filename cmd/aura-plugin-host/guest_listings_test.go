//go:build unix

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// hook calls a hook of the extension and returns its result as exact JSON, or the text of its error after "error: ".
func (p *started) hook(t *testing.T, point string, in any) string {
	t.Helper()
	out, failed := p.Hook(t.Context(), shared.HookCall{Point: pointName(point), Context: in})
	if failed != nil && out == nil {
		return "error: " + failed.Error()
	}
	text, err := shared.EncodeExact(out)
	if err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		return string(text) + " error: " + failed.Error()
	}
	return string(text)
}

func (p *started) command(t *testing.T, name, args string, c sdk.Context) string {
	t.Helper()
	out, err := p.Command(t.Context(), shared.CommandCall{Name: name, Args: args, Context: c})
	if err != nil {
		return "error: " + err.Error()
	}
	return out.Output
}

// want compares a result with what is expected of it.
func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestListings runs extensions in the form of the contract's listings.
func TestListings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, p *started, e shared.Exports){
		"guard": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.guard(t, "Bash", map[string]any{"command": "sudo rm -rf /"}), "bash must not run 'rm -rf'")
			want(t, p.guard(t, "Bash", map[string]any{"command": "ls"}), "")
			want(t, p.guard(t, "Glob", nil), "")
		},
		"protected_paths": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			for _, tool := range []string{"Read", "Write", "Edit", "Ls"} {
				want(t, p.guard(t, tool, map[string]any{"path": "a/.env"}), "a/.env is protected")
				want(t, p.guard(t, tool, map[string]any{"path": "a/env"}), "")
			}
			patch := "*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** Update File: b.go\n*** Move to: c/vault.yaml\n*** End Patch\n"
			want(t, p.guard(t, "Patch", map[string]any{"patch": patch}), "c/vault.yaml is protected")
			want(t, p.guard(t, "Patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: .env\n*** End Patch\n"}), ".env is protected")
			want(t, p.guard(t, "Patch", map[string]any{"path": "a", "patch": "*** Begin Patch\r\n*** Delete File: \t.env \r\n*** End Patch"}), ".env is protected")
			want(t, p.guard(t, "Patch", map[string]any{"patch": "*** Begin Patch\n*** Add File: a.go\n+ .env\n*** End Patch\n"}), "")
		},
		"greeting": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "greet", map[string]any{"name": "Ada"}), "Good morning, Ada!")
			want(t, e.SystemPrompt, "Use greet to greet people.\n\nGreet each person once.")
			want(t, string(e.Tools[0].Parameters), `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
		},
		"word_count": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "word_count", map[string]any{"text": "one two  three"}), "3 words")
			want(t, p.tool(t, "publish", nil), "published")
			if got := e.Tools[1]; !got.RequiresApproval || got.Timeout != 1500*time.Millisecond ||
				!slices.Equal(got.SideEffects, []sdk.SideEffect{sdk.SideEffectNetwork, sdk.SideEffectWrite}) {
				t.Errorf("got %+v", got)
			}
		},
		"commands": func(t *testing.T, p *started, e shared.Exports) {
			t.Helper()
			if len(e.Commands) != 3 || e.Commands[1].Description != "Set or show the mood" {
				t.Errorf("got %+v", e.Commands)
			}
			c := sdk.Context{Stats: sdk.Stats{Turns: 4}, Turns: []sdk.Turn{{Role: "user", Content: "hi"}}}
			want(t, p.command(t, "numbers", "", c), "Steps: 4 | Messages: 1")
			want(t, p.command(t, "mood", " happy ", c), "The mood is happy.")
			want(t, p.command(t, "mood", "", c), "The mood is happy.")
			want(t, p.command(t, "nothing", "", c), "")
			p.stderr.await(t, "[info] Steps: 4 | Messages: 1\n")
			p.stderr.await(t, "[debug] not shown\n")
		},
		"asyncio_handler": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.hook(t, "SessionStart", sdk.SessionStartContext{}), zeroResult)
			want(t, p.tool(t, "finished", nil), "one three two")
		},
		"companion": func(t *testing.T, p *started, _ shared.Exports) {
			t.Helper()
			want(t, p.tool(t, "pet", nil), "no pet yet")
			history := []sdk.ToolCall{{Name: "Bash"}, {Name: "Ls"}, {Name: "Ls"}, {Name: "Ls"}}
			p.hook(t, "SessionStart", sdk.SessionStartContext{Context: sdk.Context{ToolHistory: history}})
			want(t, p.tool(t, "pet", nil), "mood=happy level=1 xp=80%")
			p.guard(t, "Bash", map[string]any{"command": "ls"})
			want(t, p.tool(t, "pet", nil), "mood=level_up level=2 xp=0%")
			p.stderr.await(t, "[info] Level 2 is reached\n")
			p.hook(t, "OnError", sdk.OnErrorContext{Error: "e"})
			// It celebrates until time has passed.
			want(t, p.tool(t, "pet", nil), "mood=level_up level=2 xp=0%")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, exports := stored(t, name+".py")
			test(t, p, exports)
		})
	}
}

// zeroResult is an sdk.Result that does nothing, as exact JSON.
const zeroResult = `{"Compaction":null,"DisableTools":null,"Eject":false,"Error":null,"Message":"","Notice":"","Output":null,"Prefix":"","Request":null,"Response":null,"Role":""}`
