package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Trusted is a plugin whose current files were accepted.
type Trusted struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	// Files lists how the files had changed since the installation.
	Files Difference `json:"files"`
	// Asks holds what the current files ask for, which is granted with them.
	Asks manifest.Asks `json:"asks"`
}

// Trust records the current files of a plugin, or of all plugins of a pack.
func Trust(ctx context.Context, places []Place, name string, o Options) ([]Trusted, error) {
	u, err := find(places, name)
	var list []Trusted
	if err == nil {
		list, err = trust(ctx, u.place, name, o)
	}
	if err != nil {
		return nil, fmt.Errorf("trusting %s: %w", name, err)
	}
	return list, nil
}

func trust(ctx context.Context, p Place, name string, o Options) (list []Trusted, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	u, err := s.find(name)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(p)
	if err != nil {
		return nil, err
	}
	whole := u.is(name)
	for _, plugin := range u.plugins {
		if plugin.Name != name && !whole {
			continue
		}
		t, err := lock.trust(u, plugin)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, lock.write(p)
}

// trust records one plugin.
func (l *lockfile) trust(u unit, p manifest.Plugin) (Trusted, error) {
	key, err := u.place.key(p.Dir)
	if err != nil {
		return Trusted{}, err
	}
	before, installed := l.Plugins[key]
	if !installed {
		if p.Origin == nil {
			return Trusted{}, fmt.Errorf("plugin %q was written in place, not installed, so it needs no trust", p.Name)
		}
		before = locked{Unit: u.dir, URL: p.Origin.URL, Commit: p.Origin.Commit}
	}
	now, err := lockPlugin(p.Dir, before)
	if err != nil {
		return Trusted{}, err
	}
	now.Disabled = before.left(p, now.Files[manifest.FileName])
	if installed && now.Installed == nil {
		now.Installed = before.Files
	}
	if compare(now.Installed, now.Files).Empty() {
		now.Installed = nil
	}
	l.Plugins[key] = now
	maps.DeleteFunc(l.Pending, func(other string, _ locked) bool { return other == key })
	return Trusted{Name: p.Name, Dir: filepath.Clean(p.Dir), Files: compare(before.Files, now.Files), Asks: manifest.Ask(p)}, nil
}
