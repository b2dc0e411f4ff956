package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/manifest"
)

// Removed describes what Remove removed.
type Removed struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`
	Plugins []string `json:"plugins"`
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
	if err == nil {
		u, err = remove(ctx, u.place, name, o)
	}
	if err != nil {
		return Removed{}, fmt.Errorf("removing %s: %w", name, err)
	}
	return Removed{Name: u.name(), Dir: u.path(), Plugins: append([]string{}, u.names()...)}, nil
}

// removable returns an error if name is only one plugin of a pack.
func removable(u unit, name string) error {
	if len(u.plugins) > 1 && name != u.name() && name != u.dir {
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
func remove(ctx context.Context, p Place, name string, o Options) (u unit, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return unit{}, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if u, err = s.find(name); err == nil {
		err = removable(u, name)
	}
	if err != nil {
		return unit{}, err
	}
	lock, err := readLock(p)
	if err == nil {
		err = o.confirm(u, lock)
	}
	if err != nil {
		return unit{}, err
	}
	if err := s.dispose(u.path()); err != nil {
		return unit{}, err
	}
	lock.drop(u.dir)
	lock.prune(p)
	return u, lock.write(p)
}

// confirm calls Confirm for a unit with files that no source has. If the unit is a link, only the link is removed, so no files
// are lost.
func (o Options) confirm(u unit, lock *lockfile) error {
	if info, err := os.Lstat(u.path()); o.Confirm == nil || err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil
	}
	var reasons []string
	for _, p := range u.plugins {
		reason, err := lock.handmade(u.place, p)
		if err != nil {
			return err
		}
		if reason != "" {
			reasons = append(reasons, fmt.Sprintf("plugin %q %s", p.Name, reason))
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return o.Confirm(Handmade{Name: u.name(), Dir: u.path(), Reason: strings.Join(reasons, "; ")})
}

// handmade describes how a plugin differs from what was installed; it returns "" if there is no difference.
func (l *lockfile) handmade(p Place, plugin manifest.Plugin) (string, error) {
	key, err := p.key(plugin.Dir)
	if err != nil {
		return "", err
	}
	if _, installed := l.Plugins[key]; !installed && !recorded(plugin) {
		return "was written by hand", nil
	}
	err = l.verify(p, plugin)
	changed, ok := errors.AsType[*ChangedError](err)
	switch {
	case ok && changed.Unrecorded != "":
		return "is not in " + LockFile + ", so its files may have been changed", nil
	case ok:
		return "was changed since it was installed: " + changed.Files.String(), nil
	default:
		return "", err
	}
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
