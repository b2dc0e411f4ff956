package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/sdk"
)

const (
	// matchLimit and matchBytes are the maximum number of lines, and of bytes, that one call returns.
	matchLimit = 1000
	matchBytes = 64 << 10
	// lineShown is the maximum number of bytes returned of a line. lineSearched is the maximum number of bytes searched.
	lineShown    = 500
	lineSearched = 1 << 20
)

type rgArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
}

func (o Options) rg() tool.Tool {
	return builtIn[rgArgs]{
		definition: tool.Definition{
			Name: "Rg",
			Description: "Search text files line by line for a regular expression. Returns path:line:text. " +
				"Leaves out binary files, .git, and what .gitignore names.",
			Parameters: object(`{"pattern":{"type":"string","minLength":1,"description":"a regular expression in RE2 syntax; (?i) at its beginning ignores case"},`+
				`"path":{"type":"string","description":"the file or directory to search; default the working directory"},`+
				`"glob":{"type":"string","description":"only files whose name fits, such as *.go, or whose path does, such as cmd/**/*.go; with ! before it only the others"}}`,
				"pattern"),
			Source:   tool.SourceBuiltin,
			Parallel: true,
		},
		run:   silent(o.runRg),
		paths: func(a rgArgs) (sdk.ToolPaths, error) { return o.reads(a.Path) },
	}
}

func (o Options) runRg(ctx context.Context, args rgArgs) (string, error) {
	pattern, err := compilePattern(args.Pattern)
	if err != nil {
		return "", fmt.Errorf("searching: %w", err)
	}
	s := &search{pattern: pattern, root: o.resolve(args.Path), given: args.Path, hides: o.Hides}
	if err := s.only(args.Glob); err != nil {
		return "", fmt.Errorf("searching: glob %q %w", shortened(args.Glob), err)
	}
	err = s.run(ctx)
	if err != nil {
		err = fmt.Errorf("searching %s: %w", filepath.Clean(args.Path), err)
	}
	if err != nil && s.shown == 0 {
		return "", err
	}
	return s.String(), err
}

// compilePattern compiles a regular expression. The time to search a line is at most proportional to the length of the line and the size
// of the compiled expression, so that size is limited.
func compilePattern(text string) (*regexp.Regexp, error) {
	if err := checkPattern(text); err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%w; the syntax is RE2, without look-around and back-references", err)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > limit.RgProgram {
		return nil, fmt.Errorf("the pattern compiles to %d instructions, and the limit is %d; use fewer or smaller repetitions", len(program.Inst), limit.RgProgram)
	}
	return pattern, nil
}

// search is one walk through files.
type search struct {
	pattern *regexp.Regexp
	// globs holds patterns without braces. A file is searched if it fits one of them, or if there are none. inverse excludes the files
	// that fit.
	globs   []string
	inverse bool
	// root is where the search starts. given is root as the caller wrote it.
	root, given string

	// hides reports whether a file is left out because it is hidden; it may be nil. hidden counts these.
	hides  func(string) bool
	hidden int

	out   strings.Builder
	shown int
	// more counts the matching lines that are not in out. unread counts the files and directories that could not be read.
	more, unread int
}

func (s *search) run(ctx context.Context) error {
	info, err := os.Stat(s.root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return s.file(ctx, s.root, s.given)
	}
	physical, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return err
	}
	return s.walk(ctx, physical, ".", gitignore.Above(physical))
}

// walk searches a directory. name is its path below the root. Symbolic links are not followed, so there are no cycles.
func (s *search) walk(ctx context.Context, dir, name string, above gitignore.Rules) error {
	entries, err := readDir(dir, stopper(ctx))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errEntries):
		return err
	case err != nil: // some entries may still have been read
		s.unread++
	}
	here := above.With(dir)
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		full, below := filepath.Join(dir, e.Name()), path.Join(name, e.Name())
		if e.Name() == ".git" || here.Ignored(filepath.ToSlash(full), e.IsDir()) {
			continue
		}
		if err := s.entry(ctx, e, full, below, here); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) entry(ctx context.Context, e fs.DirEntry, full, below string, here gitignore.Rules) error {
	switch {
	case s.hides != nil && s.hides(full):
		s.hidden++
		return nil
	case e.IsDir():
		return s.walk(ctx, full, below, here)
	case !e.Type().IsRegular() || !s.wanted(below):
		return nil
	}
	err := s.file(ctx, full, filepath.ToSlash(filepath.Join(s.given, below)))
	if err != nil && !errors.Is(err, errBinary) {
		s.unread++
	}
	return context.Cause(ctx)
}

// wanted applies the glob to a path below the root.
func (s *search) wanted(below string) bool {
	if len(s.globs) == 0 {
		return true
	}
	fits := slices.ContainsFunc(s.globs, func(glob string) bool { return doublestar.MatchUnvalidated(glob, below) })
	return fits != s.inverse
}

// only sets the glob.
func (s *search) only(glob string) error {
	if glob == "" {
		return nil
	}
	glob, s.inverse = strings.CutPrefix(filepath.ToSlash(glob), "!")
	if err := checkPattern(glob); err != nil {
		return fmt.Errorf("cannot be used: %w", err)
	}
	if !doublestar.ValidatePattern(glob) {
		return errors.New("is malformed")
	}
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob // the name of a file in any directory
	}
	var err error
	if s.globs, err = alternatives(strings.TrimPrefix(glob, "/")); err != nil {
		return fmt.Errorf("cannot be used: %w", err)
	}
	return nil
}

// file searches one file.
func (s *search) file(ctx context.Context, full, name string) error {
	file, _, err := readguard.Open(full)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 64<<10)
	start, _ := r.Peek(textProbe)
	if binary(start) {
		return errBinary
	}
	if bytes.HasPrefix(start, []byte(byteOrderMark)) {
		_, _ = r.Discard(len(byteOrderMark))
	}
	var line []byte
	for number := 1; ; number++ {
		line, _, err = readLine(ctx, r, line[:0], lineSearched)
		if len(line) > 0 {
			s.line(name, number, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *search) line(name string, number int, line []byte) {
	at := s.pattern.FindIndex(line)
	if at == nil {
		return
	}
	if s.shown >= matchLimit || s.out.Len() >= matchBytes {
		s.more++
		return
	}
	s.shown++
	fmt.Fprintf(&s.out, "%s:%d:%s\n", name, number, excerpt(line, at[0]))
}

// excerpt returns the part of a long line around the start of the match.
func excerpt(line []byte, at int) string {
	if len(line) <= lineShown {
		return valid(line)
	}
	from := max(0, min(at-lineShown/4, len(line)-lineShown))
	to := from + lineShown
	text := valid(line[from:to])
	if from > 0 {
		text = "..." + text
	}
	if to < len(line) {
		text += "..."
	}
	return text
}

// String returns the result for the model.
func (s *search) String() string {
	if s.shown == 0 {
		s.out.WriteString("(no match)\n")
	}
	if s.more > 0 {
		fmt.Fprintf(&s.out, "[... and %d more; narrow the search with path, glob or a closer pattern ...]\n", s.more)
	}
	if s.unread > 0 {
		fmt.Fprintf(&s.out, "[... %s could not be read ...]\n", plaintext.Counted(s.unread, "file"))
	}
	if s.hidden > 0 {
		fmt.Fprintf(&s.out, "[... not searched: %s that the sandbox hides from tools ...]\n", plaintext.Counted(s.hidden, "file"))
	}
	return strings.TrimSuffix(s.out.String(), "\n")
}
