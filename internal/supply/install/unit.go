package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// unit is what is installed, updated and removed as a whole: a plugin or a pack of plugins.
type unit struct {
	place Place
	// dir is the unit's key in the lock.
	dir string
	// origin is nil if there is no source to update from.
	origin  *manifest.Origin
	plugins []manifest.Plugin
}

func (u unit) path() string { return u.place.path(u.dir) }

func (u unit) name() string { return strings.TrimSuffix(filepath.Base(u.path()), pythonFile) }

// is reports whether a name stands for the whole unit: its own name, its key in the lock, or the name of the portable plugin that it is.
func (u unit) is(name string) bool {
	return name == u.name() || name == u.dir || slices.ContainsFunc(u.plugins, func(p manifest.Plugin) bool {
		return p.Name == name && p.Portable() && p.Dir == u.path()
	})
}

func (u unit) names() []string {
	var names []string
	for _, p := range u.plugins {
		names = append(names, p.Name)
	}
	return names
}

// units lists the units of a place, sorted by directory.
func units(p Place) ([]unit, error) {
	found, err := p.plugins()
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
		key, err := p.key(plugin.Dir)
		if err != nil {
			return nil, err
		}
		dir := key
		if e, ok := lock.Plugins[key]; ok && files.Within(p.path(e.Unit), plugin.Dir) {
			dir = e.Unit
		} else if own := p.originDir(key); own != "" {
			dir = own
		} else if plugin.Package != "" {
			if dir, err = p.key(plugin.Package); err != nil {
				return nil, err
			}
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

// originDir returns the nearest directory at or above key that has an origin file, or "" if there is none.
func (p Place) originDir(key string) string {
	for dir := key; dir != "." && dir != "/"; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, err := os.Lstat(filepath.Join(p.path(dir), manifest.OriginFile)); err == nil {
			return dir
		}
	}
	return ""
}

// Has reports whether a plugin or a pack of that name is in one of the places.
func Has(places []Place, name string) bool {
	_, err := find(places, name)
	return err == nil
}

// oneOf finds a unit by the name of one of its plugins, among those that were installed or the others. Where two plugins have the name, it must
// be the directory of a unit.
func oneOf(list []unit, name string, added bool) (found unit, ok bool, err error) {
	for _, u := range list {
		i := slices.Index(u.names(), name)
		switch {
		case i < 0 || u.plugins[0].Added() != added:
		case u.dir == name:
			return u, true, nil
		case ok:
			err = u.plugins[i].Err
		default:
			found, ok = u, true
		}
	}
	return found, ok && err == nil, err
}

// find finds a unit by the name of one of its plugins or by its own name. It searches the places in order. In a place, it prefers what
// was installed to what was written in place.
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
		for _, added := range []bool{true, false} {
			if u, ok, err := oneOf(list, name, added); ok || err != nil {
				return u, err
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

// find finds a unit in the place. The caller holds the place's lock, so the result includes changes of earlier processes.
func (s *stage) find(name string) (unit, error) { return find([]Place{s.place}, name) }

// byDirectory finds a unit by its directory when the plugins cannot be listed, so that a broken plugin can still be removed.
func byDirectory(p Place, name string) (unit, bool) {
	if checkName(name) != nil {
		return unit{}, false
	}
	u := unit{place: p, dir: name}
	info, err := os.Stat(u.path())
	return u, err == nil && info.IsDir()
}
