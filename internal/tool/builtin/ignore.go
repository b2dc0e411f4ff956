package builtin

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/files"
)

// ignoreLimit is how many bytes of a .gitignore are read.
const ignoreLimit = 1 << 20

// rule is a line of a .gitignore.
type rule struct {
	// base is the directory of the file, absolute and with slashes; the pattern is relative to it.
	base, pattern string
	// keep takes back what a rule before it ignored.
	keep bool
	// directory rules are for directories only.
	directory bool
}

// rules are those in force somewhere, the nearest last.
type rules []rule

// ignored reports whether a directory entry, given by its absolute path with slashes, is ignored by itself. One that lies
// in an ignored directory is not met at all.
func (r rules) ignored(name string, directory bool) bool {
	for _, one := range slices.Backward(r) {
		if one.directory && !directory {
			continue
		}
		relative, below := strings.CutPrefix(name, strings.TrimSuffix(one.base, "/")+"/")
		if below && doublestar.MatchUnvalidated(one.pattern, relative) {
			return !one.keep
		}
	}
	return false
}

// with returns the rules that hold in a directory: these and those of its .gitignore.
func (r rules) with(dir string) rules {
	if more := readRules(filepath.Join(dir, ".gitignore"), dir); len(more) > 0 {
		return slices.Concat(r, more)
	}
	return r
}

// rulesAbove returns the rules that the repository around a directory has for it. If they ignore the directory itself, they
// are of no use to someone who has named it.
func rulesAbove(dir string) rules {
	var dirs []string
	for at := dir; ; at = filepath.Dir(at) {
		dirs = append(dirs, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		if filepath.Dir(at) == at {
			return nil
		}
	}
	slices.Reverse(dirs)
	found := rules(readRules(filepath.Join(dirs[0], ".git", "info", "exclude"), dirs[0]))
	for i, next := range dirs[1:] {
		found = found.with(dirs[i])
		if found.ignored(filepath.ToSlash(next), true) {
			return nil
		}
	}
	return found
}

// readRules reads a file of rules. One that cannot be read has none.
func readRules(file, base string) []rule {
	text, err := files.Read(file, ignoreLimit)
	if err != nil {
		return nil
	}
	var out []rule
	for line := range strings.Lines(string(text)) {
		if one, ok := parseRule(line); ok {
			one.base = filepath.ToSlash(base)
			out = append(out, one)
		}
	}
	return out
}

// braces have no meaning in a .gitignore.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`)

// parseRule reads one line. Blank lines, comments and patterns that make no sense are no rules.
func parseRule(line string) (rule, bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.directory = strings.CutSuffix(line, "/")
	line = braces.Replace(line)
	switch {
	case strings.HasSuffix(line, "/**"): // all that is inside, but not the directory itself
		line = strings.TrimPrefix(line, "/") + "/*"
	case strings.Contains(line, "/"):
		line = strings.TrimPrefix(line, "/")
	default:
		line = path.Join("**", line)
	}
	r.pattern = line
	return r, line != "" && doublestar.ValidatePattern(line)
}
