package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/agent/skill"
)

// skillsFolder is the folder of skills, in a home and in a directory of another agent.
const skillsFolder = "skills"

// Skill is a text that a model can read when it needs it: skills/**/*.md of a home, one per file, or skills/NAME/SKILL.md in a
// directory of another agent.
type Skill struct {
	Source Source `yaml:"-"`
	Body   string `yaml:"-"`

	Name string `check:"required" yaml:"name"`
	// Description tells the model when the skill is needed.
	Description string `yaml:"description"`
	License     string `yaml:"license"`
	// Compatibility says what the skill needs, such as programs.
	Compatibility string            `yaml:"compatibility"`
	Metadata      map[string]string `yaml:"metadata"`
	// AllowedTools is shown. It grants nothing.
	AllowedTools Names `yaml:"allowed-tools"`
}

// Dir returns the folder whose files belong to the skill. It is empty if the skill is a single file.
func (s Skill) Dir() string {
	if !strings.EqualFold(filepath.Base(s.Source.File), skill.FileName) {
		return ""
	}
	return filepath.Dir(s.Source.File)
}

func (l *loader) skills() (map[string]Skill, error) {
	own := kind[Skill]{name: "skill", folder: skillsFolder, ext: markdownFiles, skip: belongsToSkill, read: l.readSkill}
	all, err := loadAround(l, own, l.readForeignSkills)
	l.addPackagedSkills(all)
	return all, err
}

// loadAround reads the entities of the user and then those of the project. Among those of one of them, a home takes precedence over the
// directories of other agents, which foreign reads.
func loadAround[T any](l *loader, own kind[T], foreign func(Home, map[string]T)) (map[string]T, error) {
	merged := map[string]T{}
	var faults []error
	for _, kind := range []HomeKind{HomeUser, HomeProject} {
		for _, dir := range l.foreign {
			if dir.Kind == kind {
				foreign(dir, merged)
			}
		}
		for _, home := range l.homes {
			if home.Kind != kind {
				continue
			}
			found, err := loadHome(l, own, home, merged)
			if err != nil {
				return nil, err
			}
			faults = append(faults, found...)
		}
	}
	addPackaged(l, own, merged)
	return merged, errors.Join(faults...)
}

// belongsToSkill reports whether a file is located in the folder of a skill but is not its main file.
func belongsToSkill(s Source) bool {
	if strings.EqualFold(filepath.Base(s.File), skill.FileName) {
		return false
	}
	top := filepath.Join(s.Home.Dir, skillsFolder)
	for dir := filepath.Dir(s.File); len(dir) > len(top); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, skill.FileName)); err == nil {
			return true
		}
	}
	return false
}

func (l *loader) readSkill(d document) ([]entity[Skill], error) {
	s := Skill{Source: d.Source, Body: strings.TrimSpace(d.body)}
	if err := l.decode(d, &s); err != nil {
		return nil, err
	}
	if err := d.named("a skill", s.Name); err != nil {
		return nil, err
	}
	if s.Body == "" {
		return nil, d.empty("skill", s.Name)
	}
	return []entity[Skill]{{name: s.Name, line: d.line("name"), value: s}}, nil
}
