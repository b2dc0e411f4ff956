package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/slash"
	"github.com/idelchi/aura/internal/base/plaintext"
)

type sessionsRestoreOptions struct {
	files, conversation, all, dryRun, json bool
}

const restoreHelp = `Return to the state before prompt N of a saved session: its files, its conversation,
or both. SESSION@undo undoes the last return of files, also one that was interrupted.

Files that others changed since are named and stay; --all changes them too. Ignored
files, packages and files over a limit are not kept, so they stay. What the files
contain now is kept. A session that is open is changed with /rewind within it.`

func newSessionsRestore(s streams, root *rootOptions) *cobra.Command {
	o := &sessionsRestoreOptions{}
	cmd := &cobra.Command{
		Use:   "restore SESSION@N",
		Short: "Return to the state before a prompt: files, conversation or both",
		Long:  restoreHelp,
		Example: `  aura sessions restore 01a1@2 --dry-run
  aura sessions restore 01a1@2 --files
  aura sessions restore 01a1@undo`,
		Args: exactArgs("SESSION@N"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
	}
	cmd.Flags().BoolVar(&o.files, "files", false, "return the files only")
	cmd.Flags().BoolVar(&o.conversation, "conversation", false, "return the conversation only")
	cmd.Flags().BoolVar(&o.all, "all", false, "also change files that others changed since")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVar(&o.json, "json", false, "write a JSON object")
	cmd.MarkFlagsMutuallyExclusive("files", "conversation")
	return cmd
}

// parse returns the session and what is brought back.
func (o *sessionsRestoreOptions) parse(arg string) (word string, out inspect.RestoreOptions, err error) {
	out = inspect.RestoreOptions{Files: !o.conversation, Conversation: !o.files, Others: o.all, DryRun: o.dryRun}
	at := strings.LastIndex(arg, "@")
	if at <= 0 {
		return "", out, usageError{fmt.Errorf("%q names no prompt; write SESSION@N, such as 01a1@2, or SESSION@undo", arg)}
	}
	word = arg[:at]
	if arg[at+1:] == "undo" {
		if o.conversation {
			return "", out, usageError{errors.New("only a return of files can be undone here")}
		}
		return word, out, nil
	}
	if out.Prompt, err = strconv.Atoi(arg[at+1:]); err != nil || out.Prompt < 1 {
		return "", out, usageError{fmt.Errorf("%q is no number of a prompt, from 1 on, and not undo", arg[at+1:])}
	}
	return word, out, nil
}

func (o *sessionsRestoreOptions) run(ctx context.Context, s streams, root *rootOptions, arg string) error {
	word, options, err := o.parse(arg)
	if err != nil {
		return err
	}
	cfg, found, err := root.meantSession(s, word)
	if err != nil {
		return err
	}
	out, err := inspect.RestoreSession(ctx, cfg, found, options)
	if err != nil {
		return fmt.Errorf("restoring session %s: %w", found.ID, err)
	}
	if o.json {
		return writeJSON(s.out, restoredJSON(found.ID, options, out))
	}
	for _, line := range restoredText(options, out) {
		fmt.Fprintln(s.out, clean(line))
	}
	return nil
}

// restoredText describes what was brought back, or would be.
func restoredText(o inspect.RestoreOptions, out inspect.Restored) []string {
	var lines []string
	switch {
	case !o.Files:
	case o.DryRun || len(out.Plan.Steps) == 0:
		lines = append(lines, slash.PlanText(out.Plan))
	default:
		lines = append(lines, slash.ResultText(out.Plan, out.Result))
		if names := out.Plan.Others(); len(names) > 0 && !o.Others {
			lines = append(lines, fmt.Sprintf("changed by other hands since, and not restored (--all does): %s", strings.Join(names, ", ")))
		}
	}
	if o.Conversation && o.Prompt > 0 {
		verb := "removed"
		if o.DryRun {
			verb = "would be removed"
		}
		lines = append(lines, fmt.Sprintf("conversation: %s %s, from: %s", plaintext.Counted(out.Removed, "message"), verb, oneLine(out.Prompt, maxCell)))
	}
	return lines
}

// restoredObject is the JSON form.
type restoredObject struct {
	Session string `json:"session"`
	Prompt  int    `json:"prompt,omitempty"`
	DryRun  bool   `json:"dry_run"`
	// Removed is the number of messages.
	Removed int `json:"removed_messages"`
	// Planned are all differences, Restored what was done of them.
	Planned  []checkpoint.Step `json:"planned"`
	Restored []checkpoint.Step `json:"restored"`
	Skipped  map[string]string `json:"skipped,omitempty"`
	Failed   map[string]string `json:"failed,omitempty"`
}

func restoredJSON(id string, o inspect.RestoreOptions, out inspect.Restored) restoredObject {
	return restoredObject{
		Session: id, Prompt: o.Prompt, DryRun: o.DryRun, Removed: out.Removed,
		Planned: append([]checkpoint.Step{}, out.Plan.Steps...), Restored: append([]checkpoint.Step{}, out.Result.Done...),
		Skipped: out.Plan.Skipped, Failed: out.Result.Failed,
	}
}
