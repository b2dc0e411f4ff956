package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/system/hidden"
)

// Offer says what the user can be asked about a path that a policy refuses.
type Offer struct {
	// Path is set if the path itself can be granted. Tree is set if it is a directory, and Create if it does not exist yet.
	Path, Tree, Create bool
	// Outside is set if a command that wants the path can run without the sandbox instead.
	Outside bool
}

// Any reports whether there is anything to ask.
func (o Offer) Any() bool { return o.Path || o.Outside }

// pseudo lists file systems that contain no files of the user: processes, devices and sockets.
var pseudo = []string{"/proc", "/sys", "/dev", "/run"}

// machine lists the directories at the root that belong to the machine. What is there runs without anybody starting it, or as somebody else.
var machine = append([]string{"/boot", "/etc", "/var"}, system...)

// Offer returns what the user can be asked about a path that a policy refuses in this place. The path comes from a model: a question must
// not turn one key into access to secrets, or into a program that runs outside of the sandbox later. What does not exist cannot be read, and a
// directory cannot be granted for writing, because what a file in it does is decided by its name.
func (at Place) Offer(p Policy, denied DeniedError) Offer {
	path := denied.Resolved
	if denied.Closed || !printable(path) || covering(pathsOf(at.Settings, at.Sources, at.EnvFiles, at.Trusted), path) != "" {
		return Offer{}
	}
	// What the path leads to was followed when it was refused. A link that is there now was put there since.
	info, err := os.Lstat(path)
	switch {
	case err == nil && (info.Mode()&os.ModeType&^os.ModeDir != 0 || hidden.HoldsKey(path)):
		return Offer{} // nobody learns which of both
	case denied.Write:
		return at.offerWriting(p, path, info, err == nil)
	case err != nil:
		return Offer{}
	case covering(pseudo, path) != "":
		return Offer{Outside: true}
	case !info.IsDir():
		return Offer{Path: true, Outside: true}
	}
	// Directories of programs, whose names begin with a dot, hold tokens and histories that nobody has listed.
	tree := !at.wide(path) && !within(path, resolve(at.Workdir)) && !at.dotted(path) && !p.around(path)
	return Offer{Path: tree, Tree: tree, Outside: true}
}

// offerWriting is Offer for a path that a call wants to write.
func (at Place) offerWriting(p Policy, path string, info os.FileInfo, exists bool) Offer {
	runs := exists && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	if runs || at.dotted(path) || covering(resolvedAll(at.Path), path) != "" || covering(p.resolved().Protected, path) != "" || at.ofMachine(path) {
		return Offer{}
	}
	out := Offer{Outside: true, Create: !exists}
	if !exists {
		dir, err := os.Lstat(filepath.Dir(path))
		exists = err == nil && dir.IsDir()
	} else if info.IsDir() {
		return out
	}
	out.Path = exists && covering(at.own(), path) != ""
	return out
}

// own returns the directories in which the user works: the home directory, and the one that the project is in.
func (at Place) own() []string {
	dirs := []string{filepath.Dir(resolve(at.root()))}
	if at.Home != "" {
		dirs = append(dirs, resolve(at.Home))
	}
	return slices.DeleteFunc(dirs, isRoot)
}

// ofMachine reports whether a path belongs to the machine. A project or a home directory inside of such a directory does not.
func (at Place) ofMachine(path string) bool {
	top := covering(machine, path)
	return top != "" && !slices.ContainsFunc(at.own(), func(dir string) bool { return dir != top && within(top, dir) && within(dir, path) }) ||
		covering(pseudo, path) != ""
}

// root returns the directory of the project.
func (at Place) root() string {
	if at.Project != "" {
		return at.Project
	}
	return at.Workdir
}

// dotted reports whether a part of a path begins with a dot: programs keep there what they obey. The directories above the working directory do
// not count for paths in it.
func (at Place) dotted(path string) bool {
	if below, err := filepath.Rel(resolve(at.Workdir), path); err == nil && filepath.IsLocal(below) {
		path = below
	}
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool { return part != "." && strings.HasPrefix(part, ".") })
}

// around reports whether a directory contains something that the policy hides, or a place of secrets.
func (p Policy) around(dir string) bool {
	secret := []string(nil)
	if p.Home != "" {
		secret = below(resolve(p.Home), secrets())
	}
	return slices.ContainsFunc(append(secret, p.resolved().Hidden...), func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil && within(dir, path)
	})
}

// printable reports whether a path looks like what it is.
func printable(path string) bool {
	return utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) })
}

func pathsOf(lists ...[]string) []string { return resolvedAll(slices.Concat(lists...)) }

func resolvedAll(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range present(paths...) {
		out = append(out, resolve(path))
	}
	return out
}

// Allowing returns the policy with paths that the user granted in addition. What is secret stays hidden. A path that leads elsewhere by now
// grants nothing.
func (p Policy) Allowing(at Place, read, write []string) Policy {
	same := func(paths []string) []string {
		return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return resolve(path) != path })
	}
	if len(read)+len(write) == 0 {
		return p
	}
	p.ReadOnly, p.ReadWrite = slices.Concat(p.ReadOnly, same(read)), slices.Concat(p.ReadWrite, same(write))
	p.hideElsewhere(slices.Concat(read, write))
	p.Hidden = slices.Clone(p.Hidden)
	p.hideSecrets(at)
	return p
}

// Refusal returns why a policy refuses a path without links; nil if it does not.
func Refusal(p Policy, path string, write bool) *DeniedError {
	access := Access{Read: []string{path}}
	if write {
		access = Access{Write: []string{path}}
	}
	denied, _ := errors.AsType[*DeniedError](Check(p, "", access))
	return denied
}

// Granted reports whether paths that the user granted cover the refused one. They lift no rule that holds whatever is granted.
func (e *DeniedError) Granted(read, write []string) bool {
	if e.Closed {
		return false
	}
	return slices.Contains(write, e.Resolved) || !e.Write && covering(read, e.Resolved) != ""
}
