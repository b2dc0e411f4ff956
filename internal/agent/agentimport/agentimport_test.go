package agentimport_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/agentimport"
)

// dir is a directory in memory.
type dir map[string]string

func (d dir) Read(name string) ([]byte, error) {
	text, ok := d[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (d dir) Files(folder, ext string) ([]string, error) {
	var out []string
	for name := range d {
		if strings.HasPrefix(name, folder+"/") && strings.HasSuffix(name, ext) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// TestRead has a row for each thing that an agent can have. In files, want is what is written; in a skipped row it is the reason.
func TestRead(t *testing.T) {
	t.Parallel()
	hook := func(event, rest string) string {
		return `{"hooks":{"` + event + `":[{` + rest + `}]}}`
	}
	claude := func(permissions string) dir {
		return dir{".claude/settings.json": `{"permissions":` + permissions + `}`}
	}
	const policy = "config/features/tools.yaml"
	for about, row := range map[string]struct {
		agent string
		user  bool
		files dir
		file  string
		want  string
		note  string
	}{
		"hook":             {agent: "claude", files: dir{".claude/settings.json": hook("PreToolUse", `"matcher":"Edit|Write","hooks":[{"type":"command","command":"x ${A}","timeout":1.5,"async":true}]`)}, file: "config/hooks/claude.yaml", want: "claude-PreToolUse-1:\n  event: pre\n  protocol: claude\n  matcher: Edit|Write\n  command: x ${A}\n  timeout: 2\n", note: `"async"`},
		"hook, local":      {agent: "claude", files: dir{".claude/settings.local.json": hook("SessionEnd", `"matcher":"*","hooks":[{"command":"x","args":["a b"]}]`)}, file: "config/hooks/claude-local.yaml", want: "claude-local-SessionEnd-1:\n  event: session_end\n  protocol: claude\n  command: x \"a b\"\n"},
		"hook, matcher":    {agent: "claude", files: dir{".claude/settings.json": hook("Stop", `"matcher":"x","hooks":[{"command":"x"}]`)}, file: "config/hooks/claude.yaml", want: "claude-Stop-1:\n  event: stop\n  protocol: claude\n  command: x\n", note: "nothing to compare"},
		"hook, event":      {agent: "claude", files: dir{".claude/settings.json": hook("Setup", `"hooks":[{"command":"x"}]`)}, want: "no event like Setup"},
		"hook, type":       {agent: "claude", files: dir{".claude/settings.json": hook("Stop", `"hooks":[{"type":"http","url":"x"}]`)}, want: `type is "http"`},
		"hook, if":         {agent: "claude", files: dir{".claude/settings.json": hook("PreToolUse", `"matcher":"Bash","hooks":[{"if":"Bash(git push:*)","command":"x"}]`)}, file: "config/hooks/claude.yaml", want: "claude-PreToolUse-1:\n  event: pre\n  protocol: claude\n  matcher: Bash\n  calls:\n    - Bash:git push\n    - Bash:git push *\n  command: x\n"},
		"hook, if a file":  {agent: "claude", files: dir{".claude/settings.json": hook("PostToolUse", `"hooks":[{"if":"Edit(src/**)","command":"x"}]`)}, file: "config/hooks/claude.yaml", want: "claude-PostToolUse-1:\n  event: post\n  protocol: claude\n  calls:\n    - Edit:src/*\n    - Write:src/*\n    - Patch:src/*\n  command: x\n"},
		"hook, odd guard":  {agent: "claude", files: dir{".claude/settings.json": hook("PreToolUse", `"hooks":[{"if":"Edit(~/x)","command":"x"}]`)}, file: "config/hooks/claude.yaml", want: "claude-PreToolUse-1:\n  event: pre\n  protocol: claude\n  command: x\n", note: `its filter "Edit(~/x)" is left out, so that it runs for more calls: aura's rules do not know ~`},
		"hook, odd if":     {agent: "claude", files: dir{".claude/settings.json": hook("PostToolUse", `"hooks":[{"if":"NotebookEdit(x)","command":"x"}]`)}, want: `its filter "NotebookEdit(x)" cannot be converted: aura has no tool like it`},
		"hook, if allowed": {agent: "claude", files: dir{".claude/settings.json": hook("PermissionRequest", `"hooks":[{"if":"Bash(","command":"x"}]`)}, want: "the bracket is not closed"},
		"hook, if at stop": {agent: "claude", files: dir{".claude/settings.json": hook("Stop", `"hooks":[{"if":"Bash(git *)","command":"x"}]`)}, want: "stop is about no call"},
		"hook, empty":      {agent: "claude", files: dir{".claude/settings.json": hook("Stop", `"hooks":[{"type":"command"}]`)}, want: "no command"},
		"hook, expression": {agent: "claude", files: dir{".claude/settings.json": hook("PreToolUse", `"matcher":"(?!x)","hooks":[{"command":"x"}]`)}, want: "no regular expression"},
		"hook of Codex":    {agent: "codex", files: dir{".codex/config.toml": "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"x\"\ntimeout = 3\n"}, file: "config/hooks/codex.yaml", want: "codex-PreToolUse-1:\n  event: pre\n  protocol: claude\n  matcher: Bash\n  command: x\n  timeout: 3\n"},
		"hook of Gemini":   {agent: "gemini", files: dir{".gemini/settings.json": hook("BeforeTool", `"hooks":[{"command":"x","timeout":2000}]`)}, file: "config/hooks/gemini.yaml", want: "gemini-BeforeTool-1:\n  event: pre\n  protocol: claude\n  command: x\n  timeout: 2\n  disabled: true\n", note: "disabled"},

		"prefix":          {agent: "claude", files: claude(`{"allow":["Bash(go test:*)"]}`), file: policy, want: policyOf("auto", "Bash:go test", "Bash:go test *")},
		"prefix, star":    {agent: "claude", files: claude(`{"ask":["Bash(git push *)"]}`), file: policy, want: policyOf("confirm", "Bash:git push", "Bash:git push *")},
		"exact":           {agent: "claude", files: claude(`{"deny":["Bash(a[b] * c)"]}`), file: policy, want: policyOf("deny", "Bash:a[[]b] * c")},
		"whole tool":      {agent: "claude", files: claude(`{"deny":["Bash","Glob(*)"]}`), file: policy, want: policyOf("deny", "Bash", "Glob")},
		"edit covers":     {agent: "claude", files: claude(`{"deny":["Edit(./a/**)"]}`), file: policy, want: policyOf("deny", "Edit:a/*", "Write:a/*", "Patch:a/*")},
		"anywhere":        {agent: "claude", files: claude(`{"deny":["Write(.env)"]}`), file: policy, want: policyOf("deny", "Write:.env", "Write:*/.env")},
		"absolute":        {agent: "claude", files: claude(`{"deny":["Write(//etc/**)"]}`), file: policy, want: policyOf("deny", "Write:/etc/*")},
		"server":          {agent: "claude", files: claude(`{"allow":["mcp__gh","mcp__gh__x"]}`), file: policy, want: policyOf("auto", "mcp__gh__*", "mcp__gh__x")},
		"rule, home":      {agent: "claude", files: claude(`{"deny":["Read(~/x)","Bash"]}`), file: policy, want: policyOf("deny", "Bash"), note: "do not know ~"},
		"rule, domain":    {agent: "claude", files: claude(`{"deny":["WebFetch(domain:x)"]}`), want: "no rule that aura can have"},
		"rule, web":       {agent: "claude", files: claude(`{"deny":["WebFetch","WebSearch"]}`), file: "config/features/tools.yaml", want: "tools:\n  policy:\n    deny:\n      - WebFetch\n      - WebSearch\n"},
		"rule, tool":      {agent: "claude", files: claude(`{"deny":["NotebookEdit"]}`), want: "no rule that aura can have"},
		"Codex untrusted": {agent: "codex", user: true, files: dir{".codex/config.toml": `approval_policy = "untrusted"`}, file: policy, want: policyOf("confirm", "Bash", "Edit", "Write", "Patch")},
		"Gemini tools":    {agent: "gemini", files: dir{".gemini/settings.json": `{"tools":{"allowed":["run_shell_command(git)"],"exclude":["write_file"]}}`}, file: policy, want: "tools:\n  policy:\n    auto:\n      - Bash:git\n      - Bash:git *\n    deny:\n      - Write\n"},
		"Gemini rules":    {agent: "gemini", user: true, files: dir{".gemini/policies/a.toml": "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"rm -rf\", \"a,b\"]\ndecision = \"deny\"\npriority = 1\n[[rule]]\ntoolName = \"read_file\"\nargsPattern = \"x\"\ndecision = \"deny\"\n"}, file: policy, want: policyOf("deny", "Bash:rm -rf", "Bash:rm -rf *", "Bash:a,b", "Bash:a,b *"), note: "no argsPattern"},
		"OpenCode":        {agent: "opencode", files: dir{"opencode.json": `{"permission":{"edit":"ask","bash":{"rm *":"deny","*":"allow"}}}`}, file: policy, want: "tools:\n  policy:\n    auto:\n      - Bash\n    confirm:\n      - Edit\n      - Write\n      - Patch\n    deny:\n      - Bash:rm *\n"},
		"OpenCode, all":   {agent: "opencode", files: dir{"opencode.json": `{"permission":"ask"}`}, file: policy, want: policyOf("confirm", `'*'`)},
		"OpenCode, order": {agent: "opencode", files: dir{"opencode.json": `{"permission":{"bash":{"*":"ask","git *":"allow"}}}`}, want: "no rule that aura can have"},

		"agent":           {agent: "claude", files: dir{".claude/agents/x/a.md": "---\nname: r\ndescription: a: b\ntools: Read, Grep, Read\ncolor: red\n---\nBe {{x}}.\n"}, file: "config/agents/r.md", want: "---\nname: r\ndescription: 'a: b'\nsubagent: true\ntools:\n  enabled: [Read, Rg]\n---\nBe {{\"{{\"}}x}}.\n"},
		"agent, variable": {agent: "claude", files: dir{".claude/agents/a.md": "---\ndescription: ${HOME}\nmodel: opus\n---\nBe.\n"}, file: "config/agents/a.md", want: "---\nname: a\ndescription: $${HOME}\nsubagent: true\n---\nBe.\n", note: "opus"},
		"agent, tools":    {agent: "claude", files: dir{".claude/agents/a.md": "---\ntools: NotebookEdit, Bash(git:*, x)\n---\nBe.\n"}, want: "none of its tools"},
		"agent, text":     {agent: "claude", files: dir{".claude/agents/a.md": "---\nname: a\n---\n"}, want: "no text"},
		"agent of Codex":  {agent: "codex", user: true, files: dir{".codex/agents/a.toml": "name = \"a\"\ndescription = \"d\"\ndeveloper_instructions = \"Be.\"\nmodel = \"m\"\nsandbox_mode = \"x\"\n"}, file: "config/agents/a.md", want: "---\nname: a\ndescription: d\nsubagent: true\n---\nBe.\n", note: "sandbox_mode"},
		"agent, switches": {agent: "opencode", files: dir{"opencode.json": `{"agent":{"a":{"prompt":"Be.","tools":{"write":false,"read":true}}}}`}, file: "config/agents/a.md", want: "---\nname: a\nsubagent: true\ntools:\n  disabled: [Write]\n---\nBe.\n"},
		"agent, all off":  {agent: "opencode", files: dir{"opencode.json": `{"agent":{"a":{"prompt":"Be.","tools":{"*":false,"read":true}}}}`}, want: "turns all tools off"},

		"prompt":           {agent: "codex", user: true, files: dir{".codex/prompts/a.md": "---\nargument-hint: [FILE] [WHOM]\n---\nDo $1\n"}, file: "config/commands/a.md", want: "---\nname: a\nargument-hint: '[FILE] [WHOM]'\n---\nDo $1\n"},
		"TOML command":     {agent: "gemini", files: dir{".gemini/commands/git/fix.toml": "description = \"d\"\nprompt = \"{{args}} !{git diff} @{a/b.md}\"\n"}, file: "config/commands/git-fix.md", want: "---\nname: git:fix\ndescription: d\n---\n$ARGUMENTS !`git diff` @a/b.md\n"},
		"command":          {agent: "opencode", files: dir{"opencode.jsonc": `{/* c */"command":{"t":{"template":"Run","agent":"build","model":"m"}},}`}, file: "config/commands/t.md", want: "---\nname: t\n---\nRun\n", note: `model "m"`},
		"command in files": {agent: "opencode", user: true, files: dir{".config/opencode/commands/t.md": "Run"}, file: "config/commands/t.md", want: "---\nname: t\n---\nRun\n"},

		"instructions":       {agent: "gemini", files: dir{"GEMINI.md": "Hi\n"}, file: "AGENTS.md", want: "@GEMINI.md\n"},
		"instructions, user": {agent: "claude", user: true, files: dir{".claude/CLAUDE.md": "\nHi\n\n"}, file: "AGENTS.md", want: "Hi\n"},
		"instruction list":   {agent: "opencode", files: dir{"opencode.json": `{"instructions":["./a.md","b/c.md"]}`}, file: "AGENTS.md", want: "@a.md\n@b/c.md\n"},
		"outside":            {agent: "opencode", files: dir{"opencode.json": `{"instructions":["../a.md"]}`}, want: "single files"},

		"server of Claude":  {agent: "claude", user: true, files: dir{".claude.json": `{"mcpServers":{"a":{"command":"x"}},"projects":{"/p":{"mcpServers":{"b":{"command":"y"}}},"/q":{"mcpServers":{"c":{"command":"y"}}}}}`}, file: "config/mcp/a.yaml", want: "a:\n  command: x\n", note: "-"},
		"server of Codex":   {agent: "codex", user: true, files: dir{".codex/config.toml": "[mcp_servers.a]\nurl = \"https://x\"\nbearer_token_env_var = \"T\"\n"}, file: "config/mcp/a.yaml", want: "a:\n  url: https://x\n  headers:\n    Authorization: Bearer ${T}\n"},
		"server, not valid": {agent: "gemini", user: true, files: dir{".gemini/settings.json": `{"mcpServers":[]}`}, want: "not an object"},
		"no TOML":           {agent: "codex", user: true, files: dir{".codex/config.toml": "["}, want: "reading it as TOML"},
	} {
		agent, err := agentimport.Find(row.agent)
		if err != nil {
			t.Fatal(err)
		}
		items := agent.Read(row.files, agentimport.Options{User: row.user, Project: "/p"})
		files := agentimport.Written(items)
		if row.file == "" {
			if len(files) > 0 || !slices.ContainsFunc(items, func(i agentimport.Item) bool { return strings.Contains(i.Skipped, row.want) }) {
				t.Errorf("%s: %+v, %s", about, items, files)
			}
			continue
		}
		if len(files) != 1 || files[0].Path != row.file || string(files[0].Text) != row.want {
			t.Errorf("%s: %s", about, files)
		}
		if row.note != "" && row.note != "-" && !strings.Contains(strings.Join(items[0].Notes, "\n"), row.note) {
			t.Errorf("%s: notes %q", about, items[0].Notes)
		}
	}
}

func policyOf(action string, rules ...string) string {
	out := "tools:\n  policy:\n    " + action + ":\n"
	for _, r := range rules {
		out += "      - " + r + "\n"
	}
	return out
}

// TestSame checks that the first of two things with one name is taken over, and the other one is reported.
func TestSame(t *testing.T) {
	t.Parallel()
	agent, _ := agentimport.Find("claude")
	items := agent.Read(dir{".claude/agents/a.md": "---\nname: x\n---\nOne", ".claude/agents/b.md": "---\nname: x\n---\nTwo"}, agentimport.Options{})
	if len(items) != 2 || items[0].Skipped != "" || !strings.Contains(items[1].Skipped, "a.md has another one") || len(agentimport.Written(items)) != 1 {
		t.Errorf("%+v", items)
	}
}

// TestTable compares the table in docs/coming-from.md with the descriptions of the agents.
func TestTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(agentimport.Table(), "\n")
	if !strings.Contains(string(page), "| --- | --- | --- | --- | --- |\n"+want+"\n\n") {
		t.Errorf("docs/coming-from.md must have the table:\n%s", want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("claude", `{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]},"permissions":{"deny":["Edit(**)","Bash(a:*)"]}}`)
	f.Add("codex", "[mcp_servers.a]\ncommand = \"x\"\n[[hooks.Stop]]\n")
	f.Add("gemini", "---\nname: a\ntools: [x]\n---\ny")
	f.Add("opencode", `{"permission":{"bash":{"*":"ask"}},"agent":{"a":{"tools":{"*":false}}}}`)
	f.Fuzz(func(t *testing.T, name, text string) {
		agent, err := agentimport.Find(name)
		if err != nil {
			return
		}
		for _, user := range []bool{false, true} {
			for _, it := range agent.Read(everywhere(text), agentimport.Options{User: user}) {
				if it.Skipped == "" && (it.File == "" || strings.Contains(it.File, "..") || strings.Contains(it.Name, "/") && it.File != "AGENTS.md") {
					t.Fatalf("%+v", it)
				}
			}
		}
	})
}

// everywhere is a directory in which each file has one text.
type everywhere string

func (e everywhere) Read(string) ([]byte, error) { return []byte(e), nil }

func (e everywhere) Files(folder, ext string) ([]string, error) {
	return []string{folder + "/a" + ext}, nil
}
