package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// contextLines is the number of lines that a diff shows around a change.
const contextLines = 3

// rewrite is a file before and after a call. from is empty if the file did not exist before the call; to is empty if it does
// not exist after it.
type rewrite struct {
	from, to, before, after string
}

// changing adapts a function that changes files. It reports the diff to call.Changed.
func changing[A any](run func(context.Context, A) (string, []rewrite, error)) func(context.Context, A, tool.Call) (string, error) {
	return func(ctx context.Context, args A, call tool.Call) (string, error) {
		output, changed, err := run(ctx, args)
		if err == nil && call.Changed != nil {
			if text := diff(changed); text != "" {
				call.Changed(text)
			}
		}
		return output, err
	}
}

// diff returns a unified diff of all files that are short enough to compare. The diff is for users: if it fails, the call does
// not fail.
func diff(changed []rewrite) string {
	var b strings.Builder
	compared := 0
	for _, r := range changed {
		if compared += r.size(); compared > limit.DiffSources || b.Len() > limit.Diff {
			break
		}
		if text, ok := r.diff(); ok {
			b.WriteString(text)
		}
	}
	return limit.Cut(b.String(), limit.Diff, "a diff")
}

// size returns the size of both versions together.
func (r rewrite) size() int { return len(r.before) + len(r.after) }

// diff returns the unified diff of one file. ok is false if the file is too long to compare.
func (r rewrite) diff() (text string, ok bool) {
	if r.size() > limit.DiffSource {
		return "", false
	}
	text, err := udiff.ToUnified(label("a/", r.from), label("b/", r.to), r.before, udiff.Lines(r.before, r.after), contextLines)
	return text, err == nil
}

func label(side, name string) string {
	if name == "" {
		return os.DevNull
	}
	return side + name
}

// replaced returns the change that writing a file makes. It returns nil if the current content cannot be compared.
func (o Options) replaced(name, content string) []rewrite {
	before, there, ok := previous(o.resolve(name))
	switch {
	case !ok:
		return nil
	case !there:
		return []rewrite{{to: name, after: content}}
	default:
		return []rewrite{{from: name, to: name, before: before, after: content}}
	}
}

// rewritten returns the change that a step of a patch makes.
func (o Options) rewritten(s step) []rewrite {
	switch {
	case s.head == patchAdd:
		return []rewrite{{to: s.path, after: s.content}}
	case s.head == patchDelete:
		before, there, ok := previous(s.from)
		if !ok || !there {
			return nil
		}
		return []rewrite{{from: s.path, before: before}}
	case s.move != "":
		return []rewrite{{from: s.path, to: s.move, before: s.old.String(), after: s.content}}
	default:
		return []rewrite{{from: s.path, to: s.path, before: s.old.String(), after: s.content}}
	}
}

// previous returns the content of a file, and whether the file exists. ok is false if the file is not text, is too long, or
// cannot be read.
func previous(path string) (text string, there, ok bool) {
	file, info, err := readguard.Open(path)
	if err != nil {
		return "", false, errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	if info.Size() > limit.DiffSource {
		return "", true, false
	}
	raw, err := io.ReadAll(io.LimitReader(file, limit.DiffSource+1))
	if err != nil || len(raw) > limit.DiffSource || binary(raw[:min(len(raw), textProbe)]) {
		return "", true, false
	}
	return string(raw), true, true
}
