package config_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestSkillFields(t *testing.T) {
	t.Parallel()
	const skills = "work/.aura/skills/"
	skill := func(name string) string { return "---\nname: " + name + "\ndescription: when needed\n---\n\nDo it.\n" }
	c := files{
		skills + "single.md":                 skill("single"),
		skills + "group/other.md":            skill("other"),
		skills + "folder/SKILL.md":           skill("folder"),
		skills + "folder/more.md":            "no skill",
		skills + "folder/reference/deep.md":  "no skill",
		skills + "folder/inner/SKILL.md":     skill("inner"),
		skills + "folder/inner/reference.md": "no skill",
		"me/.aura/skills/mine.md":            skill("mine"),
	}.load(t)
	if got := slices.Sorted(maps.Keys(c.Skills)); !slices.Equal(got, []string{"folder", "inner", "mine", "other", "single"}) {
		t.Errorf("got %v", got)
	}
	got := c.Skills["single"]
	if want := (config.Skill{Name: "single", Source: got.Source, Description: "when needed", Body: "Do it."}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSkillRefused(t *testing.T) {
	t.Parallel()
	const path = "work/.aura/skills/a.md"
	checkRefused(t, map[string]refused{
		"unknown key": {files{path: "---\nname: a\nversion: x\n---\ntext"}, []string{
			`skills/a.md:3: unknown key "version"; known keys: allowed-tools, compatibility, description, license, metadata, name`,
		}},
		"duplicate key":   {files{path: "---\nname: a\nname: b\n---\ntext"}, []string{`a.md:3: duplicate key "name"`}},
		"wrong type":      {files{path: "---\nname: a\ndescription: [x]\n---\ntext"}, []string{`a.md:3: key "description": expected text`}},
		"no name":         {files{path: "---\ndescription: x\n---\ntext"}, []string{`a.md:2: key "name": missing: a skill needs a name`}},
		"no text":         {files{path: "---\nname: a\n---\n"}, []string{`a.md:2: skill "a" has no text`}},
		"no skill at top": {files{"work/.aura/skills/SKILL.md": "---\nname: a\n---\nx", path: "text"}, []string{`skills/a.md:1: key "name": missing`}},
	})
}

// TestSkillKeys reads the keys of the specification in a home.
func TestSkillKeys(t *testing.T) {
	t.Parallel()
	got := files{"work/.aura/skills/a.md": "---\nname: a\nlicense: MIT\ncompatibility: git\nmetadata: {version: 1.0}\nallowed-tools: Read\n---\nDo it."}.load(t).Skills["a"]
	want := config.Skill{
		Name: "a", Source: got.Source, Body: "Do it.", License: "MIT", Compatibility: "git",
		Metadata: map[string]string{"version": "1.0"}, AllowedTools: config.Names{"Read"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestSkillOrder declares one skill in more and more directories, lowest precedence first. The last one hides the others.
func TestSkillOrder(t *testing.T) {
	t.Parallel()
	all := files{}
	var want []string
	for _, dir := range []string{"me/.claude", "me/.agents", "me/.aura", "work/.claude", "work/.agents", "work/.aura"} {
		path := dir + "/skills/a/SKILL.md"
		all[path] = "---\nname: a\ndescription: d\n---\n" + dir
		want = append([]string{path}, want...)
		c := all.load(t)
		var got []string
		for _, p := range c.Places("skill", "a") {
			got = append(got, filepath.ToSlash(p.File))
		}
		if c.Skills["a"].Body != dir || !slices.EqualFunc(got, want, strings.HasSuffix) {
			t.Errorf("got %q in %v, want %v", c.Skills["a"].Body, got, want)
		}
	}
}

// TestForeignSkills reads files of other agents. None of them is an error.
func TestForeignSkills(t *testing.T) {
	t.Parallel()
	const valid = "---\nname: a\ndescription: d\n---\nDo it."
	for name, row := range map[string]struct {
		files files
		// skills holds the names. notices holds a part of each notice. leftOut holds the directories of skills that are left out.
		skills, notices, leftOut []string
	}{
		"a project's":        {files{"work/.agents/skills/a/SKILL.md": valid}, []string{"a"}, nil, nil},
		"its own files":      {files{"work/.agents/skills/a/SKILL.md": valid, "work/.agents/skills/a/references/SKILL.md": "x"}, []string{"a"}, nil, nil},
		"no skill":           {files{"work/.agents/skills/README.md": "x", "work/.agents/skills/a/README.md": "x", "work/.agents/skills/.b/SKILL.md": "x"}, nil, nil, nil},
		"variables are text": {files{"me/.claude/skills/a/SKILL.md": strings.Replace(valid, ": d", ": ${NOTSET}", 1)}, []string{"a"}, nil, nil},
		"no text":            {files{"me/.claude/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n"}, []string{"a"}, nil, nil},
		"unknown keys": {
			files{"me/.claude/skills/a/SKILL.md": "---\nmodel: x\n" + valid[4:]},
			[]string{"a"},
			[]string{`.claude/skills are used although they break rules of the specification: a (unknown key "model")`},
			nil,
		},
		"broken": {
			files{"work/.claude/skills/a/SKILL.md": valid, "work/.claude/skills/b/SKILL.md": "---\nname: [\n---\n"},
			[]string{"a"},
			[]string{"skills/b/SKILL.md:2 is left out: "},
			[]string{"b"},
		},
		"no keys":         {files{"me/.agents/skills/a/SKILL.md": "x"}, nil, []string{"a/SKILL.md:1 is left out: it does not begin with keys"}, []string{"a"}},
		"one name, twice": {files{"me/.agents/skills/a/SKILL.md": valid, "me/.agents/skills/b/SKILL.md": valid}, []string{"a"}, []string{"b/SKILL.md:1 is left out: "}, []string{"b"}},
		"a file":          {files{"work/.agents/skills": "x"}, nil, []string{".agents/skills are left out: "}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := row.files.load(t)
			if got := slices.Sorted(maps.Keys(c.Skills)); !slices.Equal(got, row.skills) {
				t.Errorf("got skills %v", got)
			}
			if !slices.EqualFunc(c.Notices, row.notices, func(got, want string) bool { return strings.Contains(filepath.ToSlash(got), want) }) {
				t.Errorf("got notices %q", c.Notices)
			}
			var leftOut []string
			for _, l := range c.SkillsLeftOut {
				leftOut = append(leftOut, l.Name)
			}
			if !slices.Equal(leftOut, row.leftOut) {
				t.Errorf("left out: %v", leftOut)
			}
		})
	}
}
