package host

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// A session runs the source that it loaded, also after a crash. A copy of that source is cached under the hash of the plugin's files. It
// is used only if the files have changed meanwhile.

// cacheSource caches a copy of the files that the child loaded, unless there is one. Nothing is cached if the files change meanwhile or
// are too large.
func (c *child) cacheSource(o *Options, spec Spec) error {
	dir, tree := spec.Dir, c.version
	if o.CacheDir == "" || tree == "" || c.copied {
		return nil
	}
	if _, err := os.Stat(cachePath(o, cachedSource, tree)); err == nil {
		return nil
	}
	var b bytes.Buffer
	err := packSource(&b, dir)
	if err != nil {
		return fmt.Errorf("copying the source in %s: %w", dir, err)
	}
	if versionOf(dir) != tree {
		return nil
	}
	return writeCached(o, cachedSource, tree, b.Bytes())
}

// packSource writes the files that a plugin's hash covers. If dir is a file, that is the only one, and its path is ".". Links are
// written as what they lead to.
func packSource(w io.Writer, dir string) error {
	out := tar.NewWriter(w)
	size := int64(0)
	add := func(rel, path string) error {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // a link to nothing or to a directory is no source
		}
		if size += info.Size(); size > files.MaxText {
			return errors.New("it is too large for a copy")
		}
		text, err := files.Read(path, files.MaxText)
		if err == nil {
			err = out.WriteHeader(&tar.Header{Name: rel, Mode: 0o600, Size: int64(len(text))})
		}
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		err = add(".", dir)
	default:
		err = pluginsource.EachFile(dir, func(string) bool { return true }, func(rel string, _ fs.FileMode) error {
			return add(rel, filepath.Join(dir, filepath.FromSlash(rel)))
		})
	}
	return errors.Join(err, out.Close())
}

// unpackSource writes a copy of a plugin's files to dir.
func unpackSource(source []byte, dir string) error {
	for in := tar.NewReader(bytes.NewReader(source)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			err = fmt.Errorf("%q is outside", h.Name)
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(in)
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700)); err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return err
		}
	}
}

// asLoaded returns the specification with which the plugin runs the source that the session loaded: its own, or that of a copy if the
// files have changed since.
func (s *supervisor) asLoaded(spec Spec) (Spec, error) {
	s.life.mu.Lock()
	tree := s.code.version
	s.life.mu.Unlock()
	// A plugin that is gone was removed by the user.
	if _, err := os.Stat(spec.Dir); tree == "" || err != nil || versionOf(spec.Dir) == tree {
		return spec, nil //nolint:nilerr // loading reports it
	}
	const changed = "its files have changed since the session loaded them"
	source := readCached(s.opts, cachedSource, tree)
	if source == nil {
		return spec, &Error{Plugin: spec.Name, Kind: KindLoad, Err: errors.New(changed + ", and no copy was kept; /reload loads the changed files")}
	}
	dir, fresh, err := placeSource(source, filepath.Join(s.opts.Session.dir, "source", spec.Name), tree, filepath.Base(spec.Dir))
	if err != nil {
		return spec, &Error{Plugin: spec.Name, Kind: KindLoad, Err: fmt.Errorf("%s, and the copy cannot be used: %w; /reload loads the changed files", changed, err)}
	}
	if fresh {
		s.reports.notify(NoticeWarning, fmt.Sprintf("plugin %q: %s; it runs as it was loaded until /reload", spec.Name, changed))
	}
	return spec.in(dir), nil
}

// placeSource writes a copy of a plugin's files below root, unless it is there already: other processes of the plugin may be reading it. It
// returns the path of the copy, and whether it is new.
func placeSource(source []byte, root, tree, name string) (path string, fresh bool, err error) {
	place := filepath.Join(root, tree)
	path = filepath.Join(place, name)
	if _, err := os.Stat(path); err == nil {
		return path, false, nil
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", false, err
	}
	temp, err := os.MkdirTemp(root, "new-")
	if err != nil {
		return "", false, err
	}
	if err = unpackSource(source, filepath.Join(temp, name)); err == nil {
		err = os.Rename(temp, place)
	}
	if err == nil {
		return path, true, nil
	}
	_ = os.RemoveAll(temp)
	if _, there := os.Stat(path); there == nil {
		return path, false, nil // a call beside this one was faster
	}
	return "", false, err
}

// in returns the specification with the plugin's files in another directory.
func (s Spec) in(dir string) Spec {
	if s.Guest != nil {
		guest := *s.Guest
		guest.Args = nil
		for _, arg := range s.Guest.Args {
			if rest, ok := strings.CutPrefix(arg, s.Dir); ok {
				if _, err := os.Stat(dir + rest); err == nil {
					arg = dir + rest
				}
			}
			guest.Args = append(guest.Args, arg)
		}
		s.Guest = &guest
	}
	s.Dir, s.copied = dir, true
	// The files that it verifies are not those that run.
	s.Verify = nil
	return s
}
