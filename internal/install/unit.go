package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/manifest"
)

// unit is what is installed, updated and removed as one: a plugin, or a pack of them.
type unit struct {
	place Place
	// dir is relative to the place's root and slash-separated.
	dir string
	// origin is nil for what has no source to be updated from.
	origin  *manifest.Origin
	plugins []manifest.Plugin
}

func (u unit) path() string { return filepath.Join(u.place.Root, filepath.FromSlash(u.dir)) }

func (u unit) name() string { return filepath.Base(u.path()) }

func (u unit) names() []string {
	var names []string
	for _, p := range u.plugins {
		names = append(names, p.Name)
	}
	return names
}

// units lists what a place holds, in the order of directories.
func units(p Place) ([]unit, error) {
	found, err := manifest.Discover(p.Root)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(p)
	if err != nil {
		return nil, err
	}
	byDir := map[string]*unit{}
	var out []*unit
	for _, plugin := range found {
		key, err := relative(p.Root, plugin.Dir)
		if err != nil {
			return nil, err
		}
		dir := key
		if e, ok := lock.Plugins[key]; ok && within(filepath.Join(p.Root, filepath.FromSlash(e.Unit)), plugin.Dir) {
			dir = e.Unit
		} else if own := originDir(p.Root, key); own != "" {
			dir = own
		}
		u, ok := byDir[dir]
		if !ok {
			u = &unit{place: p, dir: dir, origin: plugin.Origin}
			byDir[dir] = u
			out = append(out, u)
		}
		u.plugins = append(u.plugins, plugin)
	}
	list := make([]unit, 0, len(out))
	for _, u := range out {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b unit) int { return strings.Compare(a.dir, b.dir) })
	return list, nil
}

// originDir is the nearest directory at or above key that says where it was installed from; empty if none does.
func originDir(root, key string) string {
	for dir := key; dir != "." && dir != "/"; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(dir), manifest.OriginFile)); err == nil {
			return dir
		}
	}
	return ""
}

// find looks for a unit by the name of one of its plugins or by its own, in one place after the other.
func find(places []Place, name string) (unit, error) {
	var known []string
	for _, p := range places {
		list, err := units(p)
		if err != nil {
			if u, ok := byDirectory(p, name); ok {
				return u, nil
			}
			return unit{}, err
		}
		for _, u := range list {
			if slices.Contains(u.names(), name) {
				return u, nil
			}
		}
		for _, u := range list {
			if u.dir == name || u.name() == name {
				return u, nil
			}
			known = append(known, u.names()...)
			if len(u.plugins) > 1 {
				known = append(known, u.name()+" (pack)")
			}
		}
	}
	slices.Sort(known)
	return unit{}, fmt.Errorf("there is no plugin or pack of that name; there are: %s", join(slices.Compact(known)))
}

// find looks for a unit in the place, as whoever changed it before has left it.
func (s *stage) find(name string) (unit, error) { return find([]Place{s.place}, name) }

// byDirectory finds a unit where plugins cannot be told apart, so that what is wrong with them can be removed.
func byDirectory(p Place, name string) (unit, bool) {
	if checkName(name) != nil {
		return unit{}, false
	}
	u := unit{place: p, dir: name}
	info, err := os.Stat(u.path())
	return u, err == nil && info.IsDir()
}
