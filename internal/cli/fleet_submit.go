package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/batch"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/workspace"
)

const submitHelp = `Submit a batch of tasks: a YAML file, a file of JSON lines with a task on each, or
one prompt over many inputs with --prompt and --each.

The batch is checked completely before anything is queued; an error names the line.
The same batch submitted twice is one batch. A submission that was interrupted is
completed by submitting again.

A directory of this machine that is a workspace is packed and stored in the queue,
without .git and secrets.env. What the files of a workspace ask for takes effect only
if the batch trusts them: 'trust: true' trusts them as they are now, bound to the
commit or the hash of the packed directory; 'trust: HASH' names it. Only workers with
--allow-trusted run such tasks.`

type submitOptions struct {
	*fleetOptions

	name, prompt, each string
	check              bool
	replicas           int
	base               fleet.Task
}

func newFleetSubmit(s streams, fo *fleetOptions) *cobra.Command {
	o := &submitOptions{fleetOptions: fo}
	cmd := &cobra.Command{
		Use:   "submit [BATCH.yaml | BATCH.jsonl]",
		Short: "Submit a batch of tasks",
		Long:  submitHelp,
		Example: `  aura fleet submit migration.yaml
  aura fleet submit --check migration.yaml
  aura fleet submit --batch review --prompt "Review {}" --each files.txt --git https://example.com/repo.git`,
		Args: func(cmd *cobra.Command, args []string) error { return o.arguments(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) },

		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "batch", "", "name of the batch (default the key batch, or the name of the file)")
	f.BoolVar(&o.check, "check", false, "only check the batch")
	f.IntVar(&o.replicas, "replicas", 1, "servers that keep each record, if the queue does not exist yet")
	f.StringVar(&o.prompt, "prompt", "", "prompt in which each line of --each replaces {}")
	f.StringVar(&o.each, "each", "", "file with an input on each line")
	f.StringVar(&o.base.Workspace.Git, "git", "", "with --each: repository that is the workspace")
	f.StringVar(&o.base.Workspace.Ref, "ref", "", "with --each: branch, tag or commit of --git")
	f.StringVar(&o.base.Provider, "provider-name", "", "with --each: provider of the tasks")
	f.StringVar(&o.base.Agent, "agent-name", "", "with --each: agent of the tasks")
	f.DurationVar(&o.base.Timeout, "timeout", 0, "with --each: time that each task may take")
	f.StringSliceVar(&o.base.Env, "env", nil, "with --each: variables of the workers that the tasks need")
	f.StringArrayVar(&o.base.Collect, "collect", nil, "with --each: pattern of files to bring back (repeatable)")
	return cmd
}

func (o *submitOptions) arguments(cmd *cobra.Command, args []string) error {
	switch {
	case (o.prompt == "") != (o.each == ""):
		return usageError{errors.New("--prompt and --each go together")}
	case o.prompt != "" && len(args) > 0:
		return usageError{errors.New("name a batch file, or use --prompt and --each, not both")}
	case o.prompt == "" && len(args) != 1:
		return usageError{fmt.Errorf("%s takes one batch file, or --prompt and --each", cmd.CommandPath())}
	}
	return nil
}

func (o *submitOptions) run(ctx context.Context, s streams, args []string) error {
	var b batch.Batch
	var err error
	if o.prompt != "" {
		b, err = batch.Each(o.each, o.prompt, o.base, batch.Options{Name: o.name, Dir: "."})
	} else {
		b, err = batch.Read(args[0], batch.Options{Name: o.name})
	}
	if err != nil {
		return err
	}
	packed, err := packAll(ctx, s, b.Tasks)
	defer packed.remove()
	if err != nil {
		return because(ctx, err)
	}
	if o.check {
		fmt.Fprintf(s.out, "batch %s: %s, all correct\n", b.Name, plaintext.Counted(len(b.Tasks), "task"))
		return nil
	}
	options, err := o.options(s)
	if err != nil {
		return err
	}
	q, err := queue.Create(ctx, options, queue.Shape{Replicas: o.replicas})
	if err != nil {
		return because(ctx, err)
	}
	defer q.Close()
	return because(ctx, submit(ctx, s, q, b, packed))
}

func submit(ctx context.Context, s streams, q *queue.Queue, b batch.Batch, packed archives) error {
	for digest, path := range packed.paths {
		f, err := files.Open(path)
		if err != nil {
			return err
		}
		err = q.PutArchive(ctx, b.Name, digest, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	var tasks []fleet.Task
	for _, t := range b.Tasks {
		tasks = append(tasks, t.Task)
	}
	began := time.Now()
	fresh, err := q.Submit(ctx, b.Name, b.Limits, tasks)
	if err != nil {
		return err
	}
	if !fresh {
		fmt.Fprintf(s.out, "batch %s was submitted before; nothing is queued\n", b.Name)
		return nil
	}
	fmt.Fprintf(s.out, "batch %s: %s queued in %s\n", b.Name, plaintext.Counted(len(tasks), "task"), time.Since(began).Round(time.Millisecond))
	return nil
}

// archives holds packed directories, as files by their hashes.
type archives struct{ paths map[string]string }

func (a archives) remove() {
	for _, path := range a.paths {
		_ = os.Remove(path) // a temporary file
	}
}

// packAll packs the directories of the tasks, each once, and binds the submitter's trust to hashes.
func packAll(ctx context.Context, s streams, tasks []batch.Task) (archives, error) {
	out := archives{paths: map[string]string{}}
	digests, commits := map[string]string{}, map[string]string{}
	for i := range tasks {
		t := &tasks[i]
		if t.Dir != "" {
			if digests[t.Dir] == "" {
				digest, path, err := packOne(t.Dir)
				if err != nil {
					return out, fmt.Errorf("line %d: task %s: %w", t.Line, t.ID, err)
				}
				out.paths[digest], digests[t.Dir] = path, digest
				fmt.Fprintf(s.err, "packed %s: %s\n", clean(t.Dir), digest)
			}
			t.Workspace.Archive = digests[t.Dir]
		}
		if !t.Trusted {
			continue
		}
		if t.Trust = t.Workspace.Archive; t.Trust != "" {
			continue
		}
		key := t.Workspace.Git + " " + t.Workspace.Ref
		if commits[key] == "" {
			commit, err := workspace.Resolve(ctx, t.Workspace, s.environ)
			if err != nil {
				return out, fmt.Errorf("line %d: task %s: binding the trust to a commit: %w", t.Line, t.ID, err)
			}
			commits[key] = commit
			fmt.Fprintf(s.err, "trusting %s at commit %s\n", clean(t.Workspace.Git), commit)
		}
		t.Trust = commits[key]
		// The commit is fetched, wherever the branch is by then.
		t.Workspace.Ref = t.Trust
	}
	return out, nil
}

func packOne(dir string) (digest, path string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", "", errors.Join(fmt.Errorf("the workspace %s is not a directory", dir), err)
	}
	f, err := os.CreateTemp("", "aura-fleet-")
	if err != nil {
		return "", "", err
	}
	digest, err = workspace.Pack(strings.TrimRight(dir, "/"), f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", "", errors.Join(err, os.Remove(f.Name()))
	}
	return digest, f.Name(), nil
}
