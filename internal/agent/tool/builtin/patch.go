package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/sdk"
)

type patchArgs struct {
	Patch string `json:"patch"`
}

func (o Options) patch() tool.Tool {
	return builtIn[patchArgs]{
		definition: tool.Definition{
			Name:        "Patch",
			Description: "Change, add, delete and move several text files at once; all of it or nothing. Files to change must have been read before.",
			Usage: "A patch begins with the line *** Begin Patch and ends with *** End Patch. Between them, for each file, stands a line " +
				"*** Update File: PATH, *** Add File: PATH or *** Delete File: PATH. " +
				"An added file follows as lines that begin with +. A file to update may have the line *** Move to: PATH next, and has hunks: each begins with a line @@, " +
				"which may name a line above the place, such as a function's, and has lines of context that begin with a space, " +
				"lines to remove that begin with - and lines to add that begin with +. Give about three lines of context; the place must be the only one that fits.",
			Examples: "*** Begin Patch\n*** Update File: greet.go\n@@ func greet() {\n \tname := \"you\"\n-\tprintln(\"hi\", name)\n+\tprintln(\"hello\", name)\n }\n" +
				"*** Add File: notes.txt\n+first line\n*** Delete File: old.txt\n*** End Patch",
			Parameters: object(`{"patch":{"type":"string","minLength":1,"description":"the patch, from *** Begin Patch to *** End Patch"}}`, "patch"),
			Source:     tool.SourceBuiltin,
		},
		run:     changing(o.runPatch),
		preview: o.previewPatch,
		paths:   o.patchPaths,
	}
}

func (o Options) patchPaths(args patchArgs) (sdk.ToolPaths, error) {
	changes, err := parsePatch(args.Patch)
	if err != nil {
		return sdk.ToolPaths{}, err
	}
	var out sdk.ToolPaths
	for _, c := range changes {
		path := o.resolve(c.path)
		out.Write = append(out.Write, path)
		switch {
		case c.head == patchAdd:
			out.Record = append(out.Record, path)
		case c.head == patchDelete:
			out.Guard, out.Clear = append(out.Guard, path), append(out.Clear, path)
		case c.move != "":
			to := o.resolve(c.move)
			out.Read, out.Guard, out.Clear = append(out.Read, path), append(out.Guard, path), append(out.Clear, path)
			out.Write, out.Record = append(out.Write, to), append(out.Record, to)
		default:
			out.Read, out.Guard, out.Record = append(out.Read, path), append(out.Guard, path), append(out.Record, path)
		}
	}
	return out, nil
}

func (o Options) runPatch(ctx context.Context, args patchArgs) (string, []rewrite, error) {
	changes, err := parsePatch(args.Patch)
	if err != nil {
		return "", nil, fmt.Errorf("reading the patch: %w", err)
	}
	steps := make([]step, 0, len(changes))
	used := map[string]bool{}
	var problems []error
	for _, c := range changes {
		s, err := o.plan(c, used)
		if err != nil {
			problems = append(problems, fmt.Errorf("patching %s: %w", c.path, err))
		}
		steps = append(steps, s)
	}
	if len(problems) > 0 {
		return "", nil, errors.Join(append(problems, errors.New("nothing was changed"))...)
	}
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	var changed []rewrite
	for _, s := range steps {
		changed = append(changed, o.rewritten(s)...)
	}
	if err := commit(steps); err != nil {
		return "", nil, err
	}
	said := make([]string, 0, len(steps))
	for _, s := range steps {
		said = append(said, s.String())
	}
	return strings.Join(said, "\n"), changed, nil
}

// step is a change that was checked and is possible.
type step struct {
	change
	// from and to are absolute. to is the target of the content. It equals from unless the file is moved.
	from, to string
	old      document
	// content is the complete new content of the file, including its byte order mark.
	content string
}

// String describes the change after it was made.
func (s step) String() string {
	switch {
	case s.head == patchAdd:
		return "added " + s.path
	case s.head == patchDelete:
		return "deleted " + s.path
	case s.move != "":
		return fmt.Sprintf("moved %s to %s with %s", s.path, s.move, plaintext.Counted(len(s.hunks), "hunk"))
	default:
		return fmt.Sprintf("updated %s with %s", s.path, plaintext.Counted(len(s.hunks), "hunk"))
	}
}

// plan checks a change without making it. It adds the files of the change to used.
func (o Options) plan(c change, used map[string]bool) (step, error) {
	s := step{change: c, from: o.resolve(c.path), to: o.resolve(c.path)}
	if c.move != "" {
		s.to = o.resolve(c.move)
	}
	for _, path := range []string{s.from, s.to}[:1+min(1, len(c.move))] {
		if physical, err := filepath.EvalSymlinks(path); err == nil {
			path = physical
		}
		if used[path] {
			return s, errors.New("the patch names the file twice; put all hunks below one line")
		}
		used[path] = true
	}
	switch c.head {
	case patchAdd:
		s.content = c.content
		return s, vacant(s.to)
	case patchDelete:
		return s, removable(s.from)
	default:
		return s.update()
	}
}

// update computes the new content of an updated file.
func (s step) update() (step, error) {
	var err error
	if s.old, err = load(s.from); err != nil {
		return s, err
	}
	if s.move != "" {
		if err = vacant(s.to); err != nil {
			return s, fmt.Errorf("moving it to %s: %w", s.move, err)
		}
		err = removable(s.from)
	} else {
		err = writable(s.from)
	}
	if err != nil {
		return s, err
	}
	changed := s.old
	changed.text, err = applyHunks(s.old.text, s.hunks)
	s.content = changed.String()
	return s, err
}

// vacant returns an error if the path exists.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("there is such a file already; use %q to change it", strings.TrimSpace(patchUpdate))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// removable returns an error unless the path is a regular file or a symbolic link.
func removable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return errors.New("it is not a regular file")
	default:
		return nil
	}
}

// writable checks that a file can be opened for writing. It does not change the file.
func writable(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}
