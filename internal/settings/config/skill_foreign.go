package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// foreignNames lists the directories of other agents that may contain skills, lowest precedence first.
var foreignNames = []string{".claude", ".agents"}

// maxNamed limits how many skills one notice names.
const maxNamed = 5

// LeftOut is a file that aura does not use because it cannot read it.
type LeftOut struct {
	Place

	// Name is the name of the skill's directory.
	Name   string
	Reason string
}

// foreignSkills returns the directories of other agents, in the user's home directory and beside the project's home. The command line
// excludes those of the user if it names another home, and those of the project if it names homes or excludes the project.
func (o Options) foreignSkills(p places) []Home {
	var out []Home
	if o.Home == nil && o.UserHome != "" {
		for _, name := range foreignNames {
			out = append(out, Home{Dir: filepath.Join(absolute(p.workdir, o.UserHome), name), Kind: HomeUser})
		}
	}
	if o.Safe || len(o.Configs) > 0 {
		return out
	}
	for _, name := range foreignNames {
		dir := filepath.Join(filepath.Dir(p.project), name)
		if !slices.ContainsFunc(out, func(h Home) bool { return h.Dir == dir }) {
			out = append(out, Home{Dir: dir, Kind: HomeProject})
		}
	}
	return out
}

// readForeignSkills adds the skills in a directory of another agent. A file that cannot be used is left out with a notice.
func (l *loader) readForeignSkills(home Home, merged map[string]Skill) {
	dir := foreignDir{home: home, top: filepath.Join(home.Dir, skillsFolder)}
	paths, err := dir.list()
	if err != nil {
		l.notices = append(l.notices, fmt.Sprintf("the skills in %s are left out: %v", dir.top, files.Cause(err)))
		return
	}
	read := map[string]string{}
	var deviating []string
	for _, path := range paths {
		s := Source{File: path, Home: home}
		data, err := dir.read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var file skill.File
		var faults []skill.Fault
		if err == nil {
			file, faults, err = skill.Parse(path, data)
		}
		if earlier, ok := read[file.Name]; ok && err == nil {
			err = fmt.Errorf("%s has the same name, %q", earlier, file.Name)
		}
		if err != nil {
			l.leaveOut(s, err)
			continue
		}
		read[file.Name] = path
		if len(faults) > 0 {
			deviating = append(deviating, fmt.Sprintf("%s (%s)", file.Name, faults[0]))
		}
		l.addForeignSkill(s, file, merged)
	}
	if len(deviating) > 0 {
		l.notices = append(l.notices, fmt.Sprintf("skills in %s are used although they break rules of the specification: %s; 'aura skills check' lists the rules",
			dir.top, firstOf(deviating)))
	}
}

// addForeignSkill adds a skill, unless a link leads to one that is there already.
func (l *loader) addForeignSkill(s Source, f skill.File, merged map[string]Skill) {
	if earlier, ok := merged[f.Name]; ok && earlier.Source.Home.Kind == s.Home.Kind && sameFile(earlier.Source.File, s.File) {
		return
	}
	l.seen.addPlace("skill", f.Name, Place{Source: s, Line: f.Line})
	merged[f.Name] = Skill{
		Source: s, Body: f.Body, Name: f.Name, Description: f.Description, License: f.License, Compatibility: f.Compatibility,
		Metadata: f.Metadata, AllowedTools: f.AllowedTools,
	}
}

func (l *loader) leaveOut(s Source, err error) {
	out := LeftOut{Place: Place{Source: s, Line: 1}, Name: filepath.Base(filepath.Dir(s.File)), Reason: files.Cause(err).Error()}
	if at, ok := errors.AsType[*strictyaml.Error](err); ok {
		out.Line, out.Reason = max(at.Line, 1), at.Err.Error()
	}
	l.leftOut = append(l.leftOut, out)
	l.notices = append(l.notices, fmt.Sprintf("the skill in %s:%d is left out: %s", s.File, out.Line, out.Reason))
}

func firstOf(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// foreignDir reads a folder of skills. In the user's home directory, links lead where the user made them lead. In a project, tools can
// create links, and the target of a link would be sent to the model. No link there leads out of the project.
type foreignDir struct {
	home Home
	// top is the folder that contains the folders of skills.
	top string
}

// list returns where the main files of the skills are. They need not exist. A folder that does not exist has none.
func (d foreignDir) list() ([]string, error) {
	entries, err := d.entries(d.top)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(entries) > limit.ConfigFiles {
		err = fmt.Errorf("it contains more than %d files and folders", limit.ConfigFiles)
	}
	var out []string
	for _, e := range entries {
		if path := filepath.Join(d.top, e.Name()); !strings.HasPrefix(e.Name(), ".") && isDir(path, e) {
			out = append(out, filepath.Join(path, skill.FileName))
		}
	}
	return out, err
}

func (d foreignDir) read(path string) (data []byte, err error) {
	err = d.below(path, func(root *os.Root, name string) error {
		if root == nil {
			data, err = files.Read(path, files.MaxText)
		} else {
			data, err = files.ReadBelow(root, name, files.MaxText)
		}
		return err
	})
	return data, err
}

// below calls do with the root of the project and the name of a path in it, or with nil in the user's home directory.
func (d foreignDir) below(path string, do func(root *os.Root, name string) error) error {
	if d.home.Kind == HomeUser {
		return do(nil, path)
	}
	base := filepath.Dir(d.home.Dir)
	root, err := files.OpenRoot(base)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	name, err := filepath.Rel(base, path)
	if err != nil {
		return err
	}
	return do(root, name)
}
