package mcp

import (
	"regexp"
	"strings"
	"testing"
)

func TestToolName(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		server, tool, want string
		// hashed is set if the name ends in eight additional digits.
		hashed bool
	}{
		"plain":                {"files", "read-file", "mcp__files__read-file", false},
		"two underscores":      {"a", "b__c", "mcp__a__b__c", false},
		"as long as it may be": {"a", strings.Repeat("x", 56), "mcp__a__" + strings.Repeat("x", 56), false},
		"too long":             {"files", strings.Repeat("x", 80), "mcp__files__" + strings.Repeat("x", 43) + "_", true},
		"other characters":     {"files", "read.file", "mcp__files__read_file_", true},
		"not in the alphabet":  {"a", "é", "mcp__a____", true},
		"server ends in _":     {"a_", "b", "mcp__a___b_", true},
		"tool begins with _":   {"a", "_b", "mcp__a___b_", true},
		"server has a border":  {"a__b", "c", "mcp__a__b__c_", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := toolName(row.server, row.tool)
			if again := toolName(row.server, row.tool); again != got {
				t.Errorf("%s, then %s", got, again)
			}
			if row.hashed {
				got = got[:len(got)-8]
			}
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func FuzzToolName(f *testing.F) {
	f.Add("a", "_b", "a_", "b")
	f.Add("a", "b.c", "a", "b_c")
	f.Add("files", strings.Repeat("é", 70), "files", strings.Repeat("è", 70))
	usable := regexp.MustCompile(`^mcp__[a-zA-Z0-9_-]{1,59}$`)
	f.Fuzz(func(t *testing.T, server, tool, otherServer, otherTool string) {
		one, two := toolName(server, tool), toolName(otherServer, otherTool)
		if !usable.MatchString(one) {
			t.Errorf("%q of %q: %q", tool, server, one)
		}
		if one == two && (server != otherServer || tool != otherTool) {
			t.Errorf("%q of %q and %q of %q: both %q", tool, server, otherTool, otherServer, one)
		}
	})
}
