package portable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
)

// maxSkills limits how many entries of skills/ are looked at.
const maxSkills = 1000

// Skill is the main file of a skill, not parsed.
type Skill struct {
	// Dir is the name of the skill's directory. File is the path of its main file, without links above the skill's directory.
	Dir, File string
	Text      []byte
}

// Skills reads the skills of a package: the directories in skills/ that have a SKILL.md. It does not look further down.
func (p Package) Skills() ([]Skill, []Fault) {
	rel, err := p.resolve(SkillsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	dir := filepath.Join(p.Root, rel)
	var entries []fs.DirEntry
	if err == nil {
		if info, stat := os.Stat(dir); stat != nil || !info.IsDir() {
			err = errors.Join(stat, errors.New("it is not a directory"))
		} else {
			entries, err = files.ReadDir(dir, maxSkills+1)
		}
	}
	if err == nil && len(entries) > maxSkills {
		err = fmt.Errorf("it has more than %d entries", maxSkills)
	}
	if err != nil {
		return nil, []Fault{{Part: SkillsDir + "/", Err: err}}
	}
	var out []Skill
	var faults []Fault
	for _, e := range entries {
		s, err := p.skill(rel, e.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			faults = append(faults, Fault{Part: "skill " + e.Name(), Err: err})
		default:
			out = append(out, s)
		}
	}
	return out, faults
}

// skill reads one entry of skills/. An entry that is no skill is fs.ErrNotExist.
func (p Package) skill(parent, name string) (Skill, error) {
	dir := filepath.Join(p.Root, parent, name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Skill{}, fs.ErrNotExist
	}
	// A file system that ignores case also finds skill.md.
	entries, err := p.entries(filepath.Join(parent, name))
	if err != nil {
		return Skill{}, err
	}
	if !entries[SkillFile] {
		return Skill{}, fs.ErrNotExist
	}
	text, err := p.read(filepath.Join(parent, name, SkillFile), files.MaxText)
	if errors.Is(err, files.ErrNotRegular) {
		return Skill{}, fs.ErrNotExist
	}
	return Skill{Dir: name, File: filepath.Join(dir, SkillFile), Text: text}, err
}

// entries returns the names in a directory of the package.
func (p Package) entries(name string) (map[string]bool, error) {
	rel, err := p.resolve(name)
	if err != nil {
		return nil, err
	}
	list, err := files.ReadDir(filepath.Join(p.Root, rel), maxSkills)
	out := map[string]bool{}
	for _, e := range list {
		out[e.Name()] = true
	}
	return out, err
}
