package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/settings/config"
)

const skillsCheckHelp = `Check skills against the Agent Skills specification (agentskills.io). DIR is the
directory of a skill, or a directory that contains such directories. Without DIR,
aura checks the skills of the project and of the user that are directories.

A skill that breaks a rule may work in aura and fail in another agent. The exit code
is 1 if a skill breaks a rule, else 0.`

func newSkillsCheck(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "check [DIR...]",
		Short:   "Check skills against the specification",
		Long:    skillsCheckHelp,
		Example: "  aura skills check\n  aura skills check .agents/skills\n  aura skills check ./my-skill --json",
		RunE: func(_ *cobra.Command, dirs []string) error {
			paths, err := skillFiles(dirs)
			if len(dirs) == 0 {
				paths, err = configuredSkillFiles(s, root)
			}
			if err != nil {
				return err
			}
			found := []brokenRule{}
			for _, path := range paths {
				found = append(found, checkSkillFile(path)...)
			}
			if err := writeBrokenRules(s.out, found, len(paths), asJSON); err != nil || len(found) == 0 {
				return err
			}
			return errShown
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list of broken rules")
	return cmd
}

// brokenRule is a rule of the specification that a file breaks.
type brokenRule struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// skillFiles returns the main files of the skills in directories. It is an error if a directory contains none.
func skillFiles(dirs []string) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		// The name of a skill is compared with that of its directory, which "." does not show.
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("looking for skills: %w", err)
		}
		if path := filepath.Join(dir, skill.FileName); isFile(path) {
			out = append(out, path)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("looking for skills: %w", err)
		}
		before := len(out)
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name(), skill.FileName); isFile(path) {
				out = append(out, path)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("looking for skills in %s: neither it nor a directory in it contains %s", dir, skill.FileName)
		}
	}
	return out, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// configuredSkillFiles returns the main files of all skills that are directories, including those that others hide and those that are
// left out.
func configuredSkillFiles(s streams, root *rootOptions) ([]string, error) {
	l, err := root.list(s)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.Text.Skills)) {
		for _, p := range l.Text.Places("skill", name) {
			if (config.Skill{Source: p.Source}).Dir() != "" {
				out = append(out, p.File)
			}
		}
	}
	for _, left := range l.Text.SkillsLeftOut {
		out = append(out, left.File)
	}
	return out, nil
}

func checkSkillFile(path string) []brokenRule {
	data, err := files.Read(path, files.MaxText)
	if err != nil {
		return []brokenRule{{File: path, Line: 1, Text: err.Error()}}
	}
	_, faults, err := skill.Parse(path, data)
	var out []brokenRule
	if wrong, ok := errors.AsType[*strictyaml.Error](err); ok {
		out = append(out, brokenRule{File: path, Line: max(wrong.Line, 1), Text: wrong.Err.Error()})
	}
	for _, f := range faults {
		out = append(out, brokenRule{File: path, Line: f.Line, Text: f.String()})
	}
	slices.SortStableFunc(out, func(a, b brokenRule) int { return a.Line - b.Line })
	return out
}

func writeBrokenRules(w io.Writer, found []brokenRule, checked int, asJSON bool) error {
	if asJSON {
		return writeJSON(w, found)
	}
	for _, b := range found {
		fmt.Fprintf(w, "%s:%d: %s\n", clean(b.File), b.Line, clean(b.Text))
	}
	if len(found) == 0 {
		fmt.Fprintf(w, "%d skills follow the specification\n", checked)
	}
	return nil
}
