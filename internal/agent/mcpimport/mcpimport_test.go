package mcpimport_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/mcpimport"
)

// TestParse has a row for each form of a list and each rule about a server. Each list has one server.
func TestParse(t *testing.T) {
	t.Parallel()
	npx := mcpimport.Entry{Command: "npx"}
	rows := map[string]struct {
		give    string
		keep    bool
		name    string
		entry   mcpimport.Entry
		skipped string
		notes   []string
		needs   []string
	}{
		"Claude, Cursor":  {give: `{"mcpServers": {"gh": {"command": "npx"}}}`, name: "gh", entry: npx},
		"VS Code":         {give: `{"inputs": [], "servers": {"gh": {"type": "stdio", "command": "npx"}}}`, name: "gh", entry: npx},
		"VS Code, old":    {give: `{"mcp": {"servers": {"gh": {"command": "npx"}}}, "x": 1}`, name: "gh", entry: npx},
		"bare":            {give: `{"gh": {"command": "npx"}}`, name: "gh", entry: npx},
		"comments":        {give: "{\n// mine\n\"mcpServers\": {\"gh\": {\"command\": \"npx\", /* \" */ \"args\": [\"//x\",],},},}", name: "gh", entry: mcpimport.Entry{Command: "npx", Args: []string{"//x"}}},
		"http":            {give: `{"mcpServers": {"a": {"type": "http", "url": "https://x/mcp", "headers": {"X-A": "b"}}}}`, name: "a", entry: mcpimport.Entry{URL: "https://x/mcp", Headers: map[string]string{"X-A": "b"}}},
		"streamable http": {give: `{"mcpServers": {"a": {"type": "streamable-http", "url": "https://x/mcp"}}}`, name: "a", entry: mcpimport.Entry{URL: "https://x/mcp"}},
		"Gemini's url":    {give: `{"mcpServers": {"a": {"httpUrl": "https://x/mcp"}}}`, name: "a", entry: mcpimport.Entry{URL: "https://x/mcp"}},
		"sse":             {give: `{"mcpServers": {"a": {"type": "sse", "url": "https://x/sse"}}}`, name: "a", skipped: "older transport"},
		"another type":    {give: `{"mcpServers": {"a": {"type": "ws", "url": "https://x"}}}`, name: "a", skipped: `"ws" is not supported`},
		"disabled":        {give: `{"mcpServers": {"a": {"command": "x", "disabled": true}}}`, name: "a", skipped: "disabled there"},
		"not enabled":     {give: `{"mcpServers": {"a": {"command": "x", "enabled": false}}}`, name: "a", skipped: "disabled there"},
		"nothing to run":  {give: `{"mcpServers": {"a": {"args": []}}}`, name: "a", skipped: "neither a command nor a url"},
		"both":            {give: `{"mcpServers": {"a": {"command": "x", "url": "https://x"}}}`, name: "a", skipped: "both a command and a url"},
		"no object":       {give: `{"mcpServers": {"a": "npx"}}`, name: "a", skipped: "not an object"},
		"wrong type":      {give: `{"mcpServers": {"a": {"command": 7}}}`, name: "a", skipped: `"command" has the wrong type`},
		"OpenCode":        {give: `{"mcp": {"mcpServers": {"a": {"type": "local", "command": ["npx", "-y"], "environment": {"A": "{env:B}"}}}}}`, name: "a", entry: mcpimport.Entry{Command: "npx", Args: []string{"-y"}, Env: map[string]string{"A": "${B}"}}, needs: []string{"B"}},
		"OpenCode, http":  {give: `{"mcpServers": {"a": {"type": "remote", "url": "https://x", "oauth": {}}}}`, name: "a", entry: mcpimport.Entry{URL: "https://x"}, notes: []string{"aura mcp login"}},
		"Codex":           {give: `{"mcp_servers": {"a": {"url": "https://x", "bearer_token_env_var": "T", "env_http_headers": {"X": "Y"}}}}`, name: "a", entry: mcpimport.Entry{URL: "https://x", Headers: map[string]string{"Authorization": "Bearer ${T}", "X": "${Y}"}}, needs: []string{"T", "Y"}},
		"nested value":    {give: `{"mcpServers": {"a": {"command": "x", "env": {"A": {}}}}}`, name: "a", skipped: `"A" that is no text`},
		"numbers":         {give: `{"mcpServers": {"a": {"command": "x", "env": {"PORT": 8080, "ON": true}}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Env: map[string]string{"PORT": "8080", "ON": "true"}}},
		"name":            {give: `{"mcpServers": {"My Server__1": {"command": "npx"}}}`, name: "My-Server-1", entry: npx, notes: []string{`named My-Server-1`}},
		"no name":         {give: `{"mcpServers": {"**": {"command": "npx"}}}`, skipped: "no letter"},
		"working dir":     {give: `{"mcpServers": {"a": {"command": "npx", "cwd": "/x"}}}`, name: "a", entry: npx, notes: []string{"cwd is left out"}},
		"timeout":         {give: `{"mcpServers": {"a": {"command": "npx", "timeout": 600}}}`, name: "a", entry: npx, notes: []string{"unit differs"}},
		"approvals":       {give: `{"mcpServers": {"a": {"command": "npx", "alwaysAllow": ["x"]}}}`, name: "a", entry: npx, notes: []string{"tools.policy"}},
		"unknown field":   {give: `{"mcpServers": {"a": {"command": "npx", "magic": 1}}}`, name: "a", entry: npx, notes: []string{`"magic" is left out`}},
		"input":           {give: `{"servers": {"a": {"command": "x", "env": {"T": "${input:api-key}"}}}}`, name: "a", skipped: "${API_KEY}"},
		"other reference": {give: `{"servers": {"a": {"command": "${command:x}"}}}`, name: "a", skipped: "${command:x}, which aura cannot replace"},
		"env reference":   {give: `{"servers": {"a": {"command": "x", "env": {"TOKEN": "${env:T}"}}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Env: map[string]string{"TOKEN": "${T}"}}, needs: []string{"T"}},
		"default":         {give: `{"mcpServers": {"a": {"command": "x", "args": ["${DIR:-/tmp}"]}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Args: []string{"${DIR}"}}, notes: []string{"set the variable DIR"}, needs: []string{"DIR"}},
		"bare variable":   {give: `{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "$T"}}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Env: map[string]string{"TOKEN": "${T}"}}, needs: []string{"T"}},
		"workspace":       {give: `{"servers": {"a": {"command": "${workspaceFolder}/x", "args": ["${userHome}/y"]}}}`, name: "a", entry: mcpimport.Entry{Command: "./x", Args: []string{"${HOME}/y"}}, needs: []string{"HOME"}},
		"literal":         {give: `{"mcpServers": {"a": {"command": "x", "args": ["a${b", "$x"]}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Args: []string{"a$${b", "$x"}}},
		"secret in env":   {give: `{"mcpServers": {"a": {"command": "x", "env": {"GH_TOKEN": "abc", "MODE": "b"}}}}`, name: "a", entry: mcpimport.Entry{Command: "x", Env: map[string]string{"GH_TOKEN": "${GH_TOKEN}", "MODE": "b"}}, notes: []string{"the secret is not written"}, needs: []string{"GH_TOKEN"}},
		"secret in header": {
			give: `{"mcpServers": {"my-a": {"url": "https://x", "headers": {"Authorization": "Bearer abc"}}}}`, name: "my-a",
			entry: mcpimport.Entry{URL: "https://x", Headers: map[string]string{"Authorization": "Bearer ${MY_A_TOKEN}"}}, notes: []string{"headers Authorization"}, needs: []string{"MY_A_TOKEN"},
		},
		"secret in args": {
			give: `{"mcpServers": {"a": {"command": "x", "args": ["--key=sk-abcdefghijklmnopqrstuv"]}}}`, name: "a",
			entry: mcpimport.Entry{Command: "x", Args: []string{"--key=${A_TOKEN}"}}, notes: []string{"args has a secret"}, needs: []string{"A_TOKEN"},
		},
		"secret kept": {
			give: `{"mcpServers": {"a": {"command": "x", "env": {"GH_TOKEN": "abc"}}}}`, keep: true, name: "a",
			entry: mcpimport.Entry{Command: "x", Env: map[string]string{"GH_TOKEN": "abc"}}, notes: []string{"do not commit"},
		},
	}
	for about, row := range rows {
		list, err := mcpimport.Parse([]byte(row.give), mcpimport.Options{KeepSecrets: row.keep})
		if err != nil || len(list) != 1 {
			t.Errorf("%s: got %v, %v", about, list, err)
			continue
		}
		got := list[0]
		if row.skipped != "" {
			if !strings.Contains(got.Skipped, row.skipped) || got.Name != row.name {
				t.Errorf("%s: %q is skipped because %q", about, got.Name, got.Skipped)
			}
			continue
		}
		if got.Skipped != "" || got.Name != row.name || !reflect.DeepEqual(got.Entry, row.entry) || !reflect.DeepEqual(got.Variables, row.needs) {
			t.Errorf("%s: got %+v", about, got)
		}
		all := strings.Join(got.Notes, "\n")
		for _, want := range row.notes {
			if !strings.Contains(all, want) {
				t.Errorf("%s: the notes are %q", about, got.Notes)
			}
		}
		if len(row.notes) != len(got.Notes) {
			t.Errorf("%s: the notes are %q", about, got.Notes)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for about, row := range map[string][2]string{
		"no JSON":     {"mcpServers: {}", "reading it as JSON"},
		"a list":      {`[1]`, "reading it as JSON"},
		"no servers":  {`{"hooks": {}}`, "no list of MCP servers"},
		"empty":       {`{}`, "no list of MCP servers"},
		"wrong group": {`{"mcpServers": []}`, `"mcpServers": it is not an object`},
	} {
		if _, err := mcpimport.Parse([]byte(row[0]), mcpimport.Options{}); err == nil || !strings.Contains(err.Error(), row[1]) {
			t.Errorf("%s: got %v", about, err)
		}
	}
	list, err := mcpimport.Parse([]byte(`{"mcpServers": {"a b": {"command": "x"}, "a-b": {"command": "y"}}}`), mcpimport.Options{})
	if err != nil || len(list) != 2 || list[0].Skipped != "" || !strings.Contains(list[1].Skipped, "another server is named a-b too") {
		t.Errorf("two servers of one name: %+v, %v", list, err)
	}
}

// FuzzParse checks that no list makes aura panic, and that well-formed JSON is read as such.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"mcpServers": {"gh": {"command": "npx", "env": {"T": "${input:x}"}}}}`, "{// x\n\"a\": 1,}", `{"a": "\"//"}`, `{"mcp": {"servers": {"a": {"url": "$${"}}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := mcpimport.Parse([]byte(text), mcpimport.Options{})
		if err != nil && json.Valid([]byte(text)) && strings.Contains(err.Error(), "invalid character") {
			t.Errorf("valid JSON is refused: %v", err)
		}
		for _, s := range list {
			if s.Skipped == "" && (s.Name == "" || s.Entry.Command == "" && s.Entry.URL == "") {
				t.Errorf("unusable: %+v", s)
			}
		}
	})
}
