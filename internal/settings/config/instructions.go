package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// InstructionSettings decides whether files of instructions are part of the system prompt: the key instructions: in features/.
type InstructionSettings struct {
	Enabled bool `yaml:"enabled"`
}

// Instructions is a file of instructions for the model. It is plain text, not a template.
type Instructions struct {
	// Path is absolute.
	Path string
	Text string
}

// instructionNames lists the possible names of such a file. If a directory contains several, the first name is used.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md"}

// leastInstructions is the smallest remainder of the size limit for which a shortened file of instructions is still kept, in
// bytes.
const leastInstructions = 1 << 10

// instructions reads the files of instructions. The notices report which of them are shortened or left out.
func (o Options) instructions(p places) (found []Instructions, notices []string) {
	if o.WithoutInstructions {
		return nil, nil
	}
	var all []Instructions
	add := func(path, text string, err error) bool {
		switch text = cleanInstructions(text); {
		case err != nil:
			notices = append(notices, fmt.Sprintf("the instructions in %s are left out: %v", path, files.Cause(err)))
		case text != "" && !slices.ContainsFunc(all, func(i Instructions) bool { return i.Path == path }):
			all = append(all, Instructions{Path: path, Text: text})
			return true
		}
		return false
	}
	if p.user != "" {
		o.userInstructions(p.user, add)
	}
	if !o.Safe {
		o.projectInstructions(p, add)
	}
	found, short := boundInstructions(all)
	return found, append(notices, short...)
}

// userInstructions reads the file of the user's home.
func (o Options) userInstructions(home string, add func(path, text string, err error) bool) {
	root, err := files.OpenRoot(home)
	if err != nil {
		// Without a home there are no instructions in it.
		return
	}
	defer func() { _ = root.Close() }()
	readInstructions(home, "", readOwn(home), &importer{top: home, root: root, userHome: o.UserHome, add: add, left: maxImports})
}

// projectInstructions reads the files of the project.
func (o Options) projectInstructions(p places, add func(path, text string, err error) bool) {
	dirs := fromRoot(p.workdir, o.UserHome)
	root, err := files.OpenRoot(dirs[0])
	if err != nil {
		add(dirs[0], "", err)
		return
	}
	defer func() { _ = root.Close() }()
	imports := &importer{top: dirs[0], root: root, userHome: o.UserHome, add: add, left: maxImports}
	for _, dir := range dirs {
		rel, _ := filepath.Rel(dirs[0], dir) // dir is below dirs[0], so there is no error
		readInstructions(dirs[0], rel, readLinked(root), imports)
	}
}

// readInstructions reads the instructions file of one directory below top, if there is one, and what it imports.
func readInstructions(top, dir string, read func(name string) (string, error), imports *importer) {
	for _, name := range instructionNames {
		name = filepath.Join(dir, name)
		text, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if path := filepath.Join(top, name); imports.add(path, text, err) {
			imports.follow(path, text, 0)
		}
		return
	}
}

// readOwn reads files in the user's home and follows links. The user may have created links there. Confined code cannot.
func readOwn(dir string) func(name string) (string, error) {
	return func(name string) (string, error) {
		text, err := files.Read(filepath.Join(dir, name), files.MaxText)
		return string(text), err
	}
}

// readLinked reads files in a project. Tools can create links there, and the target of a link would be sent to the model. A link
// is therefore followed only if it points to another instructions file of the project.
func readLinked(root *os.Root) func(name string) (string, error) {
	return func(name string) (string, error) {
		if target, err := root.Readlink(name); err == nil {
			if filepath.IsAbs(target) || !slices.Contains(instructionNames, filepath.Base(target)) {
				return "", fmt.Errorf("it is a link to %s, and only a relative link to AGENTS.md or CLAUDE.md in the project is followed", target)
			}
			name = filepath.Join(filepath.Dir(name), target)
		}
		text, err := files.ReadBelow(root, name, files.MaxText)
		return string(text), err
	}
}

func cleanInstructions(text string) string {
	return strings.TrimSpace(strings.ToValidUTF8(strings.TrimPrefix(text, "\uFEFF"), "\uFFFD"))
}

// boundInstructions keeps as many instructions as the limit allows, the outermost first.
func boundInstructions(all []Instructions) (kept []Instructions, notices []string) {
	left := limit.Instructions
	for _, i := range all {
		most := fmt.Sprintf("all files of instructions together have at most %s", limit.Size(limit.Instructions))
		switch {
		case len(i.Text) <= left:
		case left < leastInstructions:
			notices = append(notices, fmt.Sprintf("the instructions in %s are left out: %s", i.Path, most))
			continue
		default:
			notices = append(notices, fmt.Sprintf("the instructions in %s are shortened: %s", i.Path, most))
			i.Text = limit.Shorten(i.Text, left-leastInstructions/2)
		}
		left -= len(i.Text)
		kept = append(kept, i)
	}
	return kept, notices
}
