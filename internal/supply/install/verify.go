package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// ChangedError reports a plugin whose files differ from the installed ones.
type ChangedError struct {
	Name  string
	Files Difference
	// Unrecorded is the path of the lock if the lock has no entry for the plugin; otherwise it is empty.
	Unrecorded string
	// Updatable reports whether the plugin can be reinstalled from its source.
	Updatable bool
}

// Error names the files and the possible fixes.
func (e *ChangedError) Error() string {
	name := word(e.Name)
	again := fmt.Sprintf("reinstall it with `aura plugins update %s`", name)
	if !e.Updatable {
		again = fmt.Sprintf("`aura plugins remove %s` and add it again", name)
	}
	if e.Unrecorded != "" {
		return fmt.Sprintf("it was installed, but %s has no entry for it, so its files cannot be checked; %s, or accept the current files with `aura plugins trust %s`",
			e.Unrecorded, again, name)
	}
	return fmt.Sprintf("its files have changed since it was installed: %s; %s, or accept the current files with `aura plugins trust %s`",
		e.Files, again, name)
}

// refuse returns why a plugin must not be loaded, or nil.
func (l *lockfile) refuse(p Place, found manifest.Plugin, entry locked, signing func(home, source string) signature.Policy) error {
	if err := l.verify(p, found); err != nil {
		return err
	}
	if signing != nil {
		policy := signing(p.Home, entry.URL)
		if err := policy.Permitted(found.Name); err != nil {
			return err
		}
		if err := entry.verifySigned(policy); err != nil {
			return err
		}
	}
	if found.Go() {
		return checkSDK(found.Dir)
	}
	return nil
}

// Verify compares the plugins that were found in a place with what was installed there, and their vendored SDK with aura's
// own. signing returns what holds for the signatures of a source; nil looks at none. It sets Installed, Signer and Index of each plugin that the lock
// records. It sets Err of each plugin that must not be loaded to a *manifest.RefusedError, which wraps a *ChangedError, for example. Plugins that were written in place, not installed, have no recorded files to compare with.
func Verify(p Place, found []manifest.Plugin, signing func(home, source string) signature.Policy) {
	if len(found) == 0 {
		return
	}
	lock, err := readLock(p)
	for i := range found {
		var entry locked
		if err == nil {
			entry, found[i].Installed = lock.entry(p, found[i])
		}
		if entry.Signed != nil {
			found[i].Signer = entry.Signed.String()
			if entry.altered() {
				found[i].Signer += ", changed since"
			}
		}
		if entry.Index != nil {
			found[i].Index = entry.Index.String()
		}
		found[i].From, found[i].Hash, found[i].Altered = entry.URL, entry.Hash, entry.altered()
		if found[i].Err != nil {
			continue
		}
		refused := err
		if refused == nil {
			refused = lock.refuse(p, found[i], entry, signing)
		}
		if refused != nil {
			found[i].Err = &manifest.RefusedError{Err: refused}
		}
	}
}

// entry returns the entry for a plugin.
func (l *lockfile) entry(p Place, plugin manifest.Plugin) (locked, bool) {
	key, err := p.key(plugin.Dir)
	e, ok := l.Plugins[key]
	return e, err == nil && ok
}

func (l *lockfile) verify(p Place, plugin manifest.Plugin) error {
	key, err := p.key(plugin.Dir)
	if err != nil {
		return err
	}
	entry, ok := l.Plugins[key]
	if !ok && !recorded(plugin) && !l.foreign(key, plugin) {
		return nil
	}
	files, err := hashTree(plugin.Dir)
	if err != nil {
		return err
	}
	sum := hashAll(files)
	if ok && sum == entry.Hash && sum == hashAll(entry.Files) {
		return nil
	}
	if next, ok := l.Pending[key]; ok && sum == next.Hash {
		return nil
	}
	changed := &ChangedError{Name: plugin.Name, Files: compare(entry.Files, files), Updatable: plugin.Origin != nil}
	if !ok {
		changed.Unrecorded = filepath.Join(p.Home, LockFile)
	}
	return changed
}

// recorded reports whether a plugin had an entry before: aura writes the time into the origin of each plugin that it records.
// An origin without a time was written by hand, like the plugin.
func recorded(plugin manifest.Plugin) bool {
	return plugin.Origin != nil && !plugin.Origin.InstalledAt.IsZero()
}

// foreign reports whether a plugin without an entry is located in an installed pack without being part of it.
func (l *lockfile) foreign(key string, plugin manifest.Plugin) bool {
	if plugin.Origin == nil {
		return false
	}
	unit, _, _ := strings.Cut(key, "/")
	for _, e := range l.Plugins {
		if e.Unit == unit {
			return true
		}
	}
	return false
}

// relative returns the slash-separated path of a directory below a root.
func relative(root, dir string) (string, error) {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", fmt.Errorf("finding %s below %s: %w", dir, root, err)
	}
	return filepath.ToSlash(rel), nil
}
