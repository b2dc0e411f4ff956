package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/gitconfig"
)

const (
	// maxGitConfig is the largest size of a file of settings that gets a copy, in bytes. aura needs some sixty times as much memory when it
	// merges one.
	maxGitConfig = 4 << 20
	// maxGitGrowth is how much larger than the file a copy may be, in bytes. Confined code decides what is in it.
	maxGitGrowth = 256 << 10
)

// gitCopies holds the private copies of Git's settings. Processes with the same rights share copies: what one of them writes there, the
// Git of the others obeys.
type gitCopies struct {
	mu   sync.Mutex
	sets map[string]*gitCopySet
}

// gitCopySet holds the copies for one set of rights.
type gitCopySet struct {
	// dir contains the copies. Confined code can write it. links contains the links to them, and is out of its reach.
	dir, links string
	root       *os.Root
	copies     []*gitCopy
}

// gitCopy is the private copy of one file of settings.
type gitCopy struct {
	file string
	root *os.Root
	// name is the name of the copy in root.
	name string
	// base is what both contained when they were last equal, and fileState and copyState are the files with that content.
	base                 []byte
	fileState, copyState fileState
	// lock is the lock of the copy that the last look found.
	lock fileState
	// blocked is true if the user knows that the file cannot be written.
	blocked bool
}

// fileState tells apart the contents of a file at different times. The zero value means that there is no file.
type fileState struct {
	device, inode  uint64
	size           int64
	changed, wrote unix.Timespec
}

func stateOf(stat *unix.Stat_t) fileState {
	return fileState{uint64(stat.Dev), stat.Ino, stat.Size, stat.Ctim, stat.Mtim} //nolint:unconvert // its type differs between architectures
}

func stateAt(path string) fileState {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return fileState{}
	}
	return stateOf(&stat)
}

// rights returns what a process can do under a policy, as a key.
func (p *Policy) rights() string {
	// Rules always have a JSON form.
	hosts, _ := json.Marshal(p.Hosts)
	return strings.Join(slices.Concat(p.ReadOnly, []string{""}, p.ReadWrite, []string{""}, p.Own, []string{""}, p.Hidden,
		[]string{"", strconv.FormatBool(p.Network), string(hosts), strconv.FormatBool(p.UnixSockets)}), "\x00")
}

// openGitCopies adds the private copies of Git's settings to a policy. A repository whose settings get no copy is read-only as a whole: most
// commands of Git change the branches first and the settings last.
func (g *Grants) openGitCopies(p *Policy, rights string) {
	if p.copies == "" || !p.Exec {
		return
	}
	protected := newTreeSet(p.Protected)
	for _, config := range p.GitConfigs {
		path, dir := g.follow(config).path, g.follow(filepath.Dir(config)).path
		switch {
		case covering(p.ReadWrite, dir) == "" || protected.around(dir) != "" || p.Replaced(path) || !files.Exists(path):
			// The repository is read-only already, or Git can write the file.
		case covering(p.ReadWrite, path) == "":
			p.closeGit(dir, errors.New("a symbolic link leads from "+config+" to "+path+", which is not writable"))
		case protected[path]:
			link, err := g.openGitCopy(p, rights, path)
			if err != nil {
				p.closeGit(dir, err)
				continue
			}
			p.GitCopies = append(p.GitCopies, GitCopy{Path: path, Link: link})
		}
	}
}

// closeGit makes a repository read-only.
func (p *Policy) closeGit(dir string, why error) {
	if p.gitClosed == nil {
		p.gitClosed = map[string]string{}
	}
	p.Protected, p.gitClosed[dir] = appendNew(p.Protected, dir), why.Error()
}

// openGitCopy returns the link to the copy of a file. It makes the directory of the copies for rights writable under the policy; the other files
// there are hidden.
func (g *Grants) openGitCopy(p *Policy, rights, path string) (string, error) {
	copies := p.copies
	if makePrivateTemp(copies) != nil {
		copies = PrivateCopies("")
		if err := makePrivateTemp(copies); err != nil {
			return "", err
		}
	}
	set, err := g.git.set(copies, rights)
	if err != nil {
		return "", err
	}
	dir, err := g.hold(set.dir)
	if err != nil {
		return "", err
	}
	p.pinFile(set.dir, dir)
	p.ReadWrite, p.Inner = appendNew(p.ReadWrite, set.dir), appendNew(p.Inner, set.dir)
	if covering(p.Hidden, copies) == "" {
		p.Hidden = append(p.Hidden, copies)
	}
	if !slices.Contains(g.writable, set.dir) {
		g.writable = append(g.writable, set.dir)
	}
	return g.git.add(set, path)
}

// set returns the copies for rights in a directory, and creates what is missing.
func (c *gitCopies) set(dir, rights string) (*gitCopySet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sets[rights]; s != nil {
		return s, nil
	}
	number := strconv.Itoa(len(c.sets))
	s := &gitCopySet{dir: filepath.Join(dir, number), links: filepath.Join(dir, number+".links")}
	if err := errors.Join(os.Mkdir(s.dir, 0o700), os.Mkdir(s.links, 0o700)); err != nil {
		return nil, err
	}
	var err error
	if s.root, err = files.OpenRoot(s.dir); err != nil {
		return nil, err
	}
	if c.sets == nil {
		c.sets = map[string]*gitCopySet{}
	}
	c.sets[rights] = s
	return s, nil
}

// add returns the link to the copy of a file, and creates the copy if it is missing. It fails if what Git writes to a copy could not be written
// to the file.
func (c *gitCopies) add(s *gitCopySet, file string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(s.copies, func(made *gitCopy) bool { return made.file == file })
	if at >= 0 {
		return filepath.Join(s.links, s.copies[at].name), nil
	}
	made := &gitCopy{file: file, root: s.root, name: strconv.Itoa(len(s.copies))}
	link := filepath.Join(s.links, made.name)
	f, err := openGitFile(file, unix.O_RDWR)
	if err != nil {
		return "", err
	}
	f.close()
	if _, err := gitconfig.Parse(f.data); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	if err := errors.Join(made.write(f.data, f.state), os.Symlink(filepath.Join(s.dir, made.name), link)); err != nil {
		return "", err
	}
	s.copies = append(s.copies, made)
	return link, nil
}

func (c *gitCopies) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sets {
		_ = s.root.Close()
	}
	c.sets = nil
}

// SyncGit writes to the repositories what confined code changed about branches in its copies of their settings, and makes the copies equal to
// the files again. It returns what was not written. It costs a few system calls if nothing changed.
func (g *Grants) SyncGit() []GitRefusal {
	g.git.mu.Lock()
	defer g.git.mu.Unlock()
	var out []GitRefusal
	for _, s := range g.git.sets {
		for _, made := range s.copies {
			if refused := made.sync(); refused != nil {
				out = append(out, *refused)
			}
		}
	}
	return out
}

// sync does the work of SyncGit for one copy.
func (c *gitCopy) sync() *GitRefusal {
	path := filepath.Join(c.root.Name(), c.name)
	copied, now := stateAt(path), stateAt(c.file)
	if !c.unlock(path+lockSuffix) || copied == c.copyState && now == c.fileState || now == (fileState{}) {
		return nil
	}
	// Git holds the same lock when it writes the copy.
	lock, err := c.root.OpenFile(c.name+lockSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // the next look finds the change
	}
	defer func() { _ = errors.Join(lock.Close(), c.root.RemoveAll(c.name+lockSuffix)) }()
	refused := &GitRefusal{File: c.file}
	if copied != c.copyState {
		err = c.merge(refused)
	}
	if errors.Is(err, errBusy) {
		if c.blocked {
			return nil
		}
		c.blocked, refused.Err = true, err
		return refused
	}
	c.blocked = false
	data, state, fault := readGitConfig(c.file)
	if fault == nil {
		fault = c.write(data, state)
	} else {
		c.fileState, c.copyState = now, stateAt(path) // it is reported once
	}
	if refused.Err = errors.Join(err, fault); refused.Err == nil && len(refused.Settings)+len(refused.Branches) == 0 {
		return nil
	}
	return refused
}

// lockSuffix is what Git appends to the name of a file to lock it.
const lockSuffix = ".lock"

// unlock reports whether the copy can be locked. path is the lock. It removes a lock that the last look found as well: a process that was
// killed left it.
func (c *gitCopy) unlock(path string) bool {
	found := stateAt(path)
	last := c.lock
	c.lock = found
	if found == (fileState{}) {
		return true
	}
	if found != last || c.root.RemoveAll(c.name+lockSuffix) != nil {
		return false
	}
	c.lock = fileState{}
	return true
}

// merge writes to the file what the copy changed about branches, and adds what it did not write.
func (c *gitCopy) merge(refused *GitRefusal) error {
	copied, err := files.ReadBelow(c.root, c.name, int64(min(len(c.base)+maxGitGrowth, maxGitConfig)))
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("the file was removed in the sandbox")
	}
	if err != nil || bytes.Equal(copied, c.base) {
		return err
	}
	return editGitConfig(c.file, func(file []byte) ([]byte, error) {
		merged, err := gitconfig.MergeBranches(c.base, copied, file)
		refused.Settings, refused.Branches = merged.Refused, merged.Conflicts
		if err == nil && len(merged.Text) > maxGitConfig {
			err = errTooLarge
		}
		return merged.Text, err
	})
}

// write replaces the copy. state is the file with that content.
func (c *gitCopy) write(data []byte, state fileState) error {
	fresh := c.name + ".new"
	if err := c.root.RemoveAll(fresh); err != nil {
		return fmt.Errorf("copying %s: %w", c.file, err)
	}
	f, err := c.root.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copying %s: %w", c.file, err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("copying %s: %w", c.file, err)
	}
	if err := c.root.Rename(fresh, c.name); err != nil {
		// Confined code may have put a directory there.
		if err := errors.Join(c.root.RemoveAll(c.name), c.root.Rename(fresh, c.name)); err != nil {
			return fmt.Errorf("copying %s: %w", c.file, err)
		}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return fmt.Errorf("copying %s: %w", c.file, err)
	}
	c.base, c.fileState, c.copyState = data, state, stateOf(&stat)
	return nil
}

// copyLinks copies the mounts of the links to private copies of Git's settings, by the files that they are mounted over. The descriptor is -1 if
// there is no such link any more.
func (p *confinement) copyLinks() map[string]int {
	links := map[string]int{}
	for _, c := range p.GitCopies {
		fd, err := p.copyTree(c.Link)
		if err != nil {
			fd = -1
		}
		links[c.Path] = fd
	}
	return links
}

// attachLink mounts a link over a file of settings. If that fails, the whole repository is read-only, so that Git fails before it changes anything.
func (p *confinement) attachLink(link int, path string) error {
	if p.attach(link, path) == nil {
		return nil
	}
	return p.over(filepath.Dir(path), true)
}
