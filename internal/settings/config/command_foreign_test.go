package config_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestForeignCommands checks which commands of other agents are used, and what is reported about the others.
func TestForeignCommands(t *testing.T) {
	t.Parallel()
	c := files{
		"me/.claude/commands/mine.md":       "Do mine.",
		"me/.claude/commands/both.md":       "The user's.",
		"work/.claude/commands/both.md":     "The project's.",
		"work/.claude/commands/group/in.md": "---\ndescription: In a group\nargument-hint: [FILE] [WHOM]\nallowed-tools: Read, Bash(git:*)\nmodel: haiku\ndisable-model-invocation: true\n---\nDo $1.",
		"work/.agents/commands/own.md":      "---\ndescription: other\n---\nOverridden.",
		"work/.aura/config/commands/own.md": "aura's own.",
		"work/.claude/commands/broken.md":   "---\ndescription: [\n---\nx",
		"work/.claude/commands/empty.md":    "---\ndescription: x\n---\n",
		"work/.claude/commands/no good.md":  "x",
		"work/.claude/commands/.hidden.md":  "x",
		"work/.claude/commands/readme.txt":  "x",
	}.load(t)
	for name, body := range map[string]string{"mine": "Do mine.", "both": "The project's.", "own": "aura's own.", "in": "Do $1."} {
		if c.Commands[name].Body != body {
			t.Errorf("%s is %q", name, c.Commands[name].Body)
		}
	}
	in := c.Commands["in"]
	if len(c.Commands) != 4 || in.Description != "In a group" || in.ArgumentHint != "[FILE] [WHOM]" || in.Model != "haiku" || fmt.Sprint(in.AllowedTools) != "[Read, Bash(git:*)]" {
		t.Errorf("got %+v", c.Commands)
	}
	notices := filepath.ToSlash(strings.Join(c.Notices, "\n"))
	for _, want := range []string{
		"the command in %s/broken.md is left out: line ", "the command in %s/empty.md is left out: it has no text", `%s/no good.md is left out: "no good" cannot be typed`,
		"commands in %s have keys that aura does not know: in (disable-model-invocation)",
	} {
		if want = strings.ReplaceAll(want, "%s", "/work/.claude/commands"); !strings.Contains(strings.ReplaceAll(notices, "in "+root(notices), "in "), want) {
			t.Errorf("%q is not in\n%s", want, notices)
		}
	}
}

// root returns what precedes /work in the first path of a text.
func root(text string) string {
	before, _, _ := strings.Cut(text, "/work/")
	return before[strings.LastIndex(before, " ")+1:]
}

// TestImports has a row for each rule about what files of instructions import.
func TestImports(t *testing.T) {
	t.Parallel()
	const agents = "work/AGENTS.md"
	chain := files{agents: "@1.md"}
	for i := 1; i < 9; i++ {
		chain[fmt.Sprintf("work/%d.md", i)] = fmt.Sprintf("@%d.md", i+1)
	}
	for name, row := range map[string]struct {
		files files
		links map[string]string
		// want holds the names of the files in order; notice is part of a notice.
		want, notice string
	}{
		"one":               {files{agents: "See @docs/style.md, please.", "work/docs/style.md": "s"}, nil, "AGENTS.md style.md", ""},
		"from its folder":   {files{agents: "@docs/a.md", "work/docs/a.md": "@b.md", "work/docs/b.md": "b"}, nil, "AGENTS.md a.md b.md", ""},
		"once":              {files{agents: "@a.md @a.md", "work/a.md": "@AGENTS.md @a.md"}, nil, "AGENTS.md a.md", ""},
		"no file":           {files{agents: "@team @org/package @missing.md"}, nil, "AGENTS.md", ""},
		"not in code":       {files{agents: "`@a.md`\n```\n@a.md\n```\n", "work/a.md": "a"}, nil, "AGENTS.md", ""},
		"other kinds":       {files{agents: "@secrets.env @main.go", "work/secrets.env": "A=b", "work/main.go": "x"}, nil, "AGENTS.md", ""},
		"depth":             {chain, nil, "AGENTS.md 1.md 2.md 3.md 4.md 5.md", "6.md are left out: "},
		"out of it":         {files{agents: "@../else.md", "else.md": "x"}, nil, "AGENTS.md", "it is not in "},
		"user's home":       {files{agents: "@~/notes.md", "me/notes.md": "x"}, nil, "AGENTS.md", "it is not in "},
		"user's own":        {files{"me/.aura/AGENTS.md": "@more.md", "me/.aura/more.md": "m"}, nil, "AGENTS.md more.md", ""},
		"out of user's own": {files{"me/.aura/AGENTS.md": "@../x.md", "me/x.md": "m"}, nil, "AGENTS.md", "it is not in "},
		"link":              {files{agents: "@a.md", "else.md": "x"}, map[string]string{"work/a.md": "../else.md"}, "AGENTS.md", "a.md are left out: "},
		"folder is a link":  {files{agents: "@d/else.md", "out/else.md": "x"}, map[string]string{"work/d": "../out"}, "AGENTS.md", "else.md are left out: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := row.files.options(t)
			for from, to := range row.links {
				testneed.Link(t, to, filepath.Join(filepath.Dir(o.Workdir), from))
			}
			c := load(t, o)
			var got []string
			for _, i := range c.Instructions {
				got = append(got, filepath.Base(i.Path))
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("got %v", got)
			}
			told := slices.ContainsFunc(c.Notices, func(n string) bool { return row.notice != "" && strings.Contains(n, row.notice) })
			if told != (row.notice != "") || row.notice == "" && len(c.Notices) > 0 {
				t.Errorf("notices are %v", c.Notices)
			}
		})
	}
}
