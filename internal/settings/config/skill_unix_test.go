//go:build unix

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSkillLinks checks that no link in a project leads out of it, and that the user's links lead anywhere.
func TestSkillLinks(t *testing.T) {
	t.Parallel()
	const text = "---\nname: a\ndescription: d\n---\nDo it."
	for name, row := range map[string]struct {
		// link is made in place of a directory or a file. used is whether the skill is used. places counts where it is declared.
		target, link string
		used         bool
		places       int
	}{
		"user, a skill":                  {"else/a", "me/.claude/skills/a", true, 1},
		"user, all skills":               {"else", "me/.claude/skills", true, 1},
		"project, a skill":               {"else/a", "work/.claude/skills/a", false, 0},
		"project, all skills":            {"else", "work/.claude/skills", false, 0},
		"project, a file":                {"else/a/SKILL.md", "work/.claude/skills/a/SKILL.md", false, 0},
		"project, inside":                {"work/lib/a", "work/.claude/skills/a", true, 1},
		"project, of another agent":      {"work/.agents/skills/a", "work/.claude/skills/a", true, 1},
		"project, all of another agent":  {"work/.agents/skills", "work/.claude/skills", true, 1},
		"project, one of the user's too": {"me/.agents/skills/a", "work/.claude/skills/a", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := row.target
			if filepath.Base(target) != "SKILL.md" {
				target = filepath.Join(target, "SKILL.md")
			}
			if filepath.Base(row.link) == "skills" {
				target = filepath.Join(row.target, "a", "SKILL.md")
			}
			o := files{target: text}.options(t)
			root := filepath.Dir(o.Workdir)
			link := filepath.Join(root, row.link)
			to, err := filepath.Rel(filepath.Dir(link), filepath.Join(root, row.target))
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(to, link)); err != nil {
				t.Fatal(err)
			}
			c := load(t, o)
			if _, used := c.Skills["a"]; used != row.used || len(c.Places("skill", "a")) != row.places {
				t.Errorf("got %+v, %v", c.Skills["a"], c.Places("skill", "a"))
			}
			if !row.used && len(c.Notices) != 1 {
				t.Errorf("got notices %q", c.Notices)
			}
		})
	}
}
