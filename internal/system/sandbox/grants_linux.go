package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
)

// enter opens the working directory. A directory that cannot be opened leaves dir nil.
func (g *Grants) enter(workdir string) {
	var links []string
	g.root, links = follow(workdir)
	g.workdir, g.known = workdir, map[string]grant{}
	if f, err := g.hold(g.root); err == nil {
		g.dir = f
		made := grant{path: g.root, file: f, links: links}
		g.known[workdir], g.known[g.root] = made, made
	}
}

// Dir returns the working directory to start processes in, as a path without links. The path may lead elsewhere by now; a
// process that confines itself detects that.
func (g *Grants) Dir() string { return g.root }

// descriptorPath returns a path to an open file of the process that uses the path.
func descriptorPath(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// Open returns the policy with the links of every path followed. It opens writable trees, and paths that confined code could
// replace, and keeps them open. Open refuses a grant that is reached through a symbolic link in a writable tree, because
// confined code can create such links: it removes the grant from the policy and adds a note. If a path is opened again, Open
// returns what the first call found.
func (g *Grants) Open(p Policy) Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.Opened {
		return g.hide(p)
	}
	p.Opening = Opening{Opened: true, Workdir: g.root, traffic: p.traffic}
	g.openGate(&p)
	if g.dir != nil {
		p.pinFile(g.root, g.dir)
	}
	rights := p.rights()
	if slices.Contains(p.ReadWrite, "/") {
		// Every file can be reached, so replacing a path gains nothing.
		g.openGitCopies(&p, rights)
		p.always = p.Hidden
		return g.hide(p)
	}
	names := slices.Concat([]string{g.workdir}, p.ReadWrite, p.ReadOnly, p.Own)
	for _, c := range p.Covers {
		names = append(names, c.Path)
	}
	var failed error
	if len(p.Covers) > 0 || p.Temp != "" {
		failed = makePrivateTemp(p.private)
	}
	trees := g.openWritable(&p)
	// Which links confined code can create is known only after openWritable.
	if g.make(p) {
		trees = g.openWritable(&p)
	}
	p.ReadWrite = trees
	p.Covers = g.openCovers(p.Covers, p.private)
	if failed != nil {
		p.Covers = nil
		p.addUncovered("temporary files are shared with other programs: " + failed.Error())
	}
	p.Covers = append(p.Covers, g.openLayers(&p)...)
	p.ReadOnly, p.Own = g.openReadable(&p, p.ReadOnly), g.openReadable(&p, p.Own)
	p.Links = g.linksTo(names)
	for _, link := range g.replaceable(p) {
		p.addUncovered(link + " is a symbolic link, which can be replaced: what it leads to is protected, the link is not")
	}
	for _, list := range []*[]string{&p.Protected, &p.Named, &p.Hidden, &p.Inner, &p.Shown} {
		paths, seen := make([]string, 0, len(*list)), map[string]bool{}
		for _, path := range *list {
			// Hiding a path twice would also hide the paths that are shown below it.
			if end := g.follow(path).path; !seen[end] {
				seen[end] = true
				paths = append(paths, end)
			}
		}
		*list = paths
	}
	g.openGitCopies(&p, rights)
	p.always = p.Hidden
	return g.hide(p)
}

// openWritable opens the writable trees of a policy. It opens the trees that are reached without links first, because these
// determine which links confined code can create.
func (g *Grants) openWritable(p *Policy) []string {
	found := make([]grant, 0, len(p.ReadWrite))
	names := map[string]string{}
	for _, path := range p.ReadWrite {
		made := g.follow(path)
		if !files.Exists(made.path) {
			continue // a path that does not exist grants nothing
		}
		found, names[made.path] = append(found, made), path
	}
	slices.SortStableFunc(found, func(a, b grant) int { return len(a.links) - len(b.links) })
	// The second round knows the trees that the first round added.
	for range 2 {
		found = slices.DeleteFunc(found, func(made grant) bool { return !g.allow(p, names[made.path], made) })
	}
	var out []string
	for _, made := range found {
		if !slices.Contains(out, made.path) {
			out = append(out, made.path)
		}
	}
	return out
}

// allow pins a writable tree and reports true, or refuses it.
func (g *Grants) allow(p *Policy, name string, made grant) bool {
	if link := g.loose(made); link != "" {
		p.addUncovered(refusal(name, link))
		g.known[name] = made
		g.writable = slices.DeleteFunc(g.writable, func(tree string) bool { return tree == made.path })
		return false
	}
	if !g.pin(p, name, made) {
		return false
	}
	if !slices.Contains(g.writable, made.path) {
		g.writable = append(g.writable, made.path)
	}
	return true
}

// openCovers follows the paths of covers. private is the directory for temporary files. A path that does not exist cannot be covered.
func (g *Grants) openCovers(covers []Cover, private string) []Cover {
	var out []Cover
	for _, c := range covers {
		if c.From == "" {
			c.From = private
		}
		c.Path, c.From = g.follow(c.Path).path, g.follow(c.From).path
		if files.Exists(c.Path) && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// openReadable opens the paths that confined code could replace, and follows the others.
func (g *Grants) openReadable(p *Policy, paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		if _, known := g.known[path]; !known && !leads(path) {
			continue // a path that does not exist grants nothing
		}
		made := g.follow(path)
		switch link := g.loose(made); {
		case covering(p.ReadWrite, made.path) != "" && p.covered(innermost(made.path, p.ReadWrite)) == nil:
			// The path is readable already.
		case link != "" && slices.Contains(paths, made.path):
			// What the link leads to is granted by its own name.
		case link != "":
			p.addUncovered(refusal(path, link))
		case covering(g.writable, made.path) == "":
			out = append(out, made.path)
		case files.Exists(made.path) && g.pin(p, path, made):
			out = append(out, made.path)
		}
	}
	return out
}

// leads reports whether a path leads to an existing file. It needs one system call; following the links needs many.
func leads(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func refusal(path, link string) string {
	return fmt.Sprintf("%s is not granted, because the symbolic link %s leads to it, which confined code can replace; "+
		"name the place it leads to in sandbox.extra", path, link)
}

// loose returns the first link on the way to a grant that confined code can replace; empty if there is none. A grant that is
// already open cannot change any more.
func (g *Grants) loose(made grant) string {
	if made.file != nil {
		return ""
	}
	for _, link := range made.links {
		if covering(g.writable, filepath.Dir(link)) != "" {
			return link
		}
	}
	return ""
}

// pin opens what a grant leads to, unless it is open already, and adds it to the policy.
func (g *Grants) pin(p *Policy, name string, made grant) bool {
	if made.file == nil {
		f, err := g.hold(made.path)
		if err != nil {
			p.addUncovered(fmt.Sprintf("%s is not granted: %v", name, explainOpen(err)))
			return false
		}
		made.file = f
		g.known[name] = made
	}
	p.pinFile(made.path, made.file)
	return true
}

// pinFile adds what a path led to, once.
func (o *Opening) pinFile(path string, f *os.File) {
	if !slices.Contains(o.Pinned, path) {
		o.Pinned, o.files = append(o.Pinned, path), append(o.files, f)
	}
}

func explainOpen(err error) error {
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return fmt.Errorf("%w; raise the limit on open files (ulimit -n)", err)
	case errors.Is(err, unix.ELOOP):
		return fmt.Errorf("%w: a symbolic link was put on the way to it", err)
	default:
		return err
	}
}

// hold opens a path without links and keeps it open until Close. A path that is open already is not opened again.
func (g *Grants) hold(path string) (*os.File, error) {
	if f := g.files[path]; f != nil {
		return f, nil
	}
	fd, err := openPlain(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if g.files == nil {
		g.files = map[string]*os.File{}
	}
	g.files[path] = os.NewFile(uintptr(fd), path)
	return g.files[path], nil
}

// follow returns where a path leads. A path that exists is followed once, and the result is cached.
func (g *Grants) follow(path string) grant {
	if made, ok := g.known[path]; ok {
		return made
	}
	from := path
	if g.workdir != "" && within(g.workdir, path) {
		// The links to the working directory were followed before.
		from = g.root + strings.TrimPrefix(path, g.workdir)
	}
	var made grant
	made.path, made.links = follow(from)
	if files.Exists(made.path) {
		if g.known == nil {
			g.known = map[string]grant{}
		}
		g.known[path] = made
	}
	return made
}

// linksTo returns the links on the way to paths, each once. A link that is gone by now leads nowhere.
func (g *Grants) linksTo(paths []string) []Link {
	var out []Link
	seen := map[string]bool{}
	for _, path := range paths {
		for _, link := range g.known[path].links {
			if seen[link] {
				continue
			}
			seen[link] = true
			if target, err := os.Readlink(link); err == nil {
				out = append(out, Link{Path: link, Target: target})
			}
		}
	}
	return out
}

// replaceable lists the links on the way to protected paths that are located in a writable tree. A link cannot be protected,
// because nothing can be mounted over it.
func (g *Grants) replaceable(p Policy) []string {
	kept := make([]string, 0, len(p.Protected))
	for _, path := range p.Protected {
		kept = append(kept, g.follow(path).path)
	}
	var out []string
	for _, path := range p.Protected {
		for _, link := range g.follow(path).links {
			dir := filepath.Dir(link)
			if covering(p.ReadWrite, dir) != "" && covering(kept, dir) == "" && !slices.Contains(out, link) {
				out = append(out, link)
			}
		}
	}
	return out
}

// make creates the directories that must exist before a process is confined, because the confined process could not create
// them. A directory that cannot be created grants nothing. make reports whether it created any.
func (g *Grants) make(p Policy) (some bool) {
	for _, path := range p.Make {
		others := slices.DeleteFunc(slices.Clone(p.ReadWrite), func(tree string) bool { return tree == path })
		if len(others) == len(p.ReadWrite) || covering(others, path) != "" && !slices.Contains(p.Inner, path) {
			continue
		}
		if made := g.follow(path); g.loose(made) == "" && !files.Exists(made.path) {
			some = makePlain(made.path) == nil || some
		}
	}
	return some
}
