package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Call is a tool call that needs an approval.
type Call struct {
	// Tool is the name of the tool, and Source who provides it.
	Tool, Source string
	// Rule is the Confirm rule that asks. It is empty if the tool itself requires approval.
	Rule string
	// Args holds the arguments.
	Args map[string]any
	// Shell is whether the argument "command" is a shell line.
	Shell bool
	// Host is the host and port that a program connects to; empty for a call of a tool.
	Host string
	// Path is the path that a call of a built-in tool reads or writes against the rules of the sandbox: absolute and without links; empty for
	// all other calls.
	Path string
	// Files holds the files that a built-in tool reads or changes: absolute paths without links. It is empty for a call that is
	// not about files.
	Files []string
	// Workdir is the working directory without links. Relative paths in patterns refer to it.
	Workdir string
}

// longestPattern is the maximum length of a pattern, in bytes. Calls that only a longer pattern describes are approved one by one.
const longestPattern = 16 << 10

// Pattern returns a pattern that covers little more than this call: the same shell line, the files directly in the same
// directories, or the same arguments. It is empty if no pattern can cover the call.
func (c Call) Pattern() string {
	var subject string
	switch {
	case c.Host != "":
		subject = c.Host
	case c.Path != "":
		subject = c.Path
	case c.Shell:
		subject = quote(strings.TrimSpace(c.line()))
	case len(c.Files) > 0:
		var dirs []string
		for _, file := range c.Files {
			spelled := c.spell(filepath.Dir(file), "/")
			dirs = append(dirs, strings.ReplaceAll(quote(spelled[len(spelled)-1]), ", ", "[,] "))
		}
		slices.Sort(dirs)
		subject = strings.Join(slices.Compact(dirs), ", ")
	default:
		args, err := c.json()
		if err != nil {
			return ""
		}
		subject = quote(args)
	}
	pattern := c.Tool + ":" + subject
	if c.Check(pattern) != nil {
		return ""
	}
	return pattern
}

// Check returns an error if a pattern is malformed or does not cover the call. A pattern is the name of the tool, which covers
// every call, or the name and a subject, as in "Bash:go test *":
//
//   - A shell line is covered if it equals the subject, or if each of its commands matches the subject and the line consists of
//     simple commands: no redirections to files, no assignments, and no expansions but $NAME. See simpleCommands.
//   - Files are covered if each matches one of the subjects between commas. A subject that ends in a slash is a directory: it
//     matches the files directly in it.
//   - A connection is covered if the subject is a host as in sandbox.network that stands for its host and port.
//   - A path is covered if it equals the subject.
//   - Other calls are covered if their arguments as JSON equal the subject, if that begins with a brace, or if each value in the
//     arguments matches it.
func (c Call) Check(pattern string) error {
	subject, specific := strings.CutPrefix(pattern, c.Tool+":")
	switch {
	case !specific && pattern != c.Tool:
		return fmt.Errorf("the pattern must begin with %s: it approves only calls of this tool", c.Tool+":")
	case specific && strings.TrimSpace(subject) == "":
		return fmt.Errorf("the pattern says nothing after the colon; write %s alone to approve every call of it", c.Tool)
	case c.Host != "" && !specific:
		return fmt.Errorf("the pattern must name hosts, such as %s:*.example.org:443", HostTool)
	case c.Host != "" && badHost(subject) != nil:
		return badHost(subject)
	case c.Path != "" && (!specific || subject != c.Path):
		return fmt.Errorf("the pattern must be %s:%s", c.Tool, c.Path)
	case len(pattern) > longestPattern:
		return fmt.Errorf("the pattern has %d bytes; at most %d can be kept", len(pattern), longestPattern)
	case c.covered([]string{pattern}):
		return nil
	case c.Shell && !wildcard(subject).plain:
		return errors.New("the pattern does not cover this call: a pattern with a star is compared with each command of the line, and covers no " +
			"redirections, assignments, compound commands, expansions other than $NAME, or builtins of the shell that evaluate their operands")
	default:
		return errors.New("the pattern does not cover this call")
	}
}

// covered reports whether patterns cover the call.
func (c Call) covered(patterns []string) bool {
	if c.Path != "" {
		return slices.Contains(patterns, c.Tool+":"+c.Path)
	}
	var subjects []string
	for _, p := range patterns {
		if p == c.Tool && c.Host == "" {
			return true
		}
		if subject, ok := strings.CutPrefix(p, c.Tool+":"); ok {
			subjects = append(subjects, strings.TrimSpace(subject))
		}
	}
	switch {
	case c.Host != "":
		return slices.ContainsFunc(subjects, c.coversHost)
	case c.Shell:
		return coversLine(subjects, c.line())
	case len(c.Files) > 0:
		return c.coversFiles(subjects)
	default:
		return slices.ContainsFunc(subjects, c.coversValues)
	}
}

func (c Call) line() string {
	line, _ := c.Args["command"].(string)
	return line
}

// coversLine reports whether one subject without stars equals a shell line, or subjects cover all its commands.
func coversLine(subjects []string, line string) bool {
	var compiled []glob
	for _, s := range subjects {
		w := wildcard(s)
		if w.plain && w.MatchString(strings.TrimSpace(line)) {
			return true
		}
		compiled = append(compiled, w)
	}
	all, ok := simpleCommands(line)
	return ok && every(all, func(command string) bool { return matchesAny(compiled, command) })
}

// coversFiles reports whether subjects cover all files.
func (c Call) coversFiles(subjects []string) bool {
	var files, dirs []glob
	for _, list := range subjects {
		for one := range strings.SplitSeq(list, ", ") {
			if one = strings.TrimSpace(one); strings.HasSuffix(one, "/") {
				dirs = append(dirs, wildcard(one))
			} else {
				files = append(files, wildcard(one))
			}
		}
	}
	return every(c.Files, func(file string) bool {
		return slices.ContainsFunc(c.spell(file, ""), func(s string) bool { return matchesAny(files, s) }) ||
			slices.ContainsFunc(c.spell(filepath.Dir(file), "/"), func(s string) bool { return matchesAny(dirs, s) })
	})
}

// spell returns the spellings of a path that patterns are compared with, with a suffix: absolute and, if the path is located in
// the working directory, relative to it.
func (c Call) spell(path, suffix string) []string {
	join := func(p string) string { return strings.TrimSuffix(filepath.ToSlash(p), "/") + suffix }
	out := []string{join(path)}
	if below, err := filepath.Rel(c.Workdir, path); err == nil && filepath.IsLocal(below) {
		out = append(out, join(below))
	}
	return out
}

// coversValues reports whether a subject that is JSON equals the arguments, or each value in the arguments matches another one.
func (c Call) coversValues(subject string) bool {
	w := wildcard(subject)
	if args, err := c.json(); w.plain && strings.HasPrefix(subject, "{") {
		return err == nil && w.MatchString(args)
	}
	all, ok := values(c.Args)
	return ok && every(all, w.MatchString)
}

// json returns the arguments as JSON, with sorted keys.
func (c Call) json() (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	args := c.Args
	if args == nil {
		args = map[string]any{}
	}
	err := e.Encode(args)
	return strings.TrimRight(b.String(), "\n"), err
}

// values returns all values in the arguments, at any depth. Numbers and truth values are written as in JSON.
func values(of any) ([]string, bool) {
	var items []any
	switch of := of.(type) {
	case string:
		return []string{of}, true
	case []any:
		items = of
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(of)) {
			items = append(items, of[name])
		}
	default:
		raw, err := json.Marshal(of)
		return []string{string(raw)}, err == nil
	}
	var out []string
	for _, item := range items {
		inner, ok := values(item)
		if !ok {
			return nil, false
		}
		out = append(out, inner...)
	}
	return out, true
}

// every reports whether there are items and all satisfy a condition.
func every(items []string, holds func(string) bool) bool {
	return len(items) > 0 && !slices.ContainsFunc(items, func(s string) bool { return !holds(s) })
}

func matchesAny(patterns []glob, text string) bool {
	return slices.ContainsFunc(patterns, func(p glob) bool { return p.MatchString(text) })
}
