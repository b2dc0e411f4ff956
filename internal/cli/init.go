package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/scaffold"
)

// initOptions holds the flags of init.
type initOptions struct {
	global bool
	force  bool
	yes    bool
	dryRun bool
	json   bool
}

const initHelp = `Write a commented default configuration into .aura of the project, or with
--global into the user's home: agents, modes, prompts, a command, settings of
features, examples of providers, tasks and skills, and JSON schemas with which an
editor checks the YAML files. Files named *.example.* are not read until you rename
them. No plugins are installed.

aura keeps existing files and lists them. With --force it shows the difference, asks
for confirmation on a terminal, and replaces them.`

const initExamples = `  aura init
  aura init --dry-run
  aura init --global
  aura init --force`

func newInit(s streams, root *rootOptions) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Use:     "init",
		Short:   "Write a commented default configuration",
		Long:    initHelp,
		Example: initExamples,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := o.home(root.configOptions(s))
			if err != nil {
				return err
			}
			return o.renewing(s, root, func() error { return o.run(cmd.Context(), s, cmp.Or(root.configOptions(s).Workdir, "."), home) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.global, "global", false, "write into the user's home instead of the project's")
	f.BoolVar(&o.force, "force", false, "replace files that are different, after showing how")
	f.BoolVar(&o.yes, "yes", false, "do not ask for confirmation")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done and write nothing")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

// home returns the directory to write to. Unlike in other commands, a named directory need not exist.
func (o *initOptions) home(c config.Options) (string, error) {
	dir := config.DirName
	switch {
	case o.global && c.Home != nil:
		dir = *c.Home
	case o.global && c.UserHome == "":
		dir = ""
	case o.global:
		dir = filepath.Join(c.UserHome, config.DirName)
	case len(c.Configs) > 0:
		dir = c.Configs[len(c.Configs)-1]
	}
	if dir == "" {
		return "", usageError{errors.New("init: there is no directory to write into: name one with --home or --config")}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Workdir, dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the directory to write into: %w", err)
	}
	if info, err := os.Stat(cmp.Or(c.Workdir, ".")); err != nil || !info.IsDir() {
		return "", fmt.Errorf("finding the working directory: %s is not a directory: name another with --workdir", c.Workdir)
	}
	return dir, nil
}

// renewing extends the user's consent to the files that are written to the project's home.
func (o *initOptions) renewing(s streams, root *rootOptions, write func() error) error {
	if o.global || o.dryRun {
		return write()
	}
	return root.renewing(s, write)
}

// initReport is the result of init as JSON.
type initReport struct {
	Dir    string          `json:"dir"`
	DryRun bool            `json:"dry_run"`
	Files  []scaffold.File `json:"files"`
}

func (o *initOptions) run(ctx context.Context, s streams, workdir, home string) error {
	files, err := scaffold.Plan(home, o.force)
	if err != nil {
		return err
	}
	if err := o.confirm(ctx, s, files); err != nil {
		return err
	}
	if !o.dryRun {
		if o.global {
			workdir = "" // confined code cannot write to the user's home, and users link its directories
		}
		if err := scaffold.Write(workdir, files); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(s.out, initReport{Dir: home, DryRun: o.dryRun, Files: files})
	}
	o.tell(s.out, home, files)
	return nil
}

// confirm shows what would be lost and asks for confirmation, if there is a terminal. In JSON the differences are part of the
// report, so they are also shown on standard error only if the user is asked.
func (o *initOptions) confirm(ctx context.Context, s streams, files []scaffold.File) error {
	lost := slices.DeleteFunc(slices.Clone(files), func(f scaffold.File) bool { return f.Status != scaffold.Overwritten })
	k, typing := keyboardOn(s.in)
	ask := typing && !o.yes && !o.dryRun
	if len(lost) == 0 || o.json && !ask {
		return nil
	}
	w := s.out
	if o.json {
		w = s.err
	}
	for _, f := range lost {
		fmt.Fprintln(w, strings.TrimRight(clean(f.Diff), "\n"))
	}
	if !ask {
		return nil
	}
	yes, err := k.confirms(ctx, s, nil, fmt.Sprintf("Replace %s?", plaintext.Counted(len(lost), "file")))
	if err == nil && !yes {
		err = errors.New("init: not confirmed, so nothing was written; without --force the files that exist are kept")
	}
	return err
}

func isTerminal(stream any) bool {
	if o, ok := stream.(*output); ok {
		stream = o.Writer
	}
	if known, ok := stream.(interface{ IsTerminal() bool }); ok {
		return known.IsTerminal()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// tell prints the result for people: every file with its status.
func (o *initOptions) tell(w io.Writer, home string, files []scaffold.File) {
	rows := [][]string{}
	kept := 0
	for _, f := range files {
		path, err := filepath.Rel(home, f.Path)
		if err != nil {
			path = f.Path
		}
		status := string(f.Status)
		if o.dryRun && (f.Status == scaffold.Created || f.Status == scaffold.Overwritten) {
			status = "would be " + status
		}
		rows = append(rows, []string{status, filepath.ToSlash(path)})
		if f.Status == scaffold.Kept {
			kept++
		}
	}
	fmt.Fprintln(w, clean(home)+":")
	indented(w, "  ", rows)
	if kept > 0 {
		fmt.Fprintf(w, "%s kept; 'aura init --force --dry-run' shows how they differ\n", plaintext.Counted(kept, "file"))
	}
	if o.dryRun {
		fmt.Fprintln(w, "nothing was written (--dry-run)")
		return
	}
	fmt.Fprintln(w, "next: 'aura' starts a conversation and asks for a model if there is none; 'aura show agents' lists what you can change")
}
