package slash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// FileRewinder is a session that can return to an earlier prompt, with its files.
type FileRewinder interface {
	History() []llm.Message
	// RewindPrompts removes all messages except the first keep. UndoPrompts brings them back, and reports whether there were any.
	RewindPrompts(keep int) error
	UndoPrompts() (bool, error)
	PlanFiles(ctx context.Context, at time.Time) (checkpoint.Plan, error)
	PlanUndo(ctx context.Context) (checkpoint.Plan, error)
	// RestoreFiles carries out a plan, with others also for files that others changed.
	RestoreFiles(ctx context.Context, p checkpoint.Plan, others bool) (checkpoint.Result, error)
	// ForgetRewind forgets the last rewind. RewoundFiles reports whether the last one changed files.
	ForgetRewind()
	RewoundFiles() bool
}

type rewindCommands struct{ FileRewinder }

// RewindCommands returns the command that returns to an earlier prompt.
func RewindCommands(s FileRewinder) []command.Command {
	return []command.Command{own("rewind", "Return to the state before a prompt: the conversation, the files or both", rewindCommands{s}.rewind,
		"N", "conversation|files|both", "all")}
}

const (
	rewindFiles        = "files"
	rewindConversation = "conversation"
	rewindBoth         = "both"
	rewindUndo         = "undo"
	// rewindAll includes files that others changed.
	rewindAll = "all"
)

func (c rewindCommands) rewind(ctx context.Context, args string) (string, error) {
	words := strings.Fields(args)
	others := len(words) > 1 && words[len(words)-1] == rewindAll
	if others {
		words = words[:len(words)-1]
	}
	switch {
	case len(words) == 0:
		return c.list()
	case len(words) == 1 && words[0] == rewindUndo:
		return c.undo(ctx, others)
	case len(words) > 2 || len(words) == 2 && !slices.Contains([]string{rewindFiles, rewindConversation, rewindBoth}, words[1]):
		return "", fmt.Errorf("reading %q: /rewind takes a number and conversation, files or both; or undo", args)
	}
	n, err := strconv.Atoi(words[0])
	prompts := session.Prompts(c.History())
	if err != nil || n < 1 || n > len(prompts) {
		return "", fmt.Errorf("returning to prompt %q: there are %d; /rewind lists them", words[0], len(prompts))
	}
	if len(words) == 1 {
		return c.preview(ctx, prompts[n-1])
	}
	return c.carryOut(ctx, prompts[n-1], words[1], others)
}

func (c rewindCommands) list() (string, error) {
	var b strings.Builder
	for _, p := range session.Prompts(c.History()) {
		fmt.Fprintf(&b, "%3d  %s  %s\n", p.Number, p.At.Local().Format("15:04:05"), brief(p.Text))
	}
	if b.Len() == 0 {
		return "", errors.New("returning to an earlier prompt: there is none")
	}
	return b.String() + "/rewind N shows what a return to the state before prompt N would change", nil
}

// preview shows what a return to a prompt would change.
func (c rewindCommands) preview(ctx context.Context, p session.Prompt) (string, error) {
	plan, err := c.PlanFiles(ctx, p.At)
	files := PlanText(plan)
	if err != nil {
		files = "files: " + err.Error()
	}
	return fmt.Sprintf("before prompt %d: %s\nconversation: %s would be removed\n%s\n/rewind %d both, /rewind %d conversation or /rewind %d files carries it out",
		p.Number, brief(p.Text), plaintext.Counted(len(c.History())-p.Index, "message"), files, p.Number, p.Number, p.Number), nil
}

// carryOut returns to a prompt.
func (c rewindCommands) carryOut(ctx context.Context, p session.Prompt, what string, others bool) (string, error) {
	c.ForgetRewind()
	var out []string
	if what != rewindConversation {
		plan, err := c.PlanFiles(ctx, p.At)
		if err != nil {
			return "", err
		}
		text, err := c.restore(ctx, plan, others, fmt.Sprintf("/rewind %d files all", p.Number))
		if err != nil {
			return text, err
		}
		out = append(out, text)
	}
	if what != rewindFiles {
		removed := len(c.History()) - p.Index
		if err := c.RewindPrompts(p.Index); err != nil {
			return "", err
		}
		out = append(out, "conversation: "+plaintext.Counted(removed, "message")+" removed, from: "+brief(p.Text))
	}
	return strings.Join(append(out, "/rewind undo takes this back"), "\n"), nil
}

// undo takes the last rewind back.
func (c rewindCommands) undo(ctx context.Context, others bool) (string, error) {
	messages, err := c.UndoPrompts()
	if err != nil {
		return "", err
	}
	if messages && !c.RewoundFiles() {
		return "conversation: the messages are back", nil
	}
	plan, err := c.PlanUndo(ctx)
	if err != nil {
		return "", err
	}
	text, err := c.restore(ctx, plan, others, "/rewind undo all")
	if messages {
		text += "\nconversation: the messages are back"
	}
	return text, err
}

// restore carries out a plan. again is the command that includes the files that others changed.
func (c rewindCommands) restore(ctx context.Context, plan checkpoint.Plan, others bool, again string) (string, error) {
	if len(plan.Steps) == 0 {
		return PlanText(plan), nil
	}
	done, err := c.RestoreFiles(ctx, plan, others)
	text := ResultText(plan, done)
	if names := plan.Others(); len(names) > 0 && !others {
		text += fmt.Sprintf("\n%s changed by other hands since, and stay: %s\n%s changes them too", plaintext.Counted(len(names), "file"), some(names), again)
	}
	return text, err
}

// shownFiles is how many files are listed.
const shownFiles = 20

// PlanText describes what a plan would do.
func PlanText(p checkpoint.Plan) string {
	if len(p.Steps)+len(p.Skipped) == 0 {
		return "files: nothing changed since"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "files: %d would change", len(p.Steps))
	for i, s := range p.Steps {
		if i == shownFiles {
			fmt.Fprintf(&b, "\n  … and %d more", len(p.Steps)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s %s", s.Action, plaintext.Line(s.Path))
		if s.Others {
			b.WriteString("  (changed by other hands since; it stays without all)")
		}
	}
	return b.String() + skippedText(p.Skipped)
}

// ResultText describes what was done.
func ResultText(p checkpoint.Plan, r checkpoint.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "files: %s restored", plaintext.Counted(len(r.Done), "path"))
	for _, name := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(&b, "\n  not restored: %s: %s", plaintext.Line(name), r.Failed[name])
	}
	return b.String() + skippedText(p.Skipped)
}

// skippedText names what stays although it differs.
func skippedText(skipped map[string]string) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(skipped)) {
		if i == shownFiles {
			fmt.Fprintf(&b, "\n  … and %d more that stay", len(skipped)-i)
			break
		}
		fmt.Fprintf(&b, "\n  stays: %s: %s", plaintext.Line(name), skipped[name])
	}
	return b.String()
}

// some lists the first names.
func some(names []string) string {
	shown := make([]string, 0, shownFiles)
	for _, name := range names[:min(len(names), shownFiles)] {
		shown = append(shown, plaintext.Line(name))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
