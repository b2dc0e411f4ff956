package slash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// FileDiffer is a session that knows how files were before.
type FileDiffer interface {
	FileRewinder
	// FileContents returns a path of a plan as it was and as it is.
	FileContents(step checkpoint.Step) (checkpoint.Contents, error)
}

type diffCommands struct{ FileDiffer }

// DiffCommands returns the command that shows what changed in files.
func DiffCommands(s FileDiffer) []command.Command {
	return []command.Command{own("diff", "Show what changed in files since the session began, or since prompt N", diffCommands{s}.diff, "N")}
}

func (c diffCommands) diff(ctx context.Context, args string) (string, error) {
	prompts := session.Prompts(c.History())
	if len(prompts) == 0 {
		return "", errors.New("comparing files: there is no prompt yet")
	}
	n := 1
	if args = strings.TrimSpace(args); args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil || n < 1 || n > len(prompts) {
			return "", fmt.Errorf("comparing files with prompt %q: there are %d; /rewind lists them", args, len(prompts))
		}
	}
	plan, err := c.PlanFiles(ctx, prompts[n-1].At)
	if err != nil {
		return "", err
	}
	if len(plan.Steps)+len(plan.Skipped) == 0 {
		return fmt.Sprintf("no file changed since prompt %d", n), nil
	}
	var b strings.Builder
	for _, step := range plan.Steps {
		text, err := c.changed(step)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		if b.Len() > limit.Diff {
			break
		}
	}
	if b.Len() == 0 && len(plan.Skipped) == 0 {
		return fmt.Sprintf("only directories changed since prompt %d", n), nil
	}
	return limit.Cut(strings.TrimRight(b.String(), "\n"), limit.Diff, "a diff") + skippedText(plan.Skipped), nil
}

// changed shows the change of one path. Its name and content may be anything, so both are cleaned.
func (c diffCommands) changed(step checkpoint.Step) (string, error) {
	name := plaintext.Line(step.Path)
	from, to := "a/"+name, "b/"+name
	switch step.Action { // the plan is the way back
	case checkpoint.Remove:
		from = os.DevNull
	case checkpoint.Create:
		to = os.DevNull
	case checkpoint.Change:
	}
	what, err := c.FileContents(step)
	if err != nil {
		return "", fmt.Errorf("comparing %s: %w", name, err)
	}
	if what.Directory {
		return "", nil
	}
	text := fmt.Sprintf("%s and %s differ; the content is not shown\n", from, to)
	if what.Known && isText(what.Before) && isText(what.After) && len(what.Before)+len(what.After) <= limit.DiffSource {
		if text = plaintext.Reveal(udiff.Unified(from, to, what.Before, what.After)); text == "" {
			text = fmt.Sprintf("%s and %s differ in their permissions\n", from, to)
		}
	}
	if step.Others {
		text = "# changed by other hands, too: " + name + "\n" + text
	}
	return text, nil
}

func isText(content string) bool {
	return utf8.ValidString(content) && !strings.ContainsRune(content, 0)
}
