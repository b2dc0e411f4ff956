package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSkillsCheck(t *testing.T) {
	t.Parallel()
	const skill = "---\nname: good\ndescription: d\n---\nDo it.\n"
	dir := filled(t, map[string]string{
		"lib/good/SKILL.md":         skill,
		"lib/bad/SKILL.md":          skill,
		"lib/README.md":             "no skill",
		"empty/README.md":           "no skill",
		".agents/skills/a/SKILL.md": "no keys",
		".claude/skills/a/SKILL.md": "---\nname: a\n---\n",
		".aura/skills/single.md":    "---\nname: Single File\n---\nIt is not checked.\n",
	})
	for name, row := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"one skill":         {[]string{"lib/good"}, exitDone, []string{"1 skills follow the specification"}},
		"several":           {[]string{"lib", "lib/good"}, exitError, []string{`/lib/bad/SKILL.md:2: key "name": "good" is not the name of the directory, "bad"`}},
		"all":               {nil, exitError, []string{"/.agents/skills/a/SKILL.md:1: it does not begin with keys", `/.claude/skills/a/SKILL.md:1: the key "description" is missing`}},
		"JSON":              {[]string{"lib", "--json"}, exitError, []string{`"line": 2`}},
		"JSON, none":        {[]string{"lib/good", "--json"}, exitDone, []string{"[]"}},
		"no skill":          {[]string{"empty"}, exitError, []string{"neither it nor a directory in it contains SKILL.md"}},
		"no such directory": {[]string{"nowhere"}, exitError, []string{"looking for skills: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"skills", "check"}, row.args...)
			for i, arg := range args {
				if i > 1 && !strings.HasPrefix(arg, "-") {
					args[i] = filepath.Join(dir, arg)
				}
			}
			code, stdout, stderr := in(t, dir, args...)
			for _, want := range row.want {
				if !strings.Contains(filepath.ToSlash(stdout+stderr), want) {
					t.Errorf("got %s%s, want %s", stdout, stderr, want)
				}
			}
			if code != row.code || strings.Contains(stdout, "single.md") {
				t.Errorf("got %d: %s%s", code, stdout, stderr)
			}
		})
	}
}
