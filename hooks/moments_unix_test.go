//go:build unix

package hooks_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// TestEventsAreMoments checks that each event that is not before or after a tool call is a moment of the pipeline.
func TestEventsAreMoments(t *testing.T) {
	t.Parallel()
	for _, event := range hooks.Events() {
		_, found := hookpoint.Find(hookpoint.Name(event))
		around := event == hooks.EventPre || event == hooks.EventPost || event == hooks.EventPostFailure
		if found == around {
			t.Errorf("%s: a moment of the pipeline: %v", event, found)
		}
		if _, plugins := hookpoint.Lookup(hookpoint.Name(event)); plugins {
			t.Errorf("%s: plugins can export it", event)
		}
	}
}

// TestMoments checks what the answers of hooks do at moments.
func TestMoments(t *testing.T) {
	t.Parallel()
	type want struct {
		prompt, block, told, added string
		allow, goesOn              bool
	}
	for name, row := range map[string]struct {
		event, command, protocol string
		want                     want
	}{
		"context":              {hooks.EventPrompt, `echo '{"context": "c"}'`, "", want{added: "[hook h]\nc"}},
		"prompt":               {hooks.EventPrompt, `echo '{"prompt": "p"}'`, "", want{prompt: "p"}},
		"blank prompt":         {hooks.EventPrompt, `echo '{"prompt": " "}'`, "", want{}},
		"plain":                {hooks.EventPrompt, "echo plain", "", want{added: "[hook h]\nplain"}},
		"deny":                 {hooks.EventPrompt, `echo '{"deny": true, "reason": "r"}'`, "", want{block: "r"}},
		"status 2":             {hooks.EventPrompt, "echo r >&2; exit 2", "", want{block: "r"}},
		"status 3":             {hooks.EventPrompt, "echo r >&2; exit 3", "", want{told: "ended with status 3\n\nr"}},
		"wrong type":           {hooks.EventPrompt, `echo '{"context": 1}'`, "", want{told: "failed: reading its answer: \"context\" is not a text\n\n{\"context\": 1}"}},
		"allow":                {hooks.EventApproval, `echo '{"decision": "allow"}'`, "", want{allow: true}},
		"refuse":               {hooks.EventApproval, `echo '{"decision": "deny", "reason": "r"}'`, "", want{block: "r"}},
		"no decision":          {hooks.EventApproval, "echo fine", "", want{told: "fine"}},
		"wrong decision":       {hooks.EventApproval, `echo '{"decision": "maybe"}'`, "", want{told: "failed: reading its answer: \"decision\" is not \"allow\" or \"deny\"\n\n{\"decision\": \"maybe\"}"}},
		"continue":             {hooks.EventStop, `echo '{"continue": true, "message": "m"}'`, "", want{goesOn: true, added: "[hook h]\nm"}},
		"stop":                 {hooks.EventStop, `echo '{"continue": false}'`, "", want{}},
		"stop, status 2":       {hooks.EventStop, "echo m >&2; exit 2", "", want{goesOn: true, added: "[hook h]\nm"}},
		"compaction":           {hooks.EventPreCompact, "exit 2", "", want{block: "-"}},
		"observer":             {hooks.EventSessionEnd, "echo m >&2; exit 2", "", want{told: "ended with status 2\n\nm"}},
		"other key":            {hooks.EventStop, `echo '{"message": "m", "prompt": "p"}'`, "", want{told: "m\n\n(its answer has unknown keys: prompt; known: continue, deny, message, reason)"}},
		"claude context":       {hooks.EventPrompt, `echo '{"hookSpecificOutput": {"additionalContext": "c"}, "systemMessage": "s"}'`, "claude", want{added: "[hook h]\nc", told: "s"}},
		"claude plain":         {hooks.EventSessionStart, "echo c", "claude", want{added: "[hook h]\nc"}},
		"claude plain at stop": {hooks.EventStop, "echo c", "claude", want{}},
		"claude block":         {hooks.EventPrompt, `echo '{"decision": "block", "reason": "r"}'`, "claude", want{block: "r"}},
		"claude halt":          {hooks.EventPrompt, `echo '{"continue": false, "stopReason": "r"}'`, "claude", want{block: "r"}},
		"claude stop":          {hooks.EventStop, `echo '{"decision": "block", "reason": "r"}'`, "claude", want{goesOn: true, added: "[hook h]\nr"}},
		"claude stop, halt":    {hooks.EventStop, `echo '{"decision": "block", "reason": "r", "continue": false}'`, "claude", want{added: "[hook h]\nr"}},
		"claude allow":         {hooks.EventApproval, `echo '{"hookSpecificOutput": {"decision": {"behavior": "allow"}}}'`, "claude", want{allow: true}},
		"claude refuse":        {hooks.EventApproval, `echo '{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "r"}}}'`, "claude", want{block: "r"}},
		"claude wrong":         {hooks.EventStop, `echo '{"decision": 1}'`, "claude", want{told: "failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := hook(row.event, row.command)
			d.Protocol = row.protocol
			out := pipeline.Run(t.Context(), runner(t, d), hookpoint.Name(row.event), hookpoint.Moment{Text: "given", Tool: "Bash"}, nil)
			var got want
			decided := out.Decision()
			got.allow, got.goesOn = decided.Allow, decided.Continue
			if out.Prompt != nil {
				got.prompt = *out.Prompt
			}
			if out.Block != nil {
				got.block = decided.Reason
				if got.block == "" {
					got.block = "-"
				}
			}
			for _, n := range out.Notices {
				got.told += n.Text
			}
			for _, in := range out.Injections {
				got.added += in.Content
			}
			if row.want.told == "failed" && strings.HasPrefix(got.told, "failed: ") {
				got.told = "failed"
			}
			if got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

// TestMomentChain checks that hooks of a moment run in the order of their dependencies, that each sees what the one before made of the
// prompt, and that none runs after one that blocks.
func TestMomentChain(t *testing.T) {
	t.Parallel()
	def := func(name, command string, depends ...string) hooks.Definition {
		return hooks.Definition{Name: name, Event: hooks.EventPrompt, Command: command, Depends: depends}
	}
	r := runner(t,
		def("a", `grep -q '"prompt":"two"' && echo '{"prompt": "three"}'`, "b"),
		def("b", `grep -q '"prompt":"one"' && echo '{"prompt": "two"}'`),
		def("c", `grep -q '"prompt":"three"' && exit 2`, "a"),
		def("d", "echo not reached", "c"),
	)
	out := pipeline.Run(t.Context(), r, hookpoint.MomentPrompt, hookpoint.Moment{Text: "one"}, nil)
	if out.Block == nil || strings.Join(out.Block.By, " ") != "hook c" || *out.Prompt != "three" || len(out.Notices) > 0 {
		t.Errorf("got %+v", out)
	}
}

// TestMomentRefused checks the keys that an event cannot have.
func TestMomentRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		def  hooks.Definition
		want string
	}{
		"files":           {hooks.Definition{Event: hooks.EventStop, Files: "*.go"}, "event stop is about no files"},
		"matcher":         {hooks.Definition{Event: hooks.EventPrompt, Matcher: "x"}, "event prompt has nothing to compare a matcher with"},
		"protocol":        {hooks.Definition{Event: hooks.EventPrompt, Protocol: "codex"}, `unknown protocol "codex"; known: aura, claude`},
		"no counterpart":  {hooks.Definition{Event: hooks.EventPluginState, Protocol: "claude"}, "Claude Code has no event like plugin_state"},
		"star of aura":    {hooks.Definition{Event: hooks.EventPre, Matcher: "*"}, "missing argument to repetition operator"},
		"star of claude":  {hooks.Definition{Event: hooks.EventPre, Matcher: "*", Protocol: "claude"}, ""},
		"matcher of stop": {hooks.Definition{Event: hooks.EventStop, Matcher: "*", Protocol: "claude"}, ""},
	} {
		row.def.Name, row.def.Command = "h", "true"
		_, err := hooks.Compile([]hooks.Definition{row.def})
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestClaudeMatcher checks that a matcher for Claude Code is compared with whole names, of that agent and of aura.
func TestClaudeMatcher(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		matcher, tool string
		want          bool
	}{
		"its name":        {"Grep", "Rg", true},
		"aura's name":     {"Rg", "Rg", true},
		"part of a name":  {"Edit", "Patch", false},
		"one of several":  {"Write|MultiEdit", "Patch", true},
		"pattern":         {"mcp__.*", "mcp__a__b", true},
		"another":         {"Read", "Write", false},
		"a whole pattern": {"Notebook.*|LS", "Ls", true},
	} {
		r, err := hooks.Compile([]hooks.Definition{{Name: "h", Event: hooks.EventPre, Protocol: "claude", Matcher: row.matcher, Command: "true"}})
		if err != nil || (r.Pre[0].Skip(hooks.Call{Tool: row.tool}) == "") != row.want {
			t.Errorf("%s: got %q, %v", name, r.Pre[0].Skip(hooks.Call{Tool: row.tool}), err)
		}
	}
}

// TestClaudeFailedCalls checks that a foreign hook of the event post runs for calls that succeed only.
func TestClaudeFailedCalls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		event, protocol, failure string
		runs                     bool
	}{
		"post of a call":                 {hooks.EventPost, hooks.ProtocolClaude, "", true},
		"post of a failed call":          {hooks.EventPost, hooks.ProtocolClaude, "no", false},
		"post of aura, of a failed call": {hooks.EventPost, hooks.ProtocolAura, "no", true},
		"post_failure":                   {hooks.EventPostFailure, hooks.ProtocolClaude, "no", true},
	} {
		e := hooks.Entry{Name: "h", Event: row.event, Protocol: row.protocol, Command: "true"}
		if got := e.Skip(hooks.Call{Tool: "Bash", Failure: row.failure}); (got == "") != row.runs {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
