package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

const resultsHelp = `Show the results of a batch, or of some of its tasks: a table, one JSON object per
line with --json, or files with --output.

--output DIR writes a directory for each task: result.json, final.md, patch.diff,
journal.jsonl and files/ with the collected files. 'git apply patch.diff' makes the
changes of a task in a clone.

A result that was changed after the worker wrote it is reported and not written; the
exit code is then 1. With AURA_FLEET_KEY set for workers and for this command, nobody
without the key can make a result.`

type resultsOptions struct {
	*fleetOptions

	json, wait bool
	output     string
}

func newFleetResults(s streams, fo *fleetOptions) *cobra.Command {
	o := &resultsOptions{fleetOptions: fo}
	cmd := &cobra.Command{
		Use:   "results BATCH [TASK...]",
		Short: "Show or save the results of a batch",
		Long:  resultsHelp,
		Example: `  aura fleet results migration
  aura fleet results migration --wait --output results
  aura fleet results migration --json | jq -r 'select(.status != "done") | .task'`,
		Args: batchArgs(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.with(cmd.Context(), s, func(q *queue.Queue) error { return o.run(cmd.Context(), s, q, args[0], args[1:]) })
		},
		ValidArgsFunction: fo.complete(s, true),
	}
	o.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "write one JSON object per line, with the patch as text")
	f.StringVar(&o.output, "output", "", "write files below this directory")
	f.BoolVar(&o.wait, "wait", false, "wait until all tasks have a result")
	return cmd
}

func (o *resultsOptions) run(ctx context.Context, s streams, q *queue.Queue, name string, tasks []string) error {
	b, err := q.Batch(ctx, name)
	if err != nil {
		return err
	}
	if o.wait {
		if err := q.Follow(ctx, b, time.Second, func(now *fleet.Overview) bool { return !now.Finished() }); err != nil {
			return err
		}
	}
	rows := [][]string{{"TASK", "STATUS", "CLASS", "SECONDS", "CALLS", "ATTEMPTS", "ANSWER OR ERROR"}}
	var faults []error
	showResult := func(r fleet.Result) error {
		switch {
		case o.json:
			return o.line(ctx, s, q, r)
		case o.output != "":
			return o.save(ctx, q, r)
		}
		text := r.Error
		if text == "" {
			text = r.Final
		}
		rows = append(rows, []string{
			r.Task, string(r.Status), dash(r.Class), fmt.Sprintf("%.1f", r.Ended.Sub(r.Started).Seconds()), fmt.Sprint(r.Requests), fmt.Sprint(r.Attempt), oneLine(text, maxCell),
		})
		return nil
	}
	checked := func(r fleet.Result) error {
		if err := showResult(r); err != nil {
			if ctx.Err() != nil {
				return err
			}
			faults = append(faults, fmt.Errorf("task %s: %w", r.Task, err))
		}
		return nil
	}
	if len(tasks) == 0 {
		bad, err := q.Results(ctx, name, checked)
		if err != nil {
			return err
		}
		for _, one := range bad {
			faults = append(faults, fmt.Errorf("task %s: %w", one.Task, one.Err))
		}
	}
	for _, id := range tasks {
		r, err := resultOf(ctx, q, name, id)
		if err == nil {
			err = checked(r)
		}
		faults = append(faults, err)
	}
	if !o.json && o.output == "" {
		showResults(s, rows)
	}
	return errors.Join(faults...)
}

// showResults prints a table whose first row is its head.
func showResults(s streams, rows [][]string) {
	if len(rows) == 1 {
		fmt.Fprintln(s.out, "there are no results yet")
		return
	}
	table(s.out, rows)
}

// resultOf returns the result of one task.
func resultOf(ctx context.Context, q *queue.Queue, batch, task string) (fleet.Result, error) {
	r, found, err := q.Result(ctx, batch, task)
	if err != nil {
		return r, fmt.Errorf("task %s: %w", task, err)
	}
	if !found {
		return r, fmt.Errorf("task %s has no result yet", task)
	}
	return r, nil
}

// line writes a result as one line of JSON.
func (o *resultsOptions) line(ctx context.Context, s streams, q *queue.Queue, r fleet.Result) error {
	patch, err := q.Blob(ctx, r.Patch)
	if err != nil {
		return fmt.Errorf("its patch: %w", err)
	}
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	seal := r.Seal
	r.Patch, r.Journal, r.Files, r.Seal = fleet.Blob{}, fleet.Blob{}, nil, ""
	line, err := json.Marshal(struct {
		fleet.Result

		Patch string   `json:"patch,omitempty"`
		Files []string `json:"files,omitempty"`
		Seal  string   `json:"seal"`
	}{r, string(patch), paths, seal})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s\n", plaintext.JSON(line))
	return err
}

// save writes the files of a result. All names come from the queue, so none may lead out of the directory.
func (o *resultsOptions) save(ctx context.Context, q *queue.Queue, r fleet.Result) error {
	if err := fleet.CheckName(r.Task); err != nil {
		return err
	}
	dir := filepath.Join(o.output, r.Task)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	record := r
	record.Patch.Data, record.Journal.Data = nil, nil
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	if err := files.SaveBelow(dir, "result.json", append(text, '\n'), 0o644); err != nil {
		return err
	}
	if err := files.SaveBelow(dir, "final.md", []byte(r.Final+"\n"), 0o644); err != nil {
		return err
	}
	for name, blob := range map[string]fleet.Blob{"patch.diff": r.Patch, "journal.jsonl": r.Journal} {
		if blob.Size == 0 {
			continue
		}
		if err := saveBlob(ctx, q, dir, name, blob); err != nil {
			return err
		}
	}
	for _, f := range r.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return fmt.Errorf("its file %q leads out of the directory", f.Path)
		}
		if err := saveBlob(ctx, q, dir, filepath.Join("files", filepath.FromSlash(f.Path)), f.Blob); err != nil {
			return err
		}
	}
	return nil
}

func saveBlob(ctx context.Context, q *queue.Queue, dir, name string, b fleet.Blob) error {
	data, err := q.Blob(ctx, b)
	if err != nil {
		return fmt.Errorf("its %s: %w", name, err)
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	err = root.MkdirAll(filepath.Dir(name), 0o755)
	if err := errors.Join(err, root.Close()); err != nil {
		return err
	}
	return files.SaveBelow(dir, name, data, 0o644)
}
