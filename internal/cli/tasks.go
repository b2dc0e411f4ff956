package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newTasks(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tasks",
		Short: "List, show and run tasks",
		Long: `List the tasks that are configured in config/tasks/ of a home. 'aura tasks run NAME'
runs one.`,
		Example: `  aura tasks
  aura tasks show nightly
  aura tasks run nightly`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return listTasks(s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	kind, _ := kindOf("tasks")
	cmd.AddCommand(newTasksList(s, root), newNounShow(s, &nounOptions{root: root, kind: kind}), newTasksRun(s, root))
	return cmd
}

func newTasksList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tasks",
		Example: `  aura tasks list
  aura tasks list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return listTasks(s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// taskInfo is a task in a list.
type taskInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Disabled    bool     `json:"disabled"`
	Commands    []string `json:"commands"`
	File        string   `json:"file"`
}

func listTasks(s streams, root *rootOptions, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	list := []taskInfo{}
	rows := [][]string{{"NAME", "STATUS", "DESCRIPTION"}}
	for _, name := range slices.Sorted(maps.Keys(l.Text.Tasks)) {
		t := l.Text.Tasks[name]
		status := "enabled"
		if t.Disabled {
			status = "disabled"
		}
		if l.Foreign(t.Source) {
			status = string(setup.StatusUntrusted)
		}
		list = append(list, taskInfo{Name: name, Description: t.Description, Disabled: t.Disabled, Commands: t.Commands, File: t.Source.File})
		rows = append(rows, []string{name, status, t.Description})
	}
	if asJSON {
		return writeJSON(s.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "no tasks are configured; put one into .aura/config/tasks/")
		return nil
	}
	table(s.out, rows)
	return nil
}

func newTasksRun(s streams, root *rootOptions) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a task",
		Long: `Run the commands of a task as prompts, between its pre and post shell commands,
with the task's variables set for tools and for plugins that may see them.`,
		Example: "  aura tasks run nightly --json",
		Args:    exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkEvents(root.debug); err != nil {
				return err
			}
			cfg, err := root.load(cmd.Context(), s)
			if err != nil {
				return err
			}
			return o.runTask(cmd.Context(), s, root, cfg, args[0])
		},
		ValidArgsFunction: first(completeNames(s, root, taskNames)),
	}
	o.register(cmd)
	return cmd
}

func (o *runOptions) runTask(ctx context.Context, s streams, root *rootOptions, cfg *config.Config, name string) error {
	task, err := findTask(cfg, name)
	if err != nil {
		return err
	}
	a, err := root.appOptions(s)
	if err != nil {
		return err
	}
	a.Task = &task
	if task.Workdir != "" {
		a.Config = elsewhere(a.Config, cfg)
		a.Config.Workdir = task.Workdir
	}
	prompts, err := task.Prompts(cfg.Environ)
	if err != nil {
		return err
	}
	if o.timeout == 0 {
		o.timeout = task.Timeout
	}
	ctx, cancel, err := o.withTimeout(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if !o.json {
		if err := root.chooseFirst(ctx, s, &a); err != nil {
			return err
		}
	}
	if err := app.RunShell(ctx, cfg, task, task.Pre, s.err); err != nil {
		return because(ctx, err)
	}
	err = o.run(ctx, s, a, root.debug, prompts)
	return errors.Join(err, app.RunShell(context.WithoutCancel(ctx), cfg, task, task.Post, s.err))
}

// elsewhere keeps the locations of homes and env files if a task works in another directory.
func elsewhere(o config.Options, cfg *config.Config) config.Options {
	o.Home = &cfg.User
	o.Configs = nil
	for _, h := range cfg.Homes {
		if _, err := os.Stat(h.Dir); h.Kind == config.HomeProject && err == nil {
			o.Configs = append(o.Configs, h.Dir)
		}
	}
	named := o.EnvFiles
	if named == nil {
		named = []string{config.DefaultEnvFile}
	}
	files := []string{}
	for _, f := range named {
		if !filepath.IsAbs(f) {
			f = filepath.Join(cfg.Workdir, f)
		}
		if _, err := os.Stat(f); err == nil || o.EnvFiles != nil {
			files = append(files, f)
		}
	}
	o.EnvFiles = files
	return o
}

func findTask(cfg *config.Config, name string) (config.Task, error) {
	task, ok := cfg.Tasks[name]
	switch {
	case !ok:
		known := strings.Join(slices.Sorted(maps.Keys(cfg.Tasks)), ", ")
		return task, fmt.Errorf("running task %q: it does not exist; known tasks: %s", name, dash(known))
	case task.Disabled:
		return task, fmt.Errorf("running task %q: it is disabled in %s", name, task.Source.File)
	case len(task.Commands) == 0:
		return task, fmt.Errorf("running task %q: it has no commands (%s)", name, task.Source.File)
	}
	return task, nil
}
