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

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/pluginsource"
)

// A session runs the source that it loaded, also after a crash. A copy of that source is cached under the hash of the plugin's files. It
// is used only if the files have changed meanwhile.

// keepSource caches a copy of the files that the child loaded, unless there is one. Nothing is cached if the files change meanwhile or
// are too large.
func (c *child) keepSource(o *Options, spec Spec) error {
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
	s.mu.Lock()
	tree := s.version
	s.mu.Unlock()
	// A plugin that is gone was removed by the user.
	if _, err := os.Stat(spec.Dir); tree == "" || err != nil || versionOf(spec.Dir) == tree {
		return spec, nil //nolint:nilerr // loading reports it
	}
	const changed = "its files have changed since the session loaded them"
	source := readCached(s.opts, cachedSource, tree)
	if source == nil {
		return spec, &Error{Plugin: spec.Name, Kind: KindLoad, Err: errors.New(changed + ", and no copy was kept; /reload loads the changed files")}
	}
	dir := filepath.Join(s.opts.Session.dir, "source", spec.Name, filepath.Base(spec.Dir))
	err := os.RemoveAll(dir)
	if err == nil {
		err = unpackSource(source, dir)
	}
	if err != nil {
		return spec, &Error{Plugin: spec.Name, Kind: KindLoad, Err: fmt.Errorf("%s, and the copy cannot be used: %w; /reload loads the changed files", changed, err)}
	}
	s.notify(NoticeWarning, fmt.Sprintf("plugin %q: %s; it runs as it was loaded until /reload", spec.Name, changed))
	return spec.in(dir), nil
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
