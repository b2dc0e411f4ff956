package setup

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/settings/config"
)

// skills returns the skills that the model can read.
func skills(c *config.Config) []skill.Skill {
	var out []skill.Skill
	for _, name := range slices.Sorted(maps.Keys(c.Skills)) {
		out = append(out, ReadableSkill(c.Skills[name]))
	}
	return out
}

// ReadableSkill returns a skill as the model reads it.
func ReadableSkill(s config.Skill) skill.Skill {
	return skill.Skill{Name: s.Name, Description: s.Description, Body: s.Body, Dir: skillDir(s)}
}

// skillDir returns the directory of a skill's own files, without links, so that a grant covers it. It is empty if the skill is a single
// file.
func skillDir(s config.Skill) string {
	dir := s.Dir()
	if real, err := filepath.EvalSymlinks(dir); dir != "" && err == nil {
		return real
	}
	return dir
}

// userSkillDirs returns the directories of the user's skills, and of the converted plugins whose texts name files in all of the plugin. Tools
// can read the skills of the project anyway.
func userSkillDirs(c *config.Config) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Skills)) {
		if s := c.Skills[name]; s.Source.Home.Kind == config.HomeUser && s.Dir() != "" {
			out = append(out, skillDir(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Packages)) {
		if p := c.Packages[name]; p.Home.Kind == config.HomeUser && p.Claude() {
			out = append(out, p.Root)
		}
	}
	return out
}
