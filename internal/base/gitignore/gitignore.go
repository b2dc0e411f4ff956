// Package gitignore decides which files the ignore files of a repository name.
package gitignore

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/base/files"
)

const (
	// maxFile is the maximum number of bytes that are read of a .gitignore.
	maxFile = 1 << 20
	// maxRules is how many rules apply in a directory. A repository that anyone can write must not take all memory.
	maxRules = 10_000
)

// rule is a line of a .gitignore.
type rule struct {
	// base is the directory of the file, absolute and with slashes. The pattern is relative to base.
	base, pattern string
	// text is the line as it was written.
	text string
	// keep is set for a rule with "!", which cancels earlier rules.
	keep bool
	// directory is set for a rule that applies only to directories.
	directory bool
}

// Rules holds the rules that apply in a directory. The nearest rule is last.
type Rules []rule

// Ignored reports whether the rules ignore a directory entry, given by its absolute path with slashes. It does not check the
// parent directories, because a walk does not enter ignored directories.
func (r Rules) Ignored(name string, directory bool) bool {
	_, ignored := r.Decide(name, directory)
	return ignored
}

// Decide does what Ignored does. It also returns the line that decides, as it was written; empty if no line does.
func (r Rules) Decide(name string, directory bool) (line string, ignored bool) {
	for _, one := range slices.Backward(r) {
		if one.directory && !directory {
			continue
		}
		relative, below := strings.CutPrefix(name, strings.TrimSuffix(one.base, "/")+"/")
		if below && doublestar.MatchUnvalidated(one.pattern, relative) {
			return one.text, !one.keep
		}
	}
	return "", false
}

// Parse returns the rules of lines, relative to a directory. It leaves out blank lines, comments and what is no pattern; see Valid.
func Parse(dir string, lines ...string) Rules {
	var out Rules
	for _, line := range lines {
		if one, ok := parseRule(line); ok && len(out) < maxRules {
			one.base = filepath.ToSlash(dir)
			out = append(out, one)
		}
	}
	return out
}

// Valid reports whether a line is a pattern.
func Valid(line string) bool {
	_, ok := parseRule(line)
	return ok && !strings.ContainsAny(line, "\r\n")
}

// Anchored reports whether the pattern of a line depends on the directory that a file is in, and not on its name alone.
func Anchored(line string) bool {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "!"), "/")
	return strings.Contains(strings.TrimPrefix(line, "**/"), "/")
}

// With returns the rules for a directory: the given rules and those of the directory's .gitignore. As git does, it ignores a
// .gitignore that is a link.
func (r Rules) With(dir string) Rules {
	if more := readRules(files.ReadNoFollow, filepath.Join(dir, ".gitignore"), dir); len(more) > 0 {
		return slices.Concat(r, more[:min(len(more), maxRules-len(r))])
	}
	return r
}

// Above returns the rules of the enclosing repository for a directory. If the rules ignore the directory itself, they are
// not used, because the caller has named the directory explicitly.
func Above(dir string) Rules {
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
	found := Rules(readRules(files.Read, filepath.Join(dirs[0], ".git", "info", "exclude"), dirs[0]))
	for i, next := range dirs[1:] {
		found = found.With(dirs[i])
		if found.Ignored(filepath.ToSlash(next), true) {
			return nil
		}
	}
	return found
}

// readRules reads a file of rules. A file that cannot be read has no rules.
func readRules(read func(string, int64) ([]byte, error), file, base string) []rule {
	text, err := read(file, maxFile)
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
	return out[:min(len(out), maxRules)]
}

// braces escapes braces, which have no special meaning in a .gitignore.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`)

// parseRule parses one line. It returns false for blank lines, comments and invalid patterns.
func parseRule(line string) (rule, bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	r := rule{text: line}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.directory = strings.CutSuffix(line, "/")
	line = braces.Replace(line)
	switch {
	case strings.HasSuffix(line, "/**"): // matches everything inside the directory, but not the directory itself
		line = strings.TrimPrefix(line, "/") + "/*"
	case strings.Contains(line, "/"):
		line = strings.TrimPrefix(line, "/")
	default:
		line = path.Join("**", line)
	}
	r.pattern = line
	return r, line != "" && doublestar.ValidatePattern(line)
}
