package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// UseHelper sets the program that mounts layers for an ordinary user; see Argument. It must be called before the first policy is opened.
func (g *Grants) UseHelper(program string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.helper = program
}

// openLayers mounts the private layers of the policy's caches, once for all policies, and returns their covers. Every confined process gets
// a copy of the same mounts, so that processes that run at the same time see one file system: two mounts of the same layer would not notice
// each other's changes.
func (g *Grants) openLayers(p *Policy) []Cover {
	var paths []string
	for _, cache := range p.Caches {
		path := g.follow(cache).path
		if info, err := os.Stat(path); err == nil && info.IsDir() && slices.Contains(p.ReadWrite, path) {
			paths = append(paths, path)
		}
	}
	paths = outermost(paths)
	if len(paths) == 0 {
		return nil
	}
	if err := g.mountMissing(p.Store, paths); err != nil {
		p.addUncovered("build caches are shared with the user's own programs: " + err.Error())
		return nil
	}
	var out []Cover
	for _, path := range paths {
		p.pinFile(layerName(path), g.layers[path])
		out = append(out, Cover{Path: path, Layer: true})
	}
	return out
}

// mountMissing mounts the layers that are not mounted yet. An error is final: no later policy gets layers, because some calls would see
// other caches than others.
func (g *Grants) mountMissing(store string, paths []string) error {
	var missing []layer
	for _, path := range paths {
		if g.layers[path] == nil {
			missing = append(missing, layerIn(g.slot, path))
		}
	}
	if len(missing) == 0 || g.unlayered != nil {
		return g.unlayered
	}
	g.unlayered = func() error {
		if !kernelAtLeast(6, 15) {
			return errors.New("private layers need Linux 6.15")
		}
		if g.slot == "" {
			slot, lock, err := openSlot(store)
			if err != nil {
				return err
			}
			g.slot, g.slotLock = slot, lock
			// The file is only for lists.
			_ = os.WriteFile(filepath.Join(store, projectFile), []byte(g.root), 0o600)
			pruneSometimes(filepath.Dir(store))
		}
		for i, l := range missing {
			missing[i] = layerIn(g.slot, l.Lower)
			if err := missing[i].create(); err != nil {
				return err
			}
		}
		files, err := g.mountLayers(missing)
		if err != nil {
			return err
		}
		if g.layers == nil {
			g.layers = map[string]*os.File{}
		}
		for i, l := range missing {
			g.layers[l.Lower] = files[i]
			// The kernel makes a directory that nobody can read, in which whoever looks through the state would fail.
			_ = os.Chmod(filepath.Join(l.Work, "work"), 0o700) //nolint:gosec // it is a directory
		}
		return nil
	}()
	return g.unlayered
}

// create creates the directories of a layer. The merged directory has the mode of the upper one.
func (l layer) create() error {
	info, err := os.Stat(l.Lower)
	if err != nil {
		return err
	}
	for _, dir := range []string{l.Upper, l.Work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return os.Chmod(l.Upper, info.Mode().Perm()|0o700)
}

// layerDir returns the name of the directory of a cache's layer.
func layerDir(cache string) string {
	sum := sha256.Sum256([]byte(cache))
	return hex.EncodeToString(sum[:8])
}

// mountLayers mounts layers without giving them a place. Root can do that here, other users in a user namespace only. The mounts exist as
// long as one of the files is open, or a process has a copy.
func (g *Grants) mountLayers(layers []layer) ([]*os.File, error) {
	files, err := mountDetached(layers)
	if err == nil || g.helper == "" || !errors.Is(err, unix.EPERM) {
		return files, err
	}
	return mountByHelper(g.helper, layers)
}

func mountDetached(layers []layer) (files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeFiles(files)
		}
	}()
	for _, l := range layers {
		fd, err := l.mount()
		if err != nil {
			return files, fmt.Errorf("layering %s: %w", l.Lower, err)
		}
		files = append(files, os.NewFile(uintptr(fd), l.Lower))
	}
	return files, nil
}

// mount returns a new mount that has no place yet. The caller must close it.
func (l layer) mount() (int, error) {
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fs) }()
	for _, part := range []struct{ key, dir string }{{"lowerdir+", l.Lower}, {"upperdir", l.Upper}, {"workdir", l.Work}} {
		dir, err := openPlain(part.dir)
		if err != nil {
			return -1, err
		}
		err = unix.FsconfigSetFd(fs, part.key, dir)
		_ = unix.Close(dir)
		if err != nil {
			return -1, err
		}
	}
	// Ordinary users may not use the attributes that the kernel uses otherwise.
	if err := unix.FsconfigSetFlag(fs, "userxattr"); err != nil {
		return -1, err
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// mountByHelper lets a process in namespaces of its own mount the layers. The process ends at once; the mounts stay.
func mountByHelper(program string, layers []layer) ([]*os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "layers"), os.NewFile(uintptr(fds[1]), "layers")
	defer func() { _ = ours.Close() }()
	w, err := startWorker(Command{Executable: program, Dir: "/"}, theirs)
	_ = theirs.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a process for layers: %w", err)
	}
	defer w.finish()
	if w.Isolation() < process.OwnMounts {
		return nil, errors.New("private layers need a mount namespace")
	}
	if err := w.send(order{Layers: layers}, nil); err != nil {
		return nil, fmt.Errorf("asking for layers: %w", err)
	}
	files, err := receiveFiles(int(ours.Fd()))
	if err != nil {
		<-w.Exited()
		printed, _ := w.stderr.Kept()
		return nil, errors.New(strings.TrimSpace(string(printed)))
	}
	return files, nil
}

// serveLayers is the helper's side of mountByHelper.
func serveLayers(layers []layer) error {
	files, err := mountDetached(layers)
	if err != nil {
		return err
	}
	defer closeFiles(files)
	return sendFiles(os.NewFile(answerFD, "layers"), files)
}
