package config_test

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestMCPFields(t *testing.T) {
	t.Parallel()
	c := files{project + "mcp/deep/any.yaml": `
local:
  type: stdio
  command: docs-server
  args: [--fast, "${SET}"]
  env: {LEVEL: "${SET}", PORT: 80}
  timeout: 1m30s
  disabled: true
  deferred: true
  condition: not auto
remote:
  type: http
  url: https://tools.invalid/mcp
  headers: {Authorization: "Bearer ${SET}"}
  timeout: 2.5
by-command: {command: x}
by_url: {url: "http://tools.invalid"}
`}.load(t)
	got := c.MCPServers["local"]
	want := config.MCPServer{
		Name: "local", Source: got.Source, Type: config.MCPStdio, Command: "docs-server", Args: []string{"--fast", "from the process"},
		Env: map[string]string{"LEVEL": "from the process", "PORT": "80"}, Timeout: config.Timeout(90 * time.Second),
		Disabled: true, Deferred: true, Condition: got.Condition,
	}
	if !reflect.DeepEqual(got, want) || got.Condition.String() != "not auto" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = c.MCPServers["remote"]
	want = config.MCPServer{
		Name: "remote", Source: got.Source, Type: config.MCPHTTP, URL: "https://tools.invalid/mcp",
		Headers: map[string]string{"Authorization": "Bearer from the process"}, Timeout: config.Timeout(2500 * time.Millisecond),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := c.MCPServers["by-command"].Type; got != config.MCPStdio {
		t.Errorf("a command makes it %s", got)
	}
	if got := c.MCPServers["by_url"].Type; got != config.MCPHTTP {
		t.Errorf("an address makes it %s", got)
	}
}

func TestMCPRefused(t *testing.T) {
	t.Parallel()
	const path = project + "mcp/m.yaml"
	const address = `missing or not an address: a server of type http has one such as https://host/mcp`
	checkRefused(t, map[string]refused{
		"unknown key":       {files{path: "m:\n  command: x\n  arg: [y]\n"}, []string{`m.yaml:3: unknown key "arg" in "m"; known keys: args, auth, command, condition,`}},
		"duplicate key":     {files{path: "m:\n  command: x\n  command: y\n"}, []string{`m.yaml:3: duplicate key "m.command"`}},
		"wrong type":        {files{path: "m:\n  command: x\n  args: y\n"}, []string{`m.yaml:3: key "m.args": expected a list`}},
		"wrong timeout":     {files{path: "m:\n  command: x\n  timeout: soon\n"}, []string{`m.yaml:3: key "m.timeout": expected a duration such as 10s, or a number of seconds`}},
		"list of timeouts":  {files{path: "m:\n  command: x\n  timeout: [1]\n"}, []string{`m.yaml:3: key "m.timeout": expected a duration`}},
		"endless timeout":   {files{path: "m:\n  command: x\n  timeout: .inf\n"}, []string{`m.yaml:3: key "m.timeout": expected a duration`}},
		"no number":         {files{path: "m:\n  command: x\n  timeout: .nan\n"}, []string{`m.yaml:3: key "m.timeout": expected a duration`}},
		"negative timeout":  {files{path: "m:\n  command: x\n  timeout: -1\n"}, []string{`m.yaml:3: key "m.timeout": -1s is not positive: write`}},
		"no type":           {files{path: "m:\n  disabled: true\n"}, []string{`m.yaml:2: key "m.type": missing; known types: stdio, http`}},
		"nothing":           {files{path: "\nm:\n"}, []string{`m.yaml:2: key "m.type": missing`}},
		"unknown type":      {files{path: "m:\n  command: x\n  type: sse\n"}, []string{`m.yaml:3: key "m.type": unknown type "sse"; known types: stdio, http`}},
		"no command":        {files{path: "m:\n  type: stdio\n"}, []string{`m.yaml:2: key "m.command": missing: a server of type stdio is a command`}},
		"no address":        {files{path: "m:\n  type: http\n"}, []string{`m.yaml:2: key "m.url": ` + address}},
		"other scheme":      {files{path: "m:\n  url: ftp://x\n"}, []string{`m.yaml:2: key "m.url": ` + address}},
		"no host":           {files{path: "m:\n  url: https:///x\n"}, []string{`m.yaml:2: key "m.url": ` + address}},
		"broken address":    {files{path: "m:\n  url: 'https://%zz'\n"}, []string{`m.yaml:2: key "m.url": ` + address}},
		"url of a command":  {files{path: "m:\n  type: stdio\n  command: x\n  url: https://x\n"}, []string{`m.yaml:4: key "m.url": a server of type stdio has none`}},
		"its headers":       {files{path: "m:\n  command: x\n  headers: {a: b}\n"}, []string{`m.yaml:3: key "m.headers": a server of type stdio has none`}},
		"command of a url":  {files{path: "m:\n  type: http\n  url: https://x\n  command: x\n"}, []string{`m.yaml:4: key "m.command": a server of type http has none`}},
		"its arguments":     {files{path: "m:\n  url: https://x\n  args: []\n"}, []string{`m.yaml:3: key "m.args": a server of type http has none`}},
		"its environment":   {files{path: "m:\n  url: https://x\n  env: {A: b}\n"}, []string{`m.yaml:3: key "m.env": a server of type http has none`}},
		"wrong variable":    {files{path: "m:\n  command: x\n  env:\n    A B: c\n"}, []string{`m.yaml:4: key "m.env.A B": not a name of a variable`}},
		"name with a dot":   {files{path: "m.n: {command: x}\n"}, []string{`m.yaml:1: key "m.n": not a name for a server`}},
		"name with a gap":   {files{path: "m__n: {command: x}\n"}, []string{`m.yaml:1: key "m__n": not a name for a server`}},
		"broken condition":  {files{path: "m:\n  command: x\n  condition: maybe\n"}, []string{`m.yaml:3: key "m.condition": parsing condition "maybe": unknown term "maybe"; known`}},
		"unset variable":    {files{path: "m:\n  url: https://x\n  headers:\n    A: ${UNSET}\n"}, []string{`m.yaml:4: key "m.headers.A": the variable UNSET is not set`}},
		"second in a file":  {files{path: "a: {command: x}\nm:\n  type: http\n"}, []string{`m.yaml:3: key "m.url": missing`}},
		"no time":           {files{path: "m:\n  command: x\n  timeout: 0\n"}, []string{`m.yaml:3: key "m.timeout": 0s is not positive: write`}},
		"text for a list":   {files{path: "m:\n  command: x\n  args: a\n"}, []string{`m.yaml:3: key "m.args": expected a list, got text "a" (put it in brackets)`}},
		"merged in":         {files{path: "a: &a\n  command: x\n  timeout: -1s\nm: *a\n"}, []string{`m.yaml:3: key "a.timeout": -1s is not positive: write`}},
		"merged in by key":  {files{path: "a: &a\n  command: x\nm:\n  <<: *a\n  type: http\n  url: https://x\n"}, []string{`m.yaml:2: key "m.command": a server of type http has none`}},
		"not a map":         {files{path: "- m\n"}, []string{`m.yaml:1: expected a mapping of keys`}},
		"command in a list": {files{path: "m: {command: [x]}\n"}, []string{`m.yaml:1: key "m.command": expected text`}},
	})
}

func TestMCPAuth(t *testing.T) {
	t.Parallel()
	c := files{project + "mcp/m.yaml": `
m:
  url: https://x
  auth: {client_id: c, client_secret: "${SET}", client_metadata: "https://me/c.json", scopes: [a, b], redirect_port: 8085}
`}.load(t)
	want := config.MCPAuth{ClientID: "c", ClientSecret: "from the process", ClientMetadata: "https://me/c.json", Scopes: []string{"a", "b"}, RedirectPort: 8085}
	if got := c.MCPServers["m"].Auth; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	const path = project + "mcp/m.yaml"
	checkRefused(t, map[string]refused{
		"port":            {files{path: "m:\n  url: https://x\n  auth:\n    redirect_port: 70000\n"}, []string{`m.yaml:4: key "m.auth.redirect_port": 70000 is not a port`}},
		"secret alone":    {files{path: "m:\n  url: https://x\n  auth:\n    client_secret: x\n"}, []string{`m.yaml:4: key "m.auth.client_secret": it belongs to a client_id`}},
		"metadata":        {files{path: "m:\n  url: https://x\n  auth:\n    client_metadata: http://x\n"}, []string{`m.yaml:4: key "m.auth.client_metadata": not an address`}},
		"auth of command": {files{path: "m:\n  command: x\n  auth: {client_id: c}\n"}, []string{`m.yaml:3: key "m.auth": a server of type stdio has none`}},
	})
}

// TestAgentServers has a row for each way in which an agent gets servers of its own.
func TestAgentServers(t *testing.T) {
	t.Parallel()
	c := files{
		project + "mcp/all.yaml":   "all: {command: x}\n",
		project + "agents/a.md":    "---\nname: a\nmcp:\n  db: {command: x, args: ['${SET}'], condition: auto}\n  web: {url: 'https://x'}\n---\n",
		project + "agents/b.md":    "---\nname: b\ninherit: [a]\nmcp: {more: {command: y}}\n---\n",
		project + "agents/none.md": "---\nname: none\n---\n",
	}.load(t)
	for server, want := range map[string]map[string]bool{
		"all": {"a": true, "b": true, "none": true, "": true}, "db": {"a": true, "b": true}, "web": {"a": true, "b": true}, "more": {"b": true},
	} {
		for _, agent := range []string{"a", "b", "none", ""} {
			if c.MCPServers[server].Of(agent) != want[agent] {
				t.Errorf("server %s of agent %q: want %t", server, agent, want[agent])
			}
		}
	}
	if db := c.MCPServers["db"]; db.Args[0] != "from the process" || db.Condition.String() != "auto" || len(c.MCPServers) != 4 {
		t.Errorf("got %+v", c.MCPServers)
	}
	if at := c.Places("mcp server", "web"); len(at) != 1 || at[0].Line != 5 || filepath.Base(at[0].File) != "a.md" {
		t.Errorf("web is declared at %v", at)
	}
	const a, b = project + "agents/a.md", project + "agents/b.md"
	checkRefused(t, map[string]refused{
		"wrong server": {files{a: "---\nname: a\nmcp:\n  m: {type: sse}\n---\n"}, []string{`a.md:4: key "mcp.m.type": unknown type "sse"`}},
		"wrong name":   {files{a: "---\nname: a\nmcp: {a__b: {command: x}}\n---\n"}, []string{`key "mcp.a__b": not a name for a server`}},
		"two agents": {
			files{a: "---\nname: a\nmcp: {m: {command: x}}\n---\n", b: "---\nname: b\nmcp: {m: {command: x}}\n---\n"},
			[]string{`b.md:3: key "mcp.m": mcp server "m" is declared in `, `a.md already: rename one of them`},
		},
		"child and parent": {
			files{a: "---\nname: a\nmcp: {m: {command: x}}\n---\n", b: "---\nname: b\ninherit: [a]\nmcp: {m: {command: y}}\n---\n"},
			[]string{`b.md:4: key "mcp.m"`},
		},
		"a server of all": {
			files{a: "---\nname: a\nmcp: {m: {command: x}}\n---\n", project + "mcp/m.yaml": "m: {command: x}\n"},
			[]string{`a.md:3: key "mcp.m"`, `m.yaml already`},
		},
	})
}
