package sandbox

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// refusals lists the messages that programs print when the kernel enforces a policy: for a read-only mount, for Landlock, and
// for a mount that would be replaced or removed.
// Programs differ in the case of the letters.
var refusals = []string{"read-only file system", "permission denied", "operation not permitted", busy}

// busy is the message for a mount, and for a directory that contains one.
const busy = "device or resource busy"

// maxExplained is how much of an output is searched, in bytes from its end.
const maxExplained = 64 << 10

// writeRefusals lists those that only writing causes.
var writeRefusals = []string{"read-only file system", busy}

// Explain searches the output of a command for the first complaint about a file that the policy does not let the command read or write.
// It returns one line that says that the sandbox refused the file and what to do, or an empty string if there is no such
// complaint. Without that line the refusal looks like a fault of the file system. Relative paths start from the working
// directory. A path that is the end of a protected path counts too, because a command may have changed to another directory.
// The output can only choose which rule of the policy is cited. denied is the refusal that the line is about.
func Explain(p Policy, workdir, output string) (line string, denied *DeniedError) {
	output = output[max(0, len(output)-maxExplained):]
	resolved := false
	for text := range strings.Lines(output) {
		said := strings.ToLower(text)
		if !containsAny(said, refusals) {
			continue
		}
		if !resolved {
			p, resolved = p.resolved(), true // following the links takes long
		}
		// A program prints its own name first and the file last.
		for _, path := range slices.Backward(p.candidates(text)) {
			denied := p.refusal(workdir, path, containsAny(said, writeRefusals))
			if denied == nil && strings.Contains(said, busy) {
				denied = p.refusalBelow(workdir, path)
			}
			if denied != nil {
				return "[sandbox] " + denied.Error() + advice(denied.Resolved) + halfDone(output), denied
			}
		}
	}
	return "", nil
}

// Refused reports whether an output contains a message that Explain may explain.
func Refused(output string) bool { return containsAny(strings.ToLower(output), refusals) }

// halfDone returns what Git did to a branch before it failed to write its settings; empty for other outputs.
func halfDone(output string) string {
	for _, done := range []string{"renamed", "copied"} {
		if strings.Contains(output, "Branch is "+done+", but update of config-file failed") {
			return ". The branch was " + done + " nevertheless, without its settings (branch.NAME in .git/config)"
		}
	}
	return ""
}

// missing is the message for a path that does not exist.
const missing = "No such file or directory"

// ExplainMissing does what Explain does for a process that sees only what is granted: there a file that is not granted does not exist. The
// line does not reveal whether the file exists outside, so that the output of a command cannot be used to ask.
func ExplainMissing(p Policy, workdir, output string) (line string, denied *DeniedError) {
	output = output[max(0, len(output)-maxExplained):]
	for text := range strings.Lines(output) {
		if !strings.Contains(text, missing) {
			continue
		}
		p = p.resolved()
		for _, path := range slices.Backward(candidates(text)) {
			denied, _ := errors.AsType[*DeniedError](p.check(workdir, path, false))
			if denied != nil {
				return "[sandbox] " + path + " is not granted for reading, so it cannot be seen here, whether it exists or not: " + denied.Rule +
					advice(denied.Resolved), denied
			}
		}
	}
	return "", nil
}

// advice returns what to do instead.
func advice(path string) string {
	if isGitSetting(path) {
		return ". For one command, use git -c NAME=VALUE; to change the setting, ask the user to run git config"
	}
	if isLinkedTree(path) {
		return ". To remove a linked working tree, ask the user to run git worktree remove"
	}
	return ". If it is needed, ask the user to do it"
}

// isLinkedTree reports whether a path is among the files by which Git finds a linked working tree.
func isLinkedTree(path string) bool {
	path = filepath.ToSlash(path)
	return strings.HasSuffix(path, "/.git") || strings.Contains(path, "/.git/worktrees/")
}

func isGitSetting(path string) bool {
	base := filepath.Base(path)
	return base == ".gitconfig" || base == "config" && strings.Contains(filepath.ToSlash(path), "/.git/")
}

// refusal returns the error for using a path; nil if the policy allows it. writing is whether the command certainly wrote. What can be read
// was written, because reading is not refused.
func (p Policy) refusal(workdir, path string, writing bool) *DeniedError {
	denied, _ := errors.AsType[*DeniedError](p.check(workdir, path, true))
	if denied != nil && !writing {
		if read, _ := errors.AsType[*DeniedError](p.check(workdir, path, false)); read != nil {
			read.Either = true
			if strings.Contains(denied.Rule, grantWriting) {
				read.Rule += "; " + grantWriting
			}
			return read
		}
	}
	if denied != nil || filepath.IsAbs(path) || !strings.Contains(path, "/") {
		return denied
	}
	for _, kept := range p.Protected {
		// Git names files of its directory without the directory.
		if below := filepath.Join(kept, path); (filepath.Base(kept) == gitName || p.gitClosed[kept] != "") && files.Exists(filepath.Dir(below)) {
			kept, path = below, filepath.Base(path)
		}
		if strings.HasSuffix(filepath.ToSlash(kept), "/"+path) {
			denied, _ = errors.AsType[*DeniedError](p.check(workdir, kept, true))
			return denied
		}
	}
	return nil
}

// refusalBelow returns the error for writing the first protected path below a directory. The directory cannot be removed or renamed.
func (p Policy) refusalBelow(workdir, dir string) *DeniedError {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workdir, dir)
	}
	for _, kept := range p.Protected {
		if within(dir, kept) {
			denied, _ := errors.AsType[*DeniedError](p.check(workdir, kept, true))
			return denied
		}
	}
	return nil
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// candidates returns the words of a line that may be paths, and those that are names of hidden files.
func (p Policy) candidates(line string) []string {
	out := candidates(line)
	if len(p.Withheld) == 0 {
		return out
	}
	for word := range strings.FieldsFuncSeq(line, quoted) {
		if path := p.hiddenName(strings.TrimRight(word, ":,;.")); path != "" {
			out = append(out, path)
		}
	}
	return out
}

// candidates returns the words of a line that may be paths: words that contain a slash or begin with a dot.
func candidates(line string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(line, quoted) {
		word = strings.TrimRight(word, ":,;.")
		if len(word) > 1 && (strings.Contains(word, "/") || word[0] == '.') {
			out = append(out, strings.TrimSuffix(word, ".lock"))
		}
	}
	return out
}

// quoted reports whether a character ends a word of an output.
func quoted(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`‘’“”", r) }
