package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Removed describes what Remove removed.
type Removed struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`
	Plugins []string `json:"plugins"`
	// Kept is the directory with a copy of files that were written or changed by hand; empty if there were none.
	Kept string `json:"kept,omitempty"`
}

// Handmade is a directory of plugins with files that were written or changed by hand.
type Handmade struct {
	Name, Dir string
	// Reason says for each plugin what was written or changed.
	Reason string
}

// Remove removes a plugin or a pack, regardless of its origin. It cannot remove one plugin of a pack.
func Remove(ctx context.Context, places []Place, name string, o Options) (Removed, error) {
	u, err := find(places, name)
	if err == nil {
		err = removable(u, name)
	}
	kept := ""
	if err == nil {
		u, kept, err = remove(ctx, u.place, name, o)
	}
	if err != nil {
		return Removed{}, fmt.Errorf("removing %s: %w", name, err)
	}
	return Removed{Name: u.name(), Dir: u.path(), Plugins: append([]string{}, u.names()...), Kept: kept}, nil
}

// removable returns an error if name is only one plugin of a pack.
func removable(u unit, name string) error {
	if len(u.plugins) > 1 && !u.is(name) {
		return fmt.Errorf("it is part of the pack %q (%s) and cannot be removed alone; set disabled: true in %s to leave it out, or `aura plugins remove %s` to remove the pack",
			u.name(), join(u.names()), memberFile(u, name), word(u.name()))
	}
	return nil
}

func memberFile(u unit, name string) string {
	for _, p := range u.plugins {
		if p.Name == name {
			return filepath.Join(p.Dir, manifest.FileName)
		}
	}
	return manifest.FileName
}

// remove removes the whole unit, and then its entries in the lock.
func remove(ctx context.Context, p Place, name string, o Options) (u unit, kept string, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return unit{}, "", err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if u, err = s.find(name); err == nil {
		err = removable(u, name)
	}
	if err != nil {
		return unit{}, "", err
	}
	lock, err := readLock(p)
	if err == nil {
		kept, err = o.confirm(u, lock)
	}
	if err != nil {
		return unit{}, "", err
	}
	if err := s.dispose(u.path()); err != nil {
		return unit{}, "", err
	}
	lock.drop(u.dir)
	lock.prune(p)
	return u, kept, lock.write(p)
}

// confirm calls Confirm for a unit with files that no source has, and then copies the unit to Keep. It returns the copy, or "". If
// the unit is a link, only the link is removed, so no files are lost.
func (o Options) confirm(u unit, lock *lockfile) (kept string, err error) {
	if info, err := os.Lstat(u.path()); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return "", nil
	}
	var reasons []string
	for _, p := range u.plugins {
		reason, err := lock.handmade(u.place, p)
		if err != nil {
			return "", err
		}
		if reason != "" {
			reasons = append(reasons, fmt.Sprintf("plugin %q %s", p.Name, reason))
		}
	}
	if len(reasons) == 0 {
		return "", nil
	}
	if o.Confirm != nil {
		if err := o.Confirm(Handmade{Name: u.name(), Dir: u.path(), Reason: strings.Join(reasons, "; ")}); err != nil {
			return "", err
		}
	}
	return o.backUpUnit(u)
}

// backUpUnit copies a unit to a new directory in Keep, and returns that directory. It returns "" if there is no Keep.
func (o Options) backUpUnit(u unit) (string, error) {
	if o.Keep == "" {
		return "", nil
	}
	err := os.MkdirAll(o.Keep, 0o700)
	var dir string
	if err == nil {
		dir, err = os.MkdirTemp(o.Keep, u.name()+"-"+o.now().Format("20060102")+"-")
	}
	if err == nil {
		err = copyUnit(u.path(), dir)
	}
	if err != nil {
		return "", fmt.Errorf("keeping a copy of your files: %w", err)
	}
	return dir, nil
}

// copyUnit copies a plugin, which is a directory or a file, into a directory.
func copyUnit(from, to string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return errors.Join(err, os.CopyFS(to, os.DirFS(from)))
	}
	text, err := files.Read(from, manifest.MaxTree)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, filepath.Base(from)), text, 0o600)
}

// handmade describes how a plugin differs from what was installed; it returns "" if there is no difference.
func (l *lockfile) handmade(p Place, plugin manifest.Plugin) (string, error) {
	key, err := p.key(plugin.Dir)
	if err != nil {
		return "", err
	}
	entry, installed := l.Plugins[key]
	if !installed && !recorded(plugin) {
		return "was written by hand", nil
	}
	err = l.verify(p, plugin)
	changed, ok := errors.AsType[*ChangedError](err)
	switch {
	case ok && changed.Unrecorded != "":
		return "is not in " + LockFile + ", so its files may have been changed", nil
	case err != nil && !ok:
		return "", err
	case err == nil && entry.Installed == nil:
		return "", nil
	}
	edits, err := entry.edits(plugin)
	if err != nil || len(edits.Added)+len(edits.Changed) == 0 {
		return "", err
	}
	return "was changed since it was installed: " + edits.String(), nil
}

var disabledLine = regexp.MustCompile(`(?m)^disabled:[ \t]*true[ \t]*(#.*)?\n?`)

// edits returns how the files of a plugin differ from what was installed. A manifest in which the user only disabled the plugin does not
// differ: an update keeps that.
func (e locked) edits(plugin manifest.Plugin) (Difference, error) {
	now, err := hashTree(plugin.Dir)
	if err != nil {
		return Difference{}, err
	}
	before := e.Files
	if e.Installed != nil {
		before = e.Installed
	}
	if text, err := files.Read(filepath.Join(plugin.Dir, manifest.FileName), maxManifest); err == nil && plugin.Manifest.Disabled {
		sum := sha256.Sum256(disabledLine.ReplaceAll(text, nil))
		if hash := hex.EncodeToString(sum[:]); hash == before[manifest.FileName] {
			now[manifest.FileName] = hash
		}
	}
	return compare(before, now), nil
}

// dispose first moves a directory into the stage, so that a plugin is either complete or absent, and removes it there. It must
// come before any write, because a full disk has no room for one.
func (s *stage) dispose(dir string) error {
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		// Only the link belongs to the home; its target stays.
		return os.Remove(dir)
	}
	gone := filepath.Join(s.dir, "removed")
	if err := os.Rename(dir, gone); err != nil {
		return err
	}
	return removeAll(gone)
}
