package agentimport

// The tables below are the only description of the other agents. docs/coming-from.md shows them.

const (
	mcpPath     = "[`config/mcp/NAME.yaml`](tools.md#mcp-servers)"
	hookPath    = "[`config/hooks/`](hooks.md), with `protocol: claude`"
	commandPath = "[`config/commands/NAME.md`](slash-commands.md#your-own)"
	agentPath   = "[`config/agents/NAME.md`](agents.md#subagents)"
	policyPath  = "[`tools.policy`](tools.md#policy)"
	agentsPath  = "[`AGENTS.md`](prompts.md#instructions)"
	inPlace     = "read in place"
	moveSkills  = "move the folders to `.agents/skills`, which both read"
	pluginPath  = "[a portable plugin](install-plugins.md#plugins-of-claude-code)"
	modelNames  = "names of models: they are those of your provider"
)

func claude() Agent {
	settings := []string{".claude/settings.json", ".claude/settings.local.json"}
	return Agent{Name: "claude", Title: "Claude Code", parts: []part{
		{kind: KindServer, user: []string{".claude.json"}, project: []string{".mcp.json"}, key: "mcpServers", becomes: mcpPath, not: "type `sse`; servers of one project in your own file", read: localServers},
		{kind: KindHook, user: settings[:1], project: settings, key: "hooks", becomes: hookPath, not: "types `prompt`, `agent` and `http`; events that aura does not have; hooks whose `if` has no pattern in aura, unless they run before a call", read: hooks},
		{kind: KindPolicy, user: settings[:1], project: settings, key: "permissions", becomes: policyPath, not: "`defaultMode`, `additionalDirectories`, rules about tools that aura does not have", read: policy(claudePermissions)},
		{kind: KindAgent, user: []string{".claude/agents/**.md"}, project: []string{".claude/agents/**.md"}, becomes: agentPath, not: modelNames, read: agentFile},
		{kind: KindInstructions, user: []string{".claude/CLAUDE.md"}, project: []string{".claude/CLAUDE.md", "CLAUDE.local.md"}, becomes: agentsPath, read: instructions},
		{kind: KindInstructions, project: []string{"CLAUDE.md"}, becomes: inPlace},
		{kind: KindCommand, user: []string{".claude/commands/**.md"}, project: []string{".claude/commands/**.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".claude/skills/**/SKILL.md"}, project: []string{".claude/skills/**/SKILL.md"}, becomes: inPlace},
		{project: []string{".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"}, becomes: pluginPath, by: "`aura plugins add`", not: "`lspServers`, output styles, themes, monitors, workflows, `bin/`, hooks of other types than `command`"},
		{kind: KindInstructions, user: []string{".claude/rules/**.md"}, project: []string{".claude/rules/**.md"}, not: "import them in `AGENTS.md` with [`@PATH`](prompts.md#instructions)"},
		{user: []string{".claude/output-styles/**.md"}, project: []string{".claude/output-styles/**.md"}, not: "write [an agent](agents.md#agents)"},
		{user: settings[:1], project: settings, key: "env model sandbox statusLine outputStyle apiKeyHelper", not: "see [providers](providers.md), [the sandbox](sandbox.md) and [configuration](configuration.md)"},
		{user: settings[:1], project: settings, key: "enabledPlugins extraKnownMarketplaces", not: "install each with [`aura plugins add MARKETPLACE --plugin NAME`](install-plugins.md#plugins-of-claude-code)"},
	}}
}

func codex() Agent {
	config := []string{".codex/config.toml"}
	return Agent{Name: "codex", Title: "Codex CLI", parts: []part{
		{kind: KindServer, user: config, project: config, key: "mcp_servers", becomes: mcpPath, not: "timeouts and lists of tools", read: servers},
		{kind: KindHook, user: []string{".codex/hooks.json"}, project: []string{".codex/hooks.json"}, key: "hooks", becomes: hookPath, not: "events that aura does not have", read: hooks},
		{kind: KindHook, user: config, project: config, key: "hooks", becomes: hookPath, not: "`notify`", read: hooks},
		{kind: KindPolicy, user: config, project: config, key: "approval_policy", becomes: policyPath, not: "modes other than `untrusted`", read: policy(codexPermissions)},
		{kind: KindCommand, user: []string{".codex/prompts/**.md"}, becomes: commandPath, not: "arguments with names", read: commandFile},
		{kind: KindAgent, user: []string{".codex/agents/**.toml"}, project: []string{".codex/agents/**.toml"}, becomes: agentPath, not: modelNames, read: tomlAgent},
		{kind: KindInstructions, user: []string{".codex/AGENTS.md"}, becomes: agentsPath, read: instructions},
		{kind: KindInstructions, project: []string{"AGENTS.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".agents/skills/**/SKILL.md"}, project: []string{".agents/skills/**/SKILL.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".codex/skills/**/SKILL.md"}, project: []string{".codex/skills/**/SKILL.md"}, not: moveSkills},
		{project: []string{".codex-plugin/plugin.json", ".agents/plugins/marketplace.json"}, not: "a plugin that also has `plugin.json` or `.claude-plugin/` is installed by `aura plugins add`"},
		{user: []string{".codex/rules/**.rules"}, not: "rules are programs: write [`tools.policy`](tools.md#policy)"},
		{user: config, project: config, key: "sandbox_mode model model_providers profiles", not: "see [the sandbox](sandbox.md) and [providers](providers.md)"},
	}}
}

func gemini() Agent {
	settings := []string{".gemini/settings.json"}
	return Agent{Name: "gemini", Title: "Gemini CLI", parts: []part{
		{kind: KindServer, user: settings, project: settings, key: "mcpServers", becomes: mcpPath, not: "`trust`, `timeout`, lists of tools", read: servers},
		{kind: KindHook, user: settings, project: settings, key: "hooks", becomes: hookPath + " and `disabled: true`", not: "events about models; the scripts read other names, so you change them first", read: hooks},
		{kind: KindPolicy, user: settings, project: settings, key: "tools", becomes: policyPath, not: "keys other than `allowed` and `exclude`", read: policy(geminiPermissions)},
		{kind: KindPolicy, user: []string{".gemini/policies/**.toml"}, project: []string{".gemini/policies/**.toml"}, becomes: policyPath, not: "priorities, `argsPattern`, `commandRegex`, `modes`, `mcpName`", read: policy(geminiPolicy)},
		{kind: KindCommand, user: []string{".gemini/commands/**.toml"}, project: []string{".gemini/commands/**.toml"}, becomes: commandPath, read: tomlCommand},
		{kind: KindAgent, user: []string{".gemini/agents/**.md"}, project: []string{".gemini/agents/**.md"}, becomes: agentPath, not: modelNames, read: agentFile},
		{kind: KindInstructions, user: []string{".gemini/GEMINI.md"}, project: []string{"GEMINI.md"}, becomes: agentsPath, read: instructions},
		{kind: KindSkill, user: []string{".agents/skills/**/SKILL.md"}, project: []string{".agents/skills/**/SKILL.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".gemini/skills/**/SKILL.md"}, project: []string{".gemini/skills/**/SKILL.md"}, not: moveSkills},
		{user: settings, project: settings, key: "model general ui security context", not: "see [configuration](configuration.md)"},
		{user: []string{".gemini/extensions/**/gemini-extension.json"}, not: "import its servers with `aura mcp import`"},
	}}
}

func openCode() Agent {
	user, project := []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, []string{"opencode.json", "opencode.jsonc"}
	folders := func(name string) (u, p []string) {
		return []string{".config/opencode/" + name + "/**.md", ".config/opencode/" + name + "s/**.md"}, []string{".opencode/" + name + "/**.md", ".opencode/" + name + "s/**.md"}
	}
	userAgents, projectAgents := folders("agent")
	userCommands, projectCommands := folders("command")
	return Agent{Name: "opencode", Title: "OpenCode", parts: []part{
		{kind: KindServer, user: user, project: project, key: "mcp", becomes: mcpPath, not: "`oauth`: use `aura mcp login`; `timeout`", read: servers},
		{kind: KindPolicy, user: user, project: project, key: "permission", becomes: policyPath, not: "patterns whose order matters", read: policy(openCodePermissions)},
		{kind: KindAgent, user: user, project: project, key: "agent", becomes: agentPath, not: modelNames, read: objects("prompt", (*input).addAgent)},
		{kind: KindAgent, user: userAgents, project: projectAgents, becomes: agentPath, not: modelNames, read: agentFile},
		{kind: KindCommand, user: user, project: project, key: "command", becomes: commandPath, not: modelNames, read: objects("template", (*input).addCommand)},
		{kind: KindCommand, user: userCommands, project: projectCommands, becomes: commandPath, not: modelNames, read: commandFile},
		{kind: KindInstructions, user: user, project: project, key: "instructions", becomes: agentsPath, not: "patterns and addresses", read: instructionList},
		{kind: KindInstructions, user: []string{".config/opencode/AGENTS.md"}, becomes: agentsPath, read: instructions},
		{kind: KindInstructions, project: []string{"AGENTS.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".agents/skills/**/SKILL.md", ".claude/skills/**/SKILL.md"}, project: []string{".agents/skills/**/SKILL.md", ".claude/skills/**/SKILL.md"}, becomes: inPlace},
		{kind: KindSkill, user: []string{".config/opencode/skills/**/SKILL.md"}, project: []string{".opencode/skills/**/SKILL.md"}, not: moveSkills},
		{user: user, project: project, key: "plugin provider model keybinds formatter lsp", not: "plugins are programs for OpenCode; see [configuration](configuration.md)"},
	}}
}
