package policy

import "testing"

// TestCalls has a row for each rule about patterns of calls: whether they touch, may touch and cover a call.
func TestCalls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		patterns             string
		tool, arg            string
		touch, maybe, covers bool
	}{
		"the command":         {"Bash:git *", "Bash", "git push", true, true, true},
		"another command":     {"Bash:git *", "Bash", "ls", false, false, false},
		"one of two":          {"Bash:git *", "Bash", "git push && ls", true, true, false},
		"both":                {"Bash:git *", "Bash", "git add . && git push", true, true, true},
		"hidden":              {"Bash:git *", "Bash", "$(echo git) push", false, true, false},
		"hidden beside":       {"Bash:git *", "Bash", "git push $(cat x)", true, true, false},
		"cannot be parsed":    {"Bash:git *", "Bash", "ls '", false, true, false},
		"any command":         {"Bash", "Bash", "$(cat x)", true, true, true},
		"another tool":        {"Bash:git *", "Read", "git push", false, false, false},
		"a file":              {"Edit:src/*.ts", "Edit", "src/a.ts", true, true, true},
		"the file, absolute":  {"Edit:src/*.ts", "Edit", "/w/src/x/../a.ts", true, true, true},
		"another file":        {"Edit:src/*.ts", "Edit", "src/a.go", false, false, false},
		"a tool of a server":  {"mcp__a__*", "mcp__a__b", "x", true, true, true},
		"nothing is selected": {"", "Bash", "git push", false, false, false},
	} {
		var patterns []string
		if row.patterns != "" {
			patterns = []string{"Other", row.patterns}
		}
		c, err := NewCalls(patterns)
		if err != nil {
			t.Fatal(err)
		}
		key := "path"
		if row.tool == ShellTool {
			key = "command"
		}
		args := map[string]any{key: row.arg}
		c = c.In("/w")
		if touch, maybe, covers := c.Touch(row.tool, args), c.MayTouch(row.tool, args), c.Cover(row.tool, args); touch != row.touch || maybe != row.maybe || covers != row.covers {
			t.Errorf("%s: touch %v, maybe %v, covers %v", name, touch, maybe, covers)
		}
	}
	for _, wrong := range []string{"", ":x", "Bash:"} {
		if _, err := NewCalls([]string{wrong}); err == nil {
			t.Errorf("%q is a pattern", wrong)
		}
	}
}
