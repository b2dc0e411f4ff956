package builtin

import (
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
)

// A preview runs before the user has agreed to a call, in aura itself and not in a confined process. It only reads regular files
// of limited size, and only the user sees the result.

// whole returns the diff of all changes. It returns nothing rather than a part: the user decides about what is shown.
func whole(changes []rewrite) string {
	var b strings.Builder
	compared := 0
	for _, r := range changes {
		if compared += r.size(); compared > limit.DiffSources {
			return ""
		}
		text, ok := r.diff()
		if !ok || b.Len()+len(text) > limit.Diff {
			return ""
		}
		b.WriteString(text)
	}
	return b.String()
}

// previewEdit returns the change that an edit would make; nil if the edit would fail.
func (o Options) previewEdit(args editArgs) []rewrite {
	text, there, ok := previous(o.resolve(args.Path))
	if !ok || !there {
		return nil
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	after, _, err := replace(text, args)
	if err != nil {
		return nil
	}
	return []rewrite{{from: args.Path, to: args.Path, before: text, after: after}}
}

// previewPatch returns the changes that a patch would make; nil if the patch would fail, or if one of them is not known.
func (o Options) previewPatch(args patchArgs) []rewrite {
	changes, err := parsePatch(args.Patch)
	if err != nil {
		return nil
	}
	var out []rewrite
	for _, c := range changes {
		s := step{change: c, from: o.resolve(c.path), content: c.content}
		if c.head == patchUpdate {
			text, there, ok := previous(s.from)
			if !ok || !there {
				return nil
			}
			s.old.text = text
			if s.content, err = applyHunks(text, c.hunks); err != nil {
				return nil
			}
		}
		made := o.rewritten(s)
		if made == nil {
			return nil
		}
		out = append(out, made...)
	}
	return out
}
