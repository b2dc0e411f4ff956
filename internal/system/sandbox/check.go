package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Access lists the files that a call declares it will access. Paths are absolute or relative to a working directory.
type Access struct {
	Read  []string
	Write []string
}

// grantWriting says how a path becomes writable that nothing covers.
const grantWriting = "sandbox.extra.rw can add one"

// DeniedError reports a path that a policy does not allow.
type DeniedError struct {
	// Path is the path as the call named it. Resolved is the same path with symbolic links followed.
	Path, Resolved string
	Write          bool
	// Either is true if the path may have been read or written. Write is false then.
	Either bool
	// Rule says which part of the policy refuses the path, and what the user can do.
	Rule string
	// Closed is set if no question may lift the refusal: the path is secret, or what is there runs outside of the sandbox.
	Closed bool
}

func (e *DeniedError) Error() string {
	doing := "reading"
	switch {
	case e.Write:
		doing = "writing"
	case e.Either:
		doing = "reading or writing"
	}
	where := ""
	if e.Resolved != e.Path {
		where = fmt.Sprintf(" (which is %s)", e.Resolved)
	}
	return fmt.Sprintf("%s %s%s: refused by the sandbox: %s", doing, e.Path, where, e.Rule)
}

// Check returns a DeniedError for the first path that the policy does not allow. It checks the written paths first, because a
// path that is both read and written needs more than permission to read. It follows symbolic links in the paths and in the
// policy, also links to files that do not exist yet.
func Check(p Policy, workdir string, paths Access) error {
	if len(paths.Read)+len(paths.Write) == 0 {
		return nil // following the links of a policy takes longer than most calls
	}
	p = p.resolved()
	for _, path := range paths.Write {
		if err := p.check(workdir, path, true); err != nil {
			return err
		}
	}
	for _, path := range paths.Read {
		if err := p.check(workdir, path, false); err != nil {
			return err
		}
	}
	return nil
}

func (p Policy) check(workdir, path string, write bool) error {
	asked := path
	if !filepath.IsAbs(path) {
		// filepath.Join would remove the part before a "..", which may be a link to another directory.
		path = workdir + string(filepath.Separator) + path
	}
	resolved := resolve(path)
	denied := func(format string, args ...any) error {
		return &DeniedError{Path: asked, Resolved: resolved, Write: write, Rule: fmt.Sprintf(format, args...)}
	}
	closed := func(format string, args ...any) error {
		return &DeniedError{Path: asked, Resolved: resolved, Write: write, Rule: fmt.Sprintf(format, args...), Closed: true}
	}
	inner := covering(p.Inner, resolved) != ""
	if why := p.hides(path, resolved); why != "" && !inner {
		return closed("%s%s", why, hiddenAdvice)
	}
	tree, reach, writable := covering(p.Hidden, resolved), p.reach(resolved), covering(p.ReadWrite, resolved) != ""
	hides := tree != "" && !inner
	if !hides && (isDevice(resolved) || !write && reach != "") {
		return nil
	}
	if hides || !writable {
		// No sentence proposes to grant what is secret.
		if secret := p.secret(resolved); secret != "" {
			return closed("%s is a place of secrets%s", secret, hiddenAdvice)
		}
	}
	switch {
	case hides:
		return closed("%s is hidden from everything in the sandbox", tree)
	case !write:
		return denied("no path of ro or rw covers it; sandbox.extra.ro can add one")
	case !writable && reach != "":
		return denied("%s is read-only; sandbox.extra.rw can make it writable", reach)
	case !writable:
		return denied("no path of rw covers it; %s", grantWriting)
	}
	if kept := covering(p.Protected, resolved); kept != "" && !inner {
		if why := p.gitClosed[kept]; why != "" {
			return closed("%s stays read-only, because programs in the sandbox get no private copy of its settings: %s", kept, why)
		}
		return closed("%s stays read-only, because what is there runs outside of the sandbox", kept)
	}
	return nil
}

// secret returns the place of secrets of the home directory that contains a path, or an empty string.
func (p Policy) secret(path string) string {
	if p.Home == "" {
		return ""
	}
	return covering(below(resolve(p.Home), secrets()), path)
}

// resolved returns the policy with the links in its own paths followed. It returns an opened policy unchanged.
func (p Policy) resolved() Policy {
	if p.Opened {
		return p
	}
	for _, list := range []*[]string{&p.ReadOnly, &p.ReadWrite, &p.Own, &p.Protected, &p.Named, &p.Hidden, &p.Inner, &p.Shown} {
		paths := make([]string, 0, len(*list))
		for _, path := range *list {
			paths = append(paths, resolve(path))
		}
		*list = paths
	}
	return p
}

// reach returns the tree that makes a path readable, or an empty string.
func (p Policy) reach(path string) string {
	for _, list := range [][]string{p.ReadWrite, p.ReadOnly, p.Own} {
		if tree := covering(list, path); tree != "" {
			return tree
		}
	}
	return ""
}

// covering returns the first tree that contains the path, or an empty string.
func covering(trees []string, path string) string {
	for _, tree := range trees {
		if within(tree, path) {
			return tree
		}
	}
	return ""
}

// treeSet is a set of directory trees, for many questions about them.
type treeSet map[string]bool

func newTreeSet(paths []string) treeSet {
	out := make(treeSet, len(paths))
	for _, path := range paths {
		out[path] = true
	}
	return out
}

// around returns the outermost tree that contains the path, or an empty string. The path must be clean.
func (t treeSet) around(path string) string {
	outer := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if t[dir] {
			outer = dir
		}
		if dir == filepath.Dir(dir) {
			return outer
		}
	}
}

// within reports whether path is tree or below it. Both paths must be clean.
func within(tree, path string) bool {
	if tree == path {
		return true
	}
	tree = strings.TrimSuffix(tree, string(filepath.Separator))
	return len(path) > len(tree) && path[len(tree)] == filepath.Separator && path[:len(tree)] == tree
}

// devices lists files that store nothing and that programs expect to exist. They are writable under every policy.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

func isDevice(path string) bool { return covering(devices, path) == path }

// maxLinks is how many symbolic links are followed. The kernel has the same limit.
const maxLinks = 40

// resolve follows every symbolic link of a path. The part of a path that does not exist is kept as it is. A path with too many
// links leads to no existing file, so the unresolved rest of such a path does not matter.
func resolve(path string) string {
	end, _ := follow(path)
	return end
}

// follow does the work of resolve. It also returns the followed links, each as a name in a directory whose path has no links.
func follow(path string) (end string, links []string) {
	path = filepath.FromSlash(path)
	if isPlain(path) {
		return path, nil
	}
	volume := filepath.VolumeName(path)
	done, rest := volume+string(filepath.Separator), strings.Split(path[len(volume):], string(filepath.Separator))
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		target, err := os.Readlink(next)
		if err != nil || len(links) >= maxLinks {
			done = next
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done, target = volume+string(filepath.Separator), target[len(volume):]
		}
		rest = append(strings.Split(target, string(filepath.Separator)), rest...)
	}
	return done, links
}
