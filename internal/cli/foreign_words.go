package cli

import "slices"

// foreignWords maps words that are commands of other programs to what does the same in aura.
var foreignWords = []struct {
	words []string
	does  string
}{
	{[]string{"login", "auth", "signin", "logout", "signout", "key", "keys"}, `aura asks for a model and its key when it starts in a terminal without a provider; ` +
		`"aura providers" lists the providers, and "aura mcp login NAME" logs in to an MCP server`},
	{[]string{"update", "upgrade", "self-update"}, `aura does not replace its own programs: install the new release as you installed this one; "aura plugins update" updates plugins`},
	{[]string{"uninstall", "remove"}, `remove aura as you installed it; "aura plugins remove NAME" removes a plugin`},
	{[]string{"config", "configure", "configuration", "settings", "setup"}, `the configuration is files: "aura init" writes commented ones, "aura show" prints what is in effect, and "aura paths" says where the files are`},
	{[]string{"install", "extensions", "extension"}, `"aura plugins add SOURCE" installs a plugin`},
	{[]string{"resume", "continue"}, `"aura --continue" continues the last session, and "aura --resume" lets you choose one`},
	{[]string{"exec", "ask", "chat", "print"}, `"aura run PROMPT" sends a prompt and prints the answer, and "aura" alone opens the screen`},
	{[]string{"history", "list", "ls"}, `"aura sessions" lists the sessions`},
	{[]string{"serve", "server", "ui"}, `"aura web" serves pages about sessions, and "aura acp" serves an editor`},
	{[]string{"status", "health", "diagnose"}, `"aura doctor" checks this machine and directory, and "aura sessions" shows what running sessions do`},
	{[]string{"usage", "cost", "stats"}, `/cost shows it in a session, and "aura sessions" lists the cost of each session`},
	{[]string{"permissions", "allow"}, `"aura approvals" lists what you approved, and "aura trust" what this directory may do`},
}

// meaningHere returns what does in aura what a command of other programs does; empty if the word is not known.
func meaningHere(word string) string {
	for _, e := range foreignWords {
		if slices.Contains(e.words, word) {
			return e.does
		}
	}
	return ""
}
